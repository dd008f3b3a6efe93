package events

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Publish implements [Bus].
func (r *Redis) Publish(ctx context.Context, topic string, payload []byte) error {
	return wrapRedis(r.client.Publish(ctx, r.channel("topic", topic), payload).Err())
}

// Subscribe implements [Bus].
func (r *Redis) Subscribe(ctx context.Context, topic string) (*Subscription, error) {
	return r.hub.subscribe(ctx, r.channel("topic", topic), r.opts.Buffer)
}

// hub shares one connection between all subscriptions of the process. The client library keeps it alive and
// subscribes again after it broke. Only the goroutine of tell sends on it, so that nobody else waits for the network
// and the server learns of changes in their order.
type hub struct {
	topics *topics
	pubsub *redis.PubSub
	start  func()
	ctx    context.Context
	stop   context.CancelFunc
	tasks  sync.WaitGroup

	mu      sync.Mutex
	changed map[string]struct{} // channels whose first listener came or whose last one left
	wake    chan struct{}       // something is in changed
	joined  map[string]*joined
}

// joined is a channel to which the server has subscribed us or soon will.
type joined struct {
	told      bool
	confirmed chan struct{} // closed once messages will come
}

func newHub(client *redis.Client) *hub {
	ctx, stop := context.WithCancel(context.Background())
	h := &hub{
		topics: newTopics(), pubsub: client.Subscribe(ctx), ctx: ctx, stop: stop,
		changed: map[string]struct{}{}, wake: make(chan struct{}, 1), joined: map[string]*joined{},
	}
	h.start = sync.OnceFunc(func() {
		h.tasks.Go(h.tell)
		h.tasks.Go(h.receive)
	})
	return h
}

// subscribe returns once the server has confirmed that messages will come.
func (h *hub) subscribe(ctx context.Context, channel string, buffer int) (*Subscription, error) {
	sub := h.topics.add(channel, buffer)
	if sub == nil {
		return nil, errUnavailable(errClosed)
	}
	h.start()
	sub.closeWith(ctx, func() {
		if h.topics.remove(channel, sub) {
			h.change(channel)
		}
	})
	if err := await(ctx, h.join(channel)); err != nil {
		sub.Close()
		return nil, errUnavailable(err)
	}
	return sub, nil
}

// join gives the confirmation to wait for.
func (h *hub) join(channel string) <-chan struct{} {
	h.mu.Lock()
	j := h.joined[channel]
	isNew := j == nil
	if isNew {
		j = &joined{confirmed: make(chan struct{})}
		h.joined[channel] = j
	}
	h.mu.Unlock()
	if isNew {
		h.change(channel)
	}
	return j.confirmed
}

func (h *hub) change(channel string) {
	h.mu.Lock()
	h.changed[channel] = struct{}{}
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// tell lets the server know what this process wants to hear.
func (h *hub) tell() {
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-h.wake:
		}
		subscribe, unsubscribe := h.changes()
		// After an error the library tells the server when it has a connection again.
		if len(subscribe) > 0 {
			_ = h.pubsub.Subscribe(h.ctx, subscribe...)
		}
		if len(unsubscribe) > 0 {
			_ = h.pubsub.Unsubscribe(h.ctx, unsubscribe...)
		}
	}
}

// changes brings joined in line with the listeners there are now.
func (h *hub) changes() (subscribe, unsubscribe []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for channel := range h.changed {
		j, wanted := h.joined[channel], h.topics.has(channel)
		switch {
		case j == nil:
		case wanted && !j.told:
			j.told = true
			subscribe = append(subscribe, channel)
		case !wanted:
			delete(h.joined, channel)
			if j.told {
				unsubscribe = append(unsubscribe, channel)
			}
		}
	}
	clear(h.changed)
	return subscribe, unsubscribe
}

func (h *hub) receive() {
	for event := range h.pubsub.ChannelWithSubscriptions() {
		switch e := event.(type) {
		case *redis.Subscription:
			if e.Kind == "subscribe" {
				h.confirm(e.Channel)
			}
		case *redis.Message:
			h.topics.deliver(e.Channel, []byte(e.Payload))
		}
	}
}

func (h *hub) confirm(channel string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	j := h.joined[channel]
	if j == nil {
		return
	}
	select {
	case <-j.confirmed: // it came again after the connection broke
	default:
		close(j.confirmed)
	}
}

func (h *hub) close() error {
	h.topics.closeAll()
	h.stop()
	err := h.pubsub.Close()
	h.tasks.Wait()
	return err
}

func await(ctx context.Context, confirmed <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	select {
	case <-confirmed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
