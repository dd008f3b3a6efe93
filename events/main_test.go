package events_test

import (
	"testing"

	"go.uber.org/goleak"

	"countersign/internal/redistest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(redistest.Main(m),
		// Waits for its next try to reach a Redis that is away, up to a second, before it sees that the client is closed.
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}
