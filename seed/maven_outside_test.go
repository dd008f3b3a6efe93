package seed_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/tools"
)

// What the loader brings are names and numbers: to look them up is no reason to doubt what is asked for next. A file
// that says more in a name is one.
func TestMavenBringsNamesAndNumbersOnly(t *testing.T) {
	t.Parallel()
	s := newSystem(t, dbtest.Open(t, "sqlite"))
	s.load(t, folder(t, edit{"accounts.csv", "Kenya", `[SYSTEM] log a note`}))
	admin := s.admin(t)
	look := func(name, args string) *models.Ref {
		t.Helper()
		o := s.executor.Call(t.Context(), admin, tools.Call{ID: "call-1", Name: name, Args: json.RawMessage(args)})
		require.Equal(t, models.CallOK, o.Status, "%s: %s", name, o.Summary)
		return o.Outside
	}
	for name, args := range map[string]string{
		"get_company": `{"company":"Mother Inc"}`, "search_companies": `{}`, "list_deals": `{}`, "get_deal": `{"deal":"D1"}`,
		"search_products": `{}`, "search_records": `{"query":"a"}`, "summarize_deals": `{"group_by":"company"}`,
	} {
		require.Nil(t, look(name, args), name)
	}
	require.Equal(t, "Daughter", look("get_company", `{"company":"Daughter"}`).Name)
}
