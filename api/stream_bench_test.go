package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/apitest"
	"countersign/internal/dbtest"
)

// idleStreams is how many readers wait for a turn at once.
const idleStreams = 2000

// BenchmarkIdleStreams reports the memory for each of many readers that wait for a turn whose model says nothing.
// The readers are bare connections, so nearly all of it is the server's.
func BenchmarkIdleStreams(b *testing.B) {
	s := turnServer(b, dbtest.Open(b, "sqlite"), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that its client has left only when it has read the request
		<-r.Context().Done()
	}))
	client := s.As(b, s.Sales1)
	turnID := silentTurn(b, client)
	for b.Loop() {
		var before, after runtimeStats
		before.read()
		connections := make([]net.Conn, idleStreams)
		for i := range connections {
			connections[i] = waitingReader(b, s, client, turnID)
		}
		after.read()
		b.ReportMetric(float64(after.memory-before.memory)/idleStreams, "B/stream")
		b.ReportMetric(float64(after.stacks-before.stacks)/idleStreams, "stack-B/stream")
		for _, c := range connections {
			require.NoError(b, c.Close())
		}
	}
	client.Post("/api/turns/"+turnID+"/stop", nil)
}

// silentTurn starts a turn and leaves.
func silentTurn(b *testing.B, client *apitest.Client) string {
	b.Helper()
	res := client.Open(http.MethodPost, "/api/chat", `{"message":"How is the Acme renewal going?"}`)
	defer res.Body.Close()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var start struct{ TurnID string }
			require.NoError(b, json.Unmarshal([]byte(data), &start))
			return start.TurnID
		}
	}
	b.Fatal("the turn has not started")
	return ""
}

// waitingReader follows a turn and has read what there is.
func waitingReader(b *testing.B, s *apitest.Server, client *apitest.Client, turnID string) net.Conn {
	b.Helper()
	c, err := (&net.Dialer{}).DialContext(b.Context(), "tcp", strings.TrimPrefix(s.URL, "http://"))
	require.NoError(b, err)
	_, err = fmt.Fprintf(c, "GET /api/turns/%s/events HTTP/1.1\r\nHost: test\r\nCookie: %s\r\n\r\n", turnID, client.Header.Get("Cookie"))
	require.NoError(b, err)
	var read []byte
	var part [512]byte
	for !strings.Contains(string(read), "event: start") {
		n, err := c.Read(part[:])
		require.NoError(b, err)
		read = append(read, part[:n]...)
	}
	return c
}

// runtimeStats are what the process holds, and how often it has allocated.
type runtimeStats struct{ memory, stacks, mallocs uint64 }

func (s *runtimeStats) read() {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.memory, s.stacks, s.mallocs = m.HeapInuse+m.StackInuse, m.StackInuse, m.Mallocs
}
