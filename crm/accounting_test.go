package crm_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/models"
	"countersign/store"
)

// services are all services of the package.
func (w *world) services() []any {
	return []any{w.companies, w.contacts, w.deals, w.activities, w.tasks, w.quotations, w.pipelines, w.products, w.history, w.search}
}

// operation is an exported method of a service.
type operation struct {
	name string
	call reflect.Value
}

// operations are all methods but With, which binds and does nothing.
func (w *world) operations() (all []operation) {
	for _, service := range w.services() {
		v := reflect.ValueOf(service)
		for i := range v.NumMethod() {
			if name := v.Type().Method(i).Name; name != "With" {
				all = append(all, operation{v.Type().Elem().Name() + "." + name, v.Method(i)})
			}
		}
	}
	return all
}

// as calls an operation for an actor, with arguments that pass for anybody.
func (o operation) as(ctx context.Context, actor models.Actor) (results []reflect.Value, err error) {
	in := []reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(actor)}
	for i := 2; i < o.call.Type().NumIn(); i++ {
		arg := reflect.New(o.call.Type().In(i)).Elem()
		switch {
		case arg.Type() == reflect.TypeFor[models.RecordType]():
			arg.SetString(string(models.TypeDeal))
		case arg.Kind() == reflect.String:
			arg.SetString("x")
		case arg.Type() == reflect.TypeFor[*store.DealView]():
			arg.Set(reflect.ValueOf(&store.DealView{}))
		case arg.Type() == reflect.TypeFor[*store.QuotationView]():
			arg.Set(reflect.ValueOf(&store.QuotationView{}))
		}
		in = append(in, arg)
	}
	results = o.call.Call(in)
	err, _ = results[len(results)-1].Interface().(error)
	return results[:len(results)-1], err
}

func TestServicesAreAccountedFor(t *testing.T) {
	t.Parallel()
	var have []string
	for _, o := range (&world{}).operations() {
		have = append(have, o.name)
	}
	slices.Sort(have)
	require.Equal(t, declaredOperations(t), have)
}

// declaredOperations are the exported methods of exported types, as the source has them.
func declaredOperations(t *testing.T) (names []string) {
	t.Helper()
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || !fn.Name.IsExported() || fn.Name.Name == "With" {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok && ast.IsExported(star.X.(*ast.Ident).Name) {
				names = append(names, star.X.(*ast.Ident).Name+"."+fn.Name.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Every operation takes an actor and does nothing for nobody, for one who is no user or no longer, for one
// without rights, and for a system actor that was never declared.
func TestEveryOperationNeedsAnActor(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.role(t, w.Sales2, nil)
		before := w.content(t)
		for _, o := range w.operations() {
			require.GreaterOrEqual(t, o.call.Type().NumIn(), 2, o.name)
			require.Equal(t, reflect.TypeFor[context.Context](), o.call.Type().In(0), o.name)
			require.Equal(t, reflect.TypeFor[models.Actor](), o.call.Type().In(1), o.name)
			for who, c := range map[string]struct {
				actor models.Actor
				kind  apperr.Kind
			}{
				"nobody":   {models.Actor{}, apperr.Unauthenticated},
				"unknown":  {models.Actor{UserID: models.NewID(), Name: "Mallory", Via: models.ViaWeb}, apperr.Unauthenticated},
				"disabled": {w.Disabled, apperr.Unauthenticated},
				"no right": {w.Sales2, apperr.Forbidden},
				"system":   {models.System("janitor"), apperr.Forbidden},
			} {
				var results []reflect.Value
				var err error
				entries := w.recorded(t, func() { results, err = o.as(t.Context(), c.actor) })
				if o.name == "Search.Find" && c.kind == apperr.Forbidden {
					require.NoError(t, err, "searching is for everybody, and finds what one may see: nothing")
					require.Zero(t, reflect.Indirect(results[0]).FieldByName("Total").Int())
					continue
				}
				requireKind(t, c.kind, err)
				for _, r := range results {
					require.True(t, r.IsZero(), "%s for %s: %v", o.name, who, r)
				}
				for _, e := range entries {
					require.Equal(t, models.DecisionDenied, e.Decision, "%s for %s", o.name, who)
				}
				if o.name != "Search.Find" {
					require.Len(t, entries, 1, "%s for %s", o.name, who)
				}
			}
		}
		require.Equal(t, before, w.content(t))
	})
}
