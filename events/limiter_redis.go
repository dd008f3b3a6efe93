package events

import (
	"context"
	"crypto/rand"
	_ "embed"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed scripts/allow.lua
var allowLua string

var allowScript = redis.NewScript(allowLua)

// Allow implements [Limiter]. The clock is the server's, so replicas need not agree about the time.
func (r *Redis) Allow(ctx context.Context, key string, limit int, window time.Duration) (Decision, error) {
	if err := checkLimit(limit, window); err != nil {
		return Decision{}, err
	}
	micros := window.Microseconds()
	log, event := keyPrefix+"limit:"+strconv.FormatInt(micros, 10)+":"+key, rand.Text()
	wait, err := r.run(ctx, allowScript, []string{log}, limit, micros, event)
	if err != nil {
		return Decision{}, err
	}
	if wait > 0 {
		return Decision{RetryAfter: time.Duration(wait) * time.Microsecond}, nil
	}
	return Decision{Allowed: true, giveBack: func(ctx context.Context) error {
		return wrapRedis(r.client.ZRem(ctx, log, event).Err())
	}}, nil
}
