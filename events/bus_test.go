package events_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/events"
)

func subscribe(t *testing.T, b events.Bus, topic string) *events.Subscription {
	t.Helper()
	sub, err := b.Subscribe(t.Context(), topic)
	require.NoError(t, err)
	t.Cleanup(sub.Close)
	return sub
}

func publish(t *testing.T, b events.Bus, topic, payload string) {
	t.Helper()
	require.NoError(t, b.Publish(t.Context(), topic, []byte(payload)))
}

func TestEverySubscriberOfATopicGetsEachMessage(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		var subs []*events.Subscription
		for i := range 6 {
			subs = append(subs, subscribe(t, []events.Backend{s.one, s.two}[i%2], "stop"))
		}
		other := subscribe(t, s.two, "other")
		for i := range 10 {
			publish(t, s.one, "stop", fmt.Sprint(i))
		}
		publish(t, s.one, "other", "o")
		for _, sub := range subs {
			for i, payload := range receive(t, sub.Messages(), 10) {
				require.Equal(t, fmt.Sprint(i), string(payload))
			}
		}
		require.Equal(t, "o", string(receive(t, other.Messages(), 1)[0]), "a topic hears only its own")
	})
}

func TestASlowSubscriberHoldsUpNobody(t *testing.T) {
	t.Parallel()
	each(t, events.Options{Buffer: 4}, func(t *testing.T, s system) {
		slow, quick := subscribe(t, s.one, "topic"), subscribe(t, s.one, "topic")
		for i := range 20 {
			publish(t, s.two, "topic", fmt.Sprint(i))
			require.Equal(t, fmt.Sprint(i), string(receive(t, quick.Messages(), 1)[0]))
		}
		for i, payload := range receive(t, slow.Messages(), 4) {
			require.Equal(t, fmt.Sprint(i), string(payload))
		}
		require.Empty(t, slow.Messages(), "what found no room is gone")
		publish(t, s.two, "topic", "again")
		require.Equal(t, "again", string(receive(t, slow.Messages(), 1)[0]))
	})
}

func TestASubscriptionEndsWithItsContextOrByClose(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		ctx, cancel := context.WithCancel(t.Context())
		byContext, err := s.one.Subscribe(ctx, "topic")
		require.NoError(t, err)
		byClose, staying := subscribe(t, s.one, "topic"), subscribe(t, s.one, "topic")
		cancel()
		byClose.Close()
		byClose.Close()
		for _, sub := range []*events.Subscription{byContext, byClose} {
			_, open := <-sub.Messages()
			require.False(t, open)
			sub.Close()
		}
		publish(t, s.two, "topic", "still here")
		receive(t, staying.Messages(), 1)
	})
}

func TestATopicCanBeLeftAndJoinedAgain(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		publish(t, s.one, "topic", "nobody hears this")
		for i := range 5 {
			sub := subscribe(t, s.one, "topic")
			publish(t, s.two, "topic", fmt.Sprint(i))
			require.Equal(t, fmt.Sprint(i), string(receive(t, sub.Messages(), 1)[0]))
			sub.Close()
		}
	})
}

func TestPublishKeepsNoHoldOfTheCallersBuffer(t *testing.T) {
	t.Parallel()
	each(t, events.Options{}, func(t *testing.T, s system) {
		sub, buffer := subscribe(t, s.one, "topic"), []byte("before")
		require.NoError(t, s.one.Publish(t.Context(), "topic", buffer))
		copy(buffer, "after!")
		require.Equal(t, "before", string(receive(t, sub.Messages(), 1)[0]))
	})
}
