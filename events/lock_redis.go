package events

import (
	"context"
	_ "embed"
	"time"

	"github.com/redis/go-redis/v9"
)

var (
	//go:embed scripts/acquire.lua
	acquireLua string
	//go:embed scripts/renew.lua
	renewLua string
	//go:embed scripts/release.lua
	releaseLua string

	acquireScript = redis.NewScript(acquireLua)
	renewScript   = redis.NewScript(renewLua)
	releaseScript = redis.NewScript(releaseLua)
)

// Acquire implements [Locker].
func (r *Redis) Acquire(ctx context.Context, key string, ttl time.Duration) (Lease, error) {
	if err := checkTTL(ttl); err != nil {
		return nil, err
	}
	lock := keyPrefix + "lock:" + key
	fence, err := r.run(ctx, acquireScript, []string{lock, keyPrefix + "fence"}, ttl.Milliseconds())
	if err != nil {
		return nil, err
	}
	if fence == 0 {
		return nil, errLocked()
	}
	return &redisLease{redis: r, lock: []string{lock}, fence: fence}, nil
}

// redisLease is held as long as the value of its lock is its fence.
type redisLease struct {
	redis *Redis
	lock  []string
	fence int64
}

func (l *redisLease) Fence() int64 { return l.fence }

func (l *redisLease) Renew(ctx context.Context, ttl time.Duration) error {
	if err := checkTTL(ttl); err != nil {
		return err
	}
	held, err := l.redis.run(ctx, renewScript, l.lock, l.fence, ttl.Milliseconds())
	if err == nil && held == 0 {
		return errLockLost()
	}
	return err
}

func (l *redisLease) Release(ctx context.Context) error {
	_, err := l.redis.run(ctx, releaseScript, l.lock, l.fence)
	return err
}
