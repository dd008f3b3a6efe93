package redistest

import (
	"os"
	"os/exec"
	"sync"
	"testing"
)

// databases is how many tests can hold a database of the shared server at the same time.
const databases = 512

// shared is the server of this test process and its databases that no test holds.
var shared struct {
	sync.Mutex
	server *Server
	free   []int
}

// Start gives the URL of an empty database that belongs to this test until it ends.
// Publish/subscribe channels are common to all databases of a Redis server.
func Start(tb testing.TB) string {
	tb.Helper()
	binary := find(tb)
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		server, err := launch(binary)
		if err != nil {
			tb.Fatalf("redistest: %v", err)
		}
		shared.server, shared.free = server, numbers(databases)
	}
	if len(shared.free) == 0 {
		tb.Fatalf("redistest: more than %d tests hold a database", databases)
	}
	db := shared.free[len(shared.free)-1]
	shared.free = shared.free[:len(shared.free)-1]
	server := shared.server
	tb.Cleanup(func() { giveBack(tb, server, db) })
	return server.url(db)
}

// New starts a server for this test alone, which may kill, pause and restart it. It is killed when the test ends.
func New(tb testing.TB) *Server {
	tb.Helper()
	server, err := launch(find(tb))
	if err != nil {
		tb.Fatalf("redistest: %v", err)
	}
	tb.Cleanup(server.close)
	return server
}

// M is a [testing.M] that stops the shared server after the last test.
type M struct{ m *testing.M }

// Main wraps m. The result satisfies the interface that goleak.VerifyTestMain takes.
func Main(m *testing.M) M { return M{m} }

// Run runs the tests and stops the shared server.
func (m M) Run() int {
	code := m.m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.server != nil {
		shared.server.close()
		shared.server = nil
	}
	return code
}

func giveBack(tb testing.TB, server *Server, db int) {
	if err := server.command("SELECT "+itoa(db), "FLUSHDB"); err != nil {
		tb.Errorf("redistest: emptying database %d: %v", db, err)
		return
	}
	shared.Lock()
	defer shared.Unlock()
	shared.free = append(shared.free, db)
}

func find(tb testing.TB) string {
	tb.Helper()
	binary, err := exec.LookPath("redis-server")
	if err == nil {
		return binary
	}
	const missing = "redis-server is not installed: run `apt-get install redis-server` (or `brew install redis`) to run the Redis tests"
	if os.Getenv("CI") == "true" {
		tb.Fatal(missing)
	}
	tb.Skip(missing)
	return ""
}

func numbers(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
