package anthropic

import (
	"context"
	"iter"
	"net/http"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"countersign/llm"
)

// Options configure a Model. The base URL is what NormalizeEndpoint gives.
type Options = llm.Options

// Model is an llm.Model at one endpoint. It is safe for concurrent use.
type Model struct{ o Options }

// New makes a Model.
func New(o Options) *Model { return &Model{o: o.WithDefaults()} }

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Speak(ctx, m.o, dialect{m.o}, req)
}

// dialect implements llm.Dialect.
type dialect struct{ o Options }

func (d dialect) Answer(req llm.Request) llm.Answer { return newAnswer(req, d.o.NewID) }

func (d dialect) Send(exchange *llm.Exchange, req llm.Request) (*http.Response, error) {
	params, err := encode(d.o, req)
	if err != nil {
		return nil, err
	}
	client := sdk.NewClient(d.options(exchange)...)
	var resp *http.Response
	err = client.Post(exchange.Context(), "v1/messages", params, &resp,
		option.WithJSONSet("stream", true), option.WithResponseInto(&resp))
	if resp == nil {
		return nil, exchange.Failure(err)
	}
	return resp, nil
}

func (d dialect) options(exchange *llm.Exchange) []option.RequestOption {
	base, query := d.o.Base()
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		option.WithBaseURL(base),
		option.WithHTTPClient(exchange),
		option.WithMaxRetries(0),
		option.WithHeader("Accept", "text/event-stream"),
	}
	if d.o.Key != "" {
		options = append(options, option.WithAPIKey(d.o.Key))
	}
	for name := range query {
		options = append(options, option.WithQuery(name, query.Get(name)))
	}
	for _, field := range d.o.Learned.Drop {
		if field != boundField {
			options = append(options, option.WithJSONDel(field))
		}
	}
	return options
}
