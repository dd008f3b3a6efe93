package store

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"gorm.io/gorm"

	"countersign/apperr"
)

// The bounds of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// Page asks for a part of a list. Sort is the name of a sort key, with "-" before it for descending;
// empty means most recently updated first. Cursor is what the last page gave as its next.
type Page struct {
	Limit  int
	Cursor string
	Sort   string
}

// List is a page of a list: Total counts all matching rows, Next is empty on the last page.
type List[T any] struct {
	Items []T
	Next  string
	Total int64
}

// sortKey is a column, or an expression that is never NULL, by which a list can be ordered.
type sortKey struct {
	expr string
	kind sortKind
}

// sortKind is the type of a sort key's values.
type sortKind uint8

const (
	sortText sortKind = iota
	sortTime
	sortInt
)

// keyset is the order of one list and where a page starts in it: by the key, then by id.
type keyset struct {
	key        sortKey
	name       string
	descending bool
	id         string
	after      *cursor
	limit      int
}

type cursor struct {
	Sort  string `json:"s"`
	Value any    `json:"v"`
	ID    string `json:"i"`
}

// keysetOf checks a Page against the sort keys that a list knows. idColumn is the qualified id column.
func keysetOf(p Page, keys map[string]sortKey, idColumn string) (*keyset, error) {
	sort := p.Sort
	if sort == "" {
		sort = "-updatedAt"
	}
	name := strings.TrimPrefix(sort, "-")
	key, ok := keys[name]
	if !ok {
		return nil, apperr.InvalidField("sort", "This list cannot be sorted by \""+name+"\".")
	}
	k := &keyset{key: key, name: sort, descending: strings.HasPrefix(sort, "-"), id: idColumn, limit: limitOf(p.Limit)}
	if p.Cursor == "" {
		return k, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err == nil {
		err = json.Unmarshal(raw, &k.after)
	}
	if err != nil || k.after == nil || k.after.Sort != sort || !storable(k.after.ID) || !k.parseValue() {
		return nil, apperr.InvalidField("cursor", "This cursor does not belong to this list. Start again without a cursor.")
	}
	return k, nil
}

func limitOf(limit int) int {
	if limit <= 0 {
		return DefaultLimit
	}
	return min(limit, MaxLimit)
}

// parseValue gives the cursor's value the type of the sort key; false when it has another one.
func (k *keyset) parseValue() bool {
	text, isText := k.after.Value.(string)
	number, isNumber := k.after.Value.(float64)
	switch k.key.kind {
	case sortTime:
		t, err := time.Parse(time.RFC3339Nano, text)
		k.after.Value = t.UTC()
		return isText && err == nil
	case sortInt:
		k.after.Value = int64(number)
		return isNumber && number == float64(int64(number))
	default:
		return isText && storable(text)
	}
}

// storable reports whether every database takes a text; JSON has made it valid UTF-8 already.
func storable(s string) bool { return !strings.ContainsRune(s, 0) }

// apply orders a query, starts it after the cursor and asks for one row more than the page holds.
func (k *keyset) apply(q *gorm.DB) *gorm.DB {
	direction, compare := " ASC", " > "
	if k.descending {
		direction, compare = " DESC", " < "
	}
	if k.after != nil {
		q = q.Where("("+k.key.expr+", "+k.id+")"+compare+"(?, ?)", k.after.Value, k.after.ID)
	}
	return q.Order(k.key.expr + direction + ", " + k.id + direction).Limit(k.limit + 1)
}

// page counts all rows of a list and fetches those of one page. all selects the rows that count, views the
// same ones with what is shown of them. at gives a row's sort value and id.
func page[T any](k *keyset, all, views *gorm.DB, at func(T) (value any, id string)) (List[T], error) {
	total, err := count(all)
	if err != nil {
		return List[T]{}, err
	}
	var rows []T
	if err := k.apply(views).Find(&rows).Error; err != nil {
		return List[T]{}, translate(err)
	}
	return listOf(k, rows, total, at), nil
}

// listOf cuts the extra row off and makes the next cursor. at gives a row's sort value and id.
func listOf[T any](k *keyset, rows []T, total int64, at func(T) (value any, id string)) List[T] {
	if len(rows) <= k.limit {
		return List[T]{Items: rows, Total: total}
	}
	rows = rows[:k.limit]
	value, id := at(rows[len(rows)-1])
	if t, ok := value.(time.Time); ok {
		value = t.UTC().Format(time.RFC3339Nano)
	}
	raw, err := json.Marshal(cursor{Sort: k.name, Value: value, ID: id})
	if err != nil {
		panic(err)
	}
	return List[T]{Items: rows, Next: base64.RawURLEncoding.EncodeToString(raw), Total: total}
}

// firstOf is the first row of a query, or nil when there is none.
func firstOf[T any](q *gorm.DB) (*T, error) {
	var rows []T
	if err := q.Limit(1).Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, translate(err)
	}
	return &rows[0], nil
}
