package openai

import (
	"context"
	"crypto/rand"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"countersign/llm"
)

// Options configure a Model. BaseURL, Model and Client are required.
type Options struct {
	// BaseURL is the endpoint as llm.NormalizeEndpoint gives it; its query goes with every request.
	BaseURL string
	// Key is the API key; empty for servers without one.
	Key   string
	Model string
	// Client is made by llm.NewHTTPClient.
	Client *http.Client
	// Limits are llm.DefaultLimits when zero.
	Limits llm.Limits
	// Now and NewID are the clock and the source of call ids; nil for the real ones.
	Now   func() time.Time
	NewID func() string
}

// Model is an llm.Model at one endpoint. It is safe for concurrent use.
type Model struct{ o Options }

// New makes a Model.
func New(o Options) *Model {
	if o.Limits == (llm.Limits{}) {
		o.Limits = llm.DefaultLimits()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = newID
	}
	return &Model{o: o}
}

// newID makes nine letters and digits, which is the one form that every provider accepts.
func newID() string { return rand.Text()[:9] }

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		exchange := llm.NewExchange(ctx, m.o.Client, m.o.Limits)
		defer exchange.Close()
		resp, err := m.post(exchange, req)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		m.read(exchange, resp, newAnswer(req, m.o.NewID), yield)
	}
}

// post sends the request and gives a response of status 200.
func (m *Model) post(exchange *llm.Exchange, req llm.Request) (*http.Response, error) {
	params, err := encode(m.o, req)
	if err != nil {
		return nil, err
	}
	client := sdk.Client{Options: m.options(exchange)}
	var resp *http.Response
	err = client.Post(exchange.Context(), "chat/completions", params, &resp,
		option.WithJSONSet("stream", true), option.WithResponseInto(&resp))
	if resp == nil {
		return nil, exchange.Failure(err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, m.refusal(exchange, resp)
	}
	return resp, nil
}

func (m *Model) options(exchange *llm.Exchange) []option.RequestOption {
	base, query, _ := strings.Cut(m.o.BaseURL, "?")
	options := []option.RequestOption{
		option.WithBaseURL(base),
		option.WithHTTPClient(exchange),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
	}
	if m.o.Key != "" {
		options = append(options, option.WithAPIKey(m.o.Key))
	}
	values, _ := url.ParseQuery(query)
	for name := range values {
		options = append(options, option.WithQuery(name, values.Get(name)))
	}
	return options
}
