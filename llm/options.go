package llm

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options configure a Model at one endpoint, in any dialect. BaseURL, Model and Client are required.
type Options struct {
	// BaseURL is the endpoint as the dialect's normalisation gives it; its query goes with every request.
	BaseURL string
	// Key is the API key; empty for servers without one.
	Key   string
	Model string
	// Client is made by NewHTTPClient.
	Client *http.Client
	// Learned is how this endpoint wants its requests.
	Learned Adaptation
	// Limits are DefaultLimits when zero.
	Limits Limits
	// Now and NewID are the clock and the source of call ids; nil for the real ones.
	Now   func() time.Time
	NewID func() string
}

// WithDefaults fills in what may be left out.
func (o Options) WithDefaults() Options {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	return o
}

// newID makes nine letters and digits, which is the one form that every provider accepts.
func newID() string { return rand.Text()[:9] }

// Base splits BaseURL into the address, to which paths are appended, and its query.
func (o Options) Base() (address string, query url.Values) {
	address, encoded, _ := strings.Cut(o.BaseURL, "?")
	query, _ = url.ParseQuery(encoded)
	return address, query
}
