package tools

import (
	"countersign/models"
)

// maxResultBytes bounds what one call gives back as JSON.
const maxResultBytes = 20_000

// The bounds of a list in a result.
const (
	defaultRows = 20
	maxRows     = 50
)

// compact encodes a result. A list that is too long loses its last rows and says so; anything else that is
// too long is replaced by the advice to narrow the question, which is rare: tools bound what they give.
func compact(data any) models.JSON {
	if data == nil {
		return nil
	}
	if list, ok := data.(interface{ within(size int) any }); ok {
		data = list.within(maxResultBytes)
	}
	encoded := models.ToJSON(data)
	if len(encoded) > maxResultBytes {
		return models.ToJSON(map[string]any{"cut": true, "bytes": len(encoded), "advice": "Narrow the question: ask for fewer rows or add a filter."})
	}
	return encoded
}

// rowLimit is the number of rows that a tool shows for its limit argument.
func rowLimit(limit int) int {
	if limit <= 0 {
		return defaultRows
	}
	return min(limit, maxRows)
}

// rows is a list in a result: Shown of Total.
type rows[T any] struct {
	Shown int   `json:"shown"`
	Total int64 `json:"total"`
	Items []T   `json:"items"`
}

// frameBytes is more than what a list takes beside its items.
const frameBytes = 100

// within is the list with as many of its first rows as fit into a size in bytes.
func (r rows[T]) within(size int) any {
	used := frameBytes
	for i := range r.Items {
		if used += len(models.ToJSON(r.Items[i])) + 1; used > size {
			return rowsOf(r.Items[:i], r.Total)
		}
	}
	return r
}

func rowsOf[T any](items []T, total int64) rows[T] {
	return rows[T]{Shown: len(items), Total: total, Items: items}
}
