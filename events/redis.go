package events

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"countersign/apperr"
)

// callTimeout bounds every wait for the server: a Redis that does not answer must not hold up a request for long.
// Callers with less time shorten it by the deadline of their ctx.
const callTimeout = time.Second

// keyPrefix keeps our keys apart from those of others on the same server.
const keyPrefix = "countersign:"

// Redis is the [Backend] that replicas share. It needs Redis 7 or later, one server or one primary.
type Redis struct {
	client *redis.Client
	opts   Options
	hub    *hub
	close  func() error
}

var _ Backend = (*Redis)(nil)

// NewRedis prepares a backend for the server at the URL: redis://, rediss:// or unix://. It does not connect yet;
// see [Redis.Ping]. A wrong URL is apperr.Invalid; the error does not repeat it, because it may hold a password.
//
// It silences the log of the Redis client library in the whole process: every failed call gives an error instead.
func NewRedis(url string, opts Options) (*Redis, error) {
	conf, err := redis.ParseURL(url)
	if err != nil {
		return nil, apperr.InvalidField("REDIS_URL",
			"REDIS_URL is not the address of a Redis server. Write redis://:password@host:6379/0, rediss://… for TLS, or unix:///path?db=0.")
	}
	logging.Disable()
	conf.MaxRetries = -1 // none: the caller knows whether to try again
	conf.DialerRetries = 1
	conf.DialTimeout = callTimeout
	conf.ReadTimeout = callTimeout
	conf.WriteTimeout = callTimeout
	conf.PoolTimeout = callTimeout
	conf.ContextTimeoutEnabled = true
	conf.DisableIdentity = true
	conf.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}

	client := redis.NewClient(conf)
	r := &Redis{client: client, opts: opts.withDefaults(time.Hour), hub: newHub(client)}
	r.close = sync.OnceValue(func() error { return errors.Join(r.hub.close(), client.Close()) })
	return r, nil
}

// Ping implements [Backend].
func (r *Redis) Ping(ctx context.Context) error { return wrapRedis(r.client.Ping(ctx).Err()) }

// Close implements [Backend].
func (r *Redis) Close() error { return r.close() }

// run runs a script that gives one integer.
func (r *Redis) run(ctx context.Context, script *redis.Script, keys []string, args ...any) (int64, error) {
	n, err := script.Run(ctx, r.client, keys, args...).Int64()
	return n, wrapRedis(err)
}

// channel names a publish/subscribe channel. Channels are common to all databases of a server, so it names ours.
func (r *Redis) channel(kind, name string) string {
	return fmt.Sprintf("%s%d:%s:%s", keyPrefix, r.client.Options().DB, kind, name)
}

func wrapRedis(err error) error {
	if err == nil {
		return nil
	}
	return errUnavailable(err)
}
