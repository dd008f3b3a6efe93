package anthropic

import (
	"context"
	"net/http"

	"countersign/llm"
)

var _ llm.Lister = (*Model)(nil)

// Models implements llm.Lister, with the first page of the list, which is longer than any list is.
func (m *Model) Models(ctx context.Context) ([]string, error) {
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if m.o.Key != "" {
		header.Set("X-Api-Key", m.o.Key)
	}
	o := m.o
	address, query := o.Base()
	query.Set("limit", "1000")
	o.BaseURL = address + "?" + query.Encode()
	return llm.FetchModels(ctx, o, "/v1/models", header)
}
