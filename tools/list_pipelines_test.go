package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListPipelines(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		type pipeline struct {
			ID, Name string
			Stages   []struct {
				ID, Name, Kind     string
				OtherNames         []string
				ProbabilityPercent int
			}
		}
		found, o := done[struct {
			Shown, Total int
			Items        []pipeline
		}](t, d, d.Viewer, `/list_pipelines`)
		require.Equal(t, []int{2, 2}, []int{found.Shown, found.Total})
		require.Equal(t, []string{d.Selling.ID, d.Renewals.ID}, []string{found.Items[0].ID, found.Items[1].ID}, "in their order")
		due := found.Items[1].Stages[0]
		require.Equal(t, []any{d.Due.ID, "Due", "OPEN", 30, []string{"待續約"}}, []any{due.ID, due.Name, due.Kind, due.ProbabilityPercent, due.OtherNames})
		require.Equal(t, "2 pipelines\n- Selling · New 10% → Proposal 50% → Won 100% → Lost 0%\n- Renewals · Due 30% → Proposal 60% → Won 100% → Lost 0%", o.Text)
		_, o = done[any](t, d, chinese(d.Sales1), `/list_pipelines`)
		require.Equal(t, "2 條銷售管道", o.Summary)

		fails(t, d.call(t, d.Sales1, "list_pipelines", `{"pipeline":"Selling"}`), "invalid")
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/list_pipelines`), "forbidden")
	})
}
