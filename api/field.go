package api

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"countersign/models"
)

// Settable is a field of a partial update that cannot be cleared: left out it stays, null is refused.
type Settable[T any] struct{ models.Optional[T] }

// Schema implements huma.SchemaProvider.
func (Settable[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Resolve implements huma.ResolverWithPath: it refuses null, which huma lets pass for fields that may be left out.
func (f *Settable[T]) Resolve(_ huma.Context, path *huma.PathBuffer) []error {
	if f.Set && f.Value == nil {
		name := strings.TrimPrefix(path.String(), "body.")
		return []error{&huma.ErrorDetail{Location: name, Message: fmt.Sprintf("%q cannot be empty. Give a value, or leave it out to keep what is there.", name)}}
	}
	return nil
}

// Clearable is a field of a partial update: left out it stays, null clears it.
type Clearable[T any] struct{ models.Optional[T] }

// Schema implements huma.SchemaProvider.
func (Clearable[T]) Schema(r huma.Registry) *huma.Schema {
	// A copy without a reference, since only a schema itself can be made nullable.
	s := *r.Schema(reflect.TypeFor[T](), false, "")
	s.Nullable = true
	return &s
}

// convert applies f to a value that was set.
func convert[A, B any](o models.Optional[A], f func(A) (B, error)) (models.Optional[B], error) {
	if o.Value == nil {
		return models.Optional[B]{Set: o.Set}, nil
	}
	b, err := f(*o.Value)
	if err != nil {
		return models.Optional[B]{}, err
	}
	return models.Some(b), nil
}

// newSchemas is the registry of the document's schemas. It knows how types of other packages look as JSON where
// Go's reflection does not tell.
func newSchemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", schemaName)
	r.RegisterTypeAlias(reflect.TypeFor[models.JSON](), reflect.TypeFor[any]())
	r.RegisterTypeAlias(scopeType, reflect.TypeFor[string]())
	r.RegisterTypeAlias(reflect.TypeFor[models.Cost](), reflect.TypeFor[Money]())
	return r
}

// schemaName names the schema of a type.
func schemaName(t reflect.Type, hint string) string {
	if name, ok := schemaNames[t]; ok {
		return name
	}
	return huma.DefaultSchemaNamer(t, hint)
}
