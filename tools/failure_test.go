package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/i18n"
	"countersign/models"
	"countersign/tools"
)

// SEC-6: whatever breaks below, every tool says the same plain sentence: no SQL, no table, no address.
func TestSEC6ErrorsTellNothingOfWhatBroke(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, table := range []string{"record_names", "field_changes", "activities", "tasks"} {
			d.exec(t, "ALTER TABLE "+table+" RENAME TO canary_"+table)
		}
		args := creations(d)
		for name, call := range map[string]string{
			"search_records": `{"query":"Acme"}`, "get_company": `{"company":"Acme"}`, "get_deal": `{"deal":"Acme"}`, "get_contact": `{"contact":"Amy"}`,
			"list_activities": `{}`, "list_tasks": `{}`, "update_deal": `{"deal":"Acme renewal","amount":"1","currency":"HKD"}`,
			"update_company": `{"company":"Acme","industry":"x"}`, "delete_record": `{"type":"deal","record":"Acme"}`,
			"create_company": args["create_company"], "create_task": args["create_task"], "log_activity": args["log_activity"],
		} {
			for _, o := range []tools.Outcome{d.call(t, d.Sales1, name, call), d.callOutside(t, d.Sales1, name, call)} {
				require.Equal(t, models.CallFailed, o.Status, "%s: %s", name, o.Summary)
				require.Equal(t, i18n.T("en", "error.internal"), o.Text, name)
				require.Equal(t, o.Text, o.Error.Message)
				require.Empty(t, o.Result)
			}
		}
	})
}
