package events_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/events"
	"countersign/internal/redistest"
)

func TestAWrongRedisURLIsInvalidAndNotRepeated(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "localhost:6379", "http://host", "redis://:hunter2@host:port/0", "redis://:hunter2@host/zero", "redis://host?max_retrys=1"} {
		_, err := events.NewRedis(url, events.Options{})
		require.True(t, apperr.Is(err, apperr.Invalid), url)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestRedisKeysAreOursAndExpire(t *testing.T) {
	t.Parallel()
	url := redistest.Start(t)
	r := dial(t, url, events.Options{})
	allow(t, r, "user", 10, time.Minute)
	acquire(t, r, "conversation", time.Minute)
	add(t, r, "running", "start", "{}")
	add(t, r, "ended", "start", "{}")
	end(t, r, "ended")

	opts, err := redis.ParseURL(url)
	require.NoError(t, err)
	client := redis.NewClient(opts)
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	keys := client.Keys(t.Context(), "*").Val()
	require.Len(t, keys, 5)
	for _, key := range keys {
		require.True(t, strings.HasPrefix(key, "countersign:"), key)
		ttl := client.PTTL(t.Context(), key).Val()
		if key != "countersign:fence" { // the one counter, which must not start again
			require.True(t, ttl > 50*time.Second && ttl <= time.Hour, "%s: %s", key, ttl)
		}
	}
}

func TestDatabasesOfOneServerDoNotHearEachOther(t *testing.T) {
	t.Parallel()
	here, there := dial(t, redistest.Start(t), events.Options{}), dial(t, redistest.Start(t), events.Options{})
	sub := subscribe(t, here, "topic")
	publish(t, there, "topic", "there")
	publish(t, here, "topic", "here")
	require.Equal(t, "here", string(receive(t, sub.Messages(), 1)[0]))
}

func TestSubscriptionsOutliveARestartOfRedis(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	r := dial(t, server.URL(), events.Options{})
	sub := subscribe(t, r, "topic")
	server.Kill()
	server.Restart(t)
	require.Eventually(t, func() bool {
		_ = r.Publish(t.Context(), "topic", []byte("back"))
		return len(sub.Messages()) > 0
	}, 10*time.Second, 20*time.Millisecond)
}

func TestCallsFailSoonWhileRedisIsAway(t *testing.T) {
	t.Parallel()
	calls := map[string]func(ctx context.Context, r *events.Redis) error{
		"ping": func(ctx context.Context, r *events.Redis) error { return r.Ping(ctx) },
		"allow": func(ctx context.Context, r *events.Redis) error {
			_, err := r.Allow(ctx, "user", 1, time.Minute)
			return err
		},
		"acquire": func(ctx context.Context, r *events.Redis) error {
			_, err := r.Acquire(ctx, "key", time.Minute)
			return err
		},
		"append": func(ctx context.Context, r *events.Redis) error {
			_, err := r.Append(ctx, "turn", events.Frame{Type: "start"})
			return err
		},
		"follow": func(ctx context.Context, r *events.Redis) error {
			_, err := collect(ctx, r, "turn", 0)
			return err
		},
		"publish": func(ctx context.Context, r *events.Redis) error { return r.Publish(ctx, "topic", nil) },
		"subscribe": func(ctx context.Context, r *events.Redis) error {
			_, err := r.Subscribe(ctx, "topic")
			return err
		},
	}
	for how, away := range outages {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			server := redistest.New(t)
			r := dial(t, server.URL(), events.Options{})
			require.NoError(t, r.Ping(t.Context()))
			away.begin(t, server)
			for name, call := range calls {
				begin := time.Now()
				require.True(t, unavailable(call(t.Context(), r)), name)
				require.Less(t, time.Since(begin), 3*time.Second, name)
			}
		})
	}
}
