package events_test

import (
	"fmt"
	"testing"
	"time"

	"countersign/events"
	"countersign/internal/redistest"
)

func backends(b *testing.B) map[string]events.Backend {
	b.Helper()
	return map[string]events.Backend{
		"memory": events.NewMemory(events.Options{}),
		"redis":  dial(b, redistest.Start(b), events.Options{}),
	}
}

func BenchmarkAllow(b *testing.B) {
	for name, backend := range backends(b) {
		b.Run(name, func(b *testing.B) { benchAllow(b, backend) })
		if name == "redis" {
			fallback := events.NewFallback(backend, events.FallbackOptions{})
			b.Run("fallback", func(b *testing.B) { benchAllow(b, fallback) })
			_ = fallback.Close()
		}
	}
}

func benchAllow(b *testing.B, limiter events.Limiter) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := limiter.Allow(b.Context(), fmt.Sprint(i%100), 10, time.Minute); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	frame := events.Frame{Type: "token", Data: []byte(`{"type":"token","delta":" word"}`)}
	for name, backend := range backends(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := backend.Append(b.Context(), fmt.Sprint(i/1000), frame); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppendFollow is the way of one token from a turn to a reader that waits for it.
func BenchmarkAppendFollow(b *testing.B) {
	frame := events.Frame{Type: "token", Data: []byte(`{"type":"token","delta":" word"}`)}
	for name, backend := range backends(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			const perTurn = 1000
			for i := 0; b.Loop(); i += perTurn {
				turn := fmt.Sprint(name, b.N, "-", i)
				if _, err := backend.Append(b.Context(), turn, frame); err != nil {
					b.Fatal(err)
				}
				for f, err := range backend.Follow(b.Context(), turn, 0) {
					if err != nil {
						b.Fatal(err)
					}
					if f.Seq == perTurn {
						break
					}
					if _, err := backend.Append(b.Context(), turn, frame); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/perTurn, "µs/frame")
		})
	}
}
