// Package redistest gives tests a real Redis of their own.
//
// [Start] hands every test an empty database of one server that the test process shares; [New] starts a server
// that a test may kill, pause and restart. Servers listen on a free loopback port behind a random password,
// write nothing to disk and die with the test process. Wrap [testing.M] with [Main] to stop the shared server in order:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Main(m)) }
//
// Where redis-server is not installed a test is skipped, and fails when CI=true.
package redistest
