package llm

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
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

// FetchModels sends a dialect's request for its list of models. The list is an object with the models in "data",
// or the bare array of them. key is the API key, which is taken out of Error.Detail.
func FetchModels(client *http.Client, req *http.Request, key string) ([]string, error) {
	limits := DefaultLimits()
	limits.Total, limits.Body = listWait, listBytes
	exchange := NewExchange(req.Context(), client, limits)
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
		return nil, Classify(Response{Status: resp.StatusCode, Header: resp.Header, Body: body, Now: time.Now(), Key: key})
	case resp.StatusCode >= http.StatusMultipleChoices:
		return nil, Fail(InvalidRequest, CodeRedirected)
	}
	return modelNames(body)
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
