// Package pgtest gives tests a real PostgreSQL that nobody has to install or configure a server for.
//
// A test process that asks for it starts one private cluster from the PostgreSQL binaries of the machine: in a
// temporary folder, on a Unix socket only, without durability. It vanishes with the process, however that ends.
// Where COUNTERSIGN_TEST_POSTGRES holds the URL of a cluster, as under "make test", that one is used instead.
// Only tests, and commands that run tests, may import this package.
package pgtest
