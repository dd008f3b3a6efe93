package events

import (
	"context"
	"sync"
)

// Subscription is one listener of a topic.
type Subscription struct {
	messages chan []byte
	close    func()
}

// Messages gives what is published, in order. It is closed when the subscription ends.
// Subscribers share a payload and must not change it.
func (s *Subscription) Messages() <-chan []byte { return s.messages }

// Close ends the subscription. A second call does nothing.
func (s *Subscription) Close() { s.close() }

// topics holds the subscriptions of this process.
type topics struct {
	mu     sync.Mutex
	subs   map[string]map[*Subscription]struct{}
	closed bool
}

func newTopics() *topics {
	return &topics{subs: map[string]map[*Subscription]struct{}{}}
}

// add registers a listener. Once closed it gives nil.
func (t *topics) add(topic string, buffer int) *Subscription {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil
	}
	if t.subs[topic] == nil {
		t.subs[topic] = map[*Subscription]struct{}{}
	}
	sub := &Subscription{messages: make(chan []byte, buffer)}
	t.subs[topic][sub] = struct{}{}
	return sub
}

// has reports whether anybody listens.
func (t *topics) has(topic string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.subs[topic]) > 0
}

// remove ends a listener and reports whether it was the last of its topic.
func (t *topics) remove(topic string, sub *Subscription) (last bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.subs[topic][sub]; !ok {
		return false
	}
	delete(t.subs[topic], sub)
	close(sub.messages)
	if len(t.subs[topic]) > 0 {
		return false
	}
	delete(t.subs, topic)
	return true
}

// deliver hands the payload to every listener that has room for it: one that is slow misses it and blocks nobody.
func (t *topics) deliver(topic string, payload []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for sub := range t.subs[topic] {
		select {
		case sub.messages <- payload:
		default:
		}
	}
}

func (t *topics) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, subs := range t.subs {
		for sub := range subs {
			close(sub.messages)
		}
	}
	clear(t.subs)
}

// closeWith has the subscription run end once, when it is closed or ctx ends.
func (s *Subscription) closeWith(ctx context.Context, end func()) {
	once := sync.OnceFunc(end)
	stop := context.AfterFunc(ctx, once)
	s.close = func() {
		stop()
		once()
	}
}
