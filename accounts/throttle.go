package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/netip"
	"time"
)

// Throttle asks for one of limit places in any window of a key. retryAfter is 0 when there was one, and otherwise how
// long to wait for the next. giveBack returns a place that in the end does not count.
type Throttle func(ctx context.Context, key string, limit int, window time.Duration) (
	retryAfter time.Duration, giveBack func(context.Context) error, err error)

const (
	throttleWindow = 15 * time.Minute
	// Failed logins count per account and address together, so that a stranger cannot lock somebody out from elsewhere.
	failuresPerAccount = 10
	// They count per address, too, against trying one password on many accounts.
	failuresPerAddress = 50
	setupFailures      = 10
)

// rule is a key with the number of failures that it may have in a window.
type rule struct {
	key   string
	limit int
}

// loginRules hash the account: keys reach shared stores, and an e-mail address is personal data.
func loginRules(email, ip string) []rule {
	sum := sha256.Sum256([]byte(email))
	address := network(ip)
	return []rule{
		{"login|" + hex.EncodeToString(sum[:]) + "|" + address, failuresPerAccount},
		{"login|" + address, failuresPerAddress},
	}
}

func setupRules(ip string) []rule { return []rule{{"setup|" + network(ip), setupFailures}} }

// network is what an address counts as: an IPv6 customer commands a whole /64.
func network(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return ip
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	return netip.PrefixFrom(addr, 64).Masked().String()
}

// attempt takes a place for a try under every rule before it is known whether the try fails, so that parallel tries
// cannot exceed a limit. forgive gives the places back. The error is RateLimited, with the wait that satisfies
// every rule, when one has no place; then none is used.
func (s *Service) attempt(ctx context.Context, rules []rule) (forgive func(), err error) {
	var taken []func(context.Context) error
	forgive = func() {
		ctx, cancel := aside(ctx)
		defer cancel()
		for _, giveBack := range taken {
			if err := giveBack(ctx); err != nil {
				slog.WarnContext(ctx, "a successful try was counted as a failed one", "error", err)
			}
		}
	}
	var wait time.Duration
	for _, r := range rules {
		retryAfter, giveBack, err := s.throttle(ctx, r.key, r.limit, throttleWindow)
		if err != nil {
			forgive()
			return nil, err
		}
		if wait = max(wait, retryAfter); retryAfter == 0 {
			taken = append(taken, giveBack)
		}
	}
	if wait > 0 {
		forgive()
		return nil, errThrottled(wait)
	}
	return forgive, nil
}

// aside is a context for what must be done also when the client is gone.
func aside(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
}
