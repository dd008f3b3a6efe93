package main

import (
	"cmp"
	"encoding/json"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
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
	// CPUMs is the processor time of this process for each turn.
	CPUMs float64 `json:"cpuMs"`
	RSSMb int     `json:"rssMb"`
}

func endpoint() string { return cmp.Or(os.Getenv("BENCH_ENDPOINT"), "http://127.0.0.1:18080/v1") }

// measure runs turns, one and eight at once, and prints a line for each.
func measure(w io.Writer, peer, version string, turn func() error) error {
	for _, concurrency := range []int{1, 8} {
		if _, _, err := runFor(seconds("BENCH_WARM_UP", 3), concurrency, turn); err != nil {
			return err
		}
		before := cpu()
		times, elapsed, err := runFor(seconds("BENCH_SECONDS", 10), concurrency, turn)
		if err != nil {
			return err
		}
		slices.Sort(times)
		at := func(p float64) float64 {
			return round(float64(times[min(len(times)-1, int(p*float64(len(times))))].Microseconds())/1000, 100)
		}
		err = json.NewEncoder(w).Encode(result{
			Peer: peer, Version: version, Concurrency: concurrency,
			TurnsPerSecond: round(float64(len(times))/elapsed.Seconds(), 10), P50Ms: at(0.5), P99Ms: at(0.99),
			CPUMs: round(float64((cpu()-before).Microseconds())/1000/float64(len(times)), 100), RSSMb: rss(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// runFor gives the time of each turn until duration is over, and the time of all of them together.
func runFor(duration time.Duration, concurrency int, turn func() error) (times []time.Duration, elapsed time.Duration, err error) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	start := time.Now()
	for range concurrency {
		workers.Go(func() {
			for time.Since(start) < duration {
				began := time.Now()
				turnErr := turn()
				mu.Lock()
				times = append(times, time.Since(began))
				if err == nil {
					err = turnErr
				}
				failed := err != nil
				mu.Unlock()
				if failed {
					return
				}
			}
		})
	}
	workers.Wait()
	return times, time.Since(start), err
}

func seconds(variable string, otherwise float64) time.Duration {
	if n, err := strconv.ParseFloat(os.Getenv(variable), 64); err == nil {
		otherwise = n
	}
	return time.Duration(otherwise * float64(time.Second))
}

func round(n, places float64) float64 { return math.Round(n*places) / places }

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // cannot fail for this process
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// rss is the resident memory of this process in megabytes, 0 where the system does not tell.
func rss() int {
	status, _ := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(status))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize() / 1e6
}
