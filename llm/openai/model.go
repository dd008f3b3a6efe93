package openai

import (
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"countersign/llm"
)

// New makes a Model. The base URL is what llm.NormalizeEndpoint gives.
func New(o llm.Options) llm.Model {
	o = o.WithDefaults()
	return llm.NewModel(o, dialect{o})
}

// dialect implements llm.Dialect.
type dialect struct{ o llm.Options }

func (d dialect) Answer(req llm.Request) llm.Answer { return newAnswer(req, d.o.NewID) }

func (d dialect) Send(exchange *llm.Exchange, req llm.Request) (*http.Response, error) {
	params, err := encode(d.o, req)
	if err != nil {
		return nil, err
	}
	client := sdk.Client{Options: d.options(exchange)}
	var resp *http.Response
	err = client.Post(exchange.Context(), "chat/completions", params, &resp,
		option.WithJSONSet("stream", true), option.WithResponseInto(&resp))
	if resp == nil {
		return nil, exchange.Failure(err)
	}
	return resp, nil
}

func (d dialect) options(exchange *llm.Exchange) []option.RequestOption {
	base, query := d.o.Base()
	options := []option.RequestOption{
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
	return options
}
