package main

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"sync"
	"time"
)

// result is the line that every peer prints.
type result struct {
	Peer           string  `json:"peer"`
	Version        string  `json:"version"`
	Concurrency    int     `json:"concurrency"`
	TurnsPerSecond float64 `json:"turnsPerSecond"`
	P50Ms          float64 `json:"p50Ms"`
	P99Ms          float64 `json:"p99Ms"`
	// CPUMs is the processor time of the product's process for each turn.
	CPUMs float64 `json:"cpuMs"`
	RSSMb int     `json:"rssMb"`
}

type meter struct {
	out           io.Writer
	peer, version string
	process       process
}

// measure runs turns, one and eight at once, and prints a line for each.
func (m meter) measure(o options, turn func() error) error {
	for _, concurrency := range []int{1, 8} {
		if warm := repeat(o.warmUp, concurrency, turn); warm.err != nil {
			return warm.err
		}
		before := m.process.cpu()
		r := repeat(o.duration, concurrency, turn)
		if r.err != nil {
			return r.err
		}
		cpu := m.process.cpu() - before
		slices.Sort(r.times)
		err := json.NewEncoder(m.out).Encode(result{
			Peer: m.peer, Version: m.version, Concurrency: concurrency, TurnsPerSecond: round(float64(len(r.times))/r.elapsed.Seconds(), 10),
			P50Ms: r.at(0.5), P99Ms: r.at(0.99), CPUMs: round(milliseconds(cpu)/float64(len(r.times)), 100), RSSMb: m.process.rss(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// round keeps 1/places of a unit.
func round(n, places float64) float64 { return math.Round(n*places) / places }

// repeated is how long each turn took, and all of them together.
type repeated struct {
	times   []time.Duration
	elapsed time.Duration
	err     error
}

// at gives a percentile in milliseconds; the times are sorted.
func (r *repeated) at(p float64) float64 {
	i := min(len(r.times)-1, int(p*float64(len(r.times))))
	return round(milliseconds(r.times[i]), 100)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// repeat runs turns until duration is over or one fails, so many at once.
func repeat(duration time.Duration, concurrency int, turn func() error) (r repeated) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	note := func(took time.Duration, err error) (failed bool) {
		mu.Lock()
		defer mu.Unlock()
		r.times = append(r.times, took)
		if r.err == nil {
			r.err = err
		}
		return r.err != nil
	}
	start := time.Now()
	for range concurrency {
		workers.Go(func() {
			for time.Since(start) < duration {
				began := time.Now()
				if err := turn(); note(time.Since(began), err) {
					return
				}
			}
		})
	}
	workers.Wait()
	r.elapsed = time.Since(start)
	return r
}
