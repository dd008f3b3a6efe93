package llm

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// Lister is a Model whose endpoint can tell which models it has.
type Lister interface {
	// Models gives their names as the endpoint writes them, in its order. Errors are those of Model.Stream.
	Models(ctx context.Context) ([]string, error)
}

// listWait bounds the wait for a list of models: somebody looks at a form meanwhile, and can type the name.
const listWait = 4500 * time.Millisecond

// listBytes bounds a list. Those of the large gateways have several hundred kilobytes.
const listBytes = 4 << 20

// FetchModels asks for a dialect's list of models, at a path below o's base address. The list is an object with the
// models in "data", or the bare array of them. header is what the dialect sends, such as the key.
func FetchModels(ctx context.Context, o Options, path string, header http.Header) ([]string, error) {
	req, err := o.get(ctx, path, header)
	if err != nil {
		return nil, err
	}
	limits := DefaultLimits()
	limits.Total, limits.Body = listWait, listBytes
	exchange := NewExchange(ctx, o.Client, limits)
	defer exchange.Close()
	resp, err := exchange.Do(req.WithContext(exchange.Context()))
	if err != nil {
		return nil, exchange.Failure(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, exchange.Failure(err)
	case resp.StatusCode >= http.StatusBadRequest:
		return nil, Classify(Response{Status: resp.StatusCode, Header: resp.Header, Body: body, Now: time.Now(), Key: o.Key})
	case resp.StatusCode >= http.StatusMultipleChoices:
		return nil, Fail(InvalidRequest, CodeRedirected)
	}
	return modelNames(body)
}

// get makes a request for a path, with the query of the base address.
func (o Options) get(ctx context.Context, path string, header http.Header) (*http.Request, error) {
	address, query := o.Base()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(address, "/")+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.URL.RawQuery = query.Encode()
	req.Header = header.Clone()
	req.Header.Set("Accept", "application/json")
	return req, nil
}

func modelNames(body []byte) ([]string, error) {
	type entry struct {
		ID string `json:"id"`
	}
	var list []entry
	var page struct {
		Data []entry `json:"data"`
	}
	if json.Unmarshal(body, &list) != nil {
		if json.Unmarshal(body, &page) != nil || page.Data == nil {
			return nil, Fail(InvalidRequest, CodeNoModelList)
		}
		list = page.Data
	}
	names := make([]string, 0, len(list))
	for _, m := range list {
		if m.ID != "" {
			names = append(names, m.ID)
		}
	}
	return names, nil
}
