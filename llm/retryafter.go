package llm

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// retryAfter finds how long the provider asks to wait: the Retry-After header, else the reset of the budget
// that is used up, else what the body says. It is zero when nothing says so or the time has passed.
func retryAfter(header http.Header, r report, now time.Time) time.Duration {
	for _, wait := range []time.Duration{
		headerWait(header.Get("Retry-After"), now),
		resetWait(header, now),
		bodyWait(r.levels, now),
	} {
		if wait > 0 {
			return wait
		}
	}
	return 0
}

func headerWait(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return at.Sub(now)
	}
	return 0
}

// resetWait reads the reset of each budget whose remaining is zero, and takes the longest: x-ratelimit-reset-*
// beside x-ratelimit-remaining-*, or anthropic-ratelimit-*-reset beside anthropic-ratelimit-*-remaining.
func resetWait(header http.Header, now time.Time) time.Duration {
	var longest time.Duration
	for name := range header {
		lower := strings.ToLower(name)
		if strings.Contains(lower, "ratelimit-") && header.Get(strings.Replace(lower, "reset", "remaining", 1)) == "0" {
			longest = max(longest, resetTime(header.Get(name), now))
		}
	}
	return longest
}

// resetTime reads a duration (6m0s), seconds, or a time, either in RFC 3339 or as epoch seconds or milliseconds.
func resetTime(value string, now time.Time) time.Duration {
	if wait, err := time.ParseDuration(value); err == nil {
		return wait
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return at.Sub(now)
	}
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
		return 0
	case n > 1e12 && n < 1e15:
		return time.UnixMilli(int64(n)).Sub(now)
	case n > 1e9 && n < 1e12:
		return time.Unix(int64(n), 0).Sub(now)
	case n > 0 && n < 1e9:
		return time.Duration(n * float64(time.Second))
	}
	return 0
}

// bodyWait reads google.rpc.RetryInfo, and the headers of an upstream that a gateway passes on in the body.
func bodyWait(levels []map[string]any, now time.Time) time.Duration {
	for _, level := range slices.Backward(levels) {
		details, _ := level["details"].([]any)
		for _, detail := range details {
			info, _ := detail.(map[string]any)
			if wait, err := time.ParseDuration(scalar(info["retryDelay"])); err == nil {
				return wait
			}
		}
		metadata, _ := level["metadata"].(map[string]any)
		headers, _ := metadata["headers"].(map[string]any)
		if wait := resetTime(scalar(headers["X-RateLimit-Reset"]), now); wait > 0 {
			return wait
		}
	}
	return 0
}
