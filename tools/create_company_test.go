package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

func TestCreateCompany(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		o := d.call(t, d.Sales1, "create_company", `{"name":"  Victoria   Peak Tea ","other_names":["太平山茶莊"],"industry":"retail","status":"ACTIVE",
			"website":"peak.example","phone":"+85223456789","address":"1 Peak Road","notes":"met at the fair","parent":"艾克美"}`)
		require.Equal(t, models.CallOK, o.Status, o.Summary)
		require.Equal(t, `Added the company "Victoria Peak Tea".`, o.Text)
		require.Equal(t, tools.Continue, o.After)
		id := decoded[company](t, o).ID
		require.Equal(t, []models.Ref{{Type: models.TypeCompany, ID: id, Name: "Victoria Peak Tea"}}, o.Refs)

		c, err := d.companies.Get(t.Context(), d.Sales1, id)
		require.NoError(t, err)
		require.Equal(t, models.Company{
			Record: c.Record, Name: "Victoria Peak Tea", OtherNames: models.Strings{"太平山茶莊"}, Industry: "retail", Status: models.CompanyActive,
			Website: "peak.example", Phone: "+85223456789", Address: "1 Peak Road", Notes: "met at the fair",
			OwnerID: &d.Sales1.UserID, ParentID: &d.Acme.ID, Tags: models.Strings{},
		}, c.Company)
		require.Equal(t, int64(1), c.Version)
		require.NotZero(t, d.count(t, "SELECT COUNT(*) FROM field_changes WHERE record_id = $1", id))
		require.NotContains(t, string(d.last(t, "tool:create_company").Detail), "23456789", "the record keeps no phone number")

		command := d.say(t, chinese(d.Sales1), `/create_company 中環貿易 other_names="Central Trading, CT"`)
		require.Equal(t, "已新增公司「中環貿易」。", command.Text)
		found, _ := done[company](t, d, d.Sales1, `/company "central trading"`)
		require.Equal(t, []string{"Central Trading", "CT"}, found.OtherNames)
	})
}

func TestCreateCompanyAsksAboutALikelyDuplicate(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		for _, command := range []string{
			`/create_company "acme  trading LIMITED"`,
			`/create_company 艾克美貿易有限公司`,
			`/create_company "Something else" other_names=艾克美貿易有限公司`,
		} {
			e := fails(t, d.say(t, d.Sales1, command), "conflict")
			require.Contains(t, e.Message, `"Acme Trading Limited" exists already`)
			require.Contains(t, e.Message, "allow_duplicate=true")
			require.Len(t, e.Candidates, 1)
			require.Equal(t, d.Acme.ID, e.Candidates[0].ID)
		}
		require.Equal(t, before, d.writes(t))
		e := fails(t, d.say(t, chinese(d.Sales1), `/create_company "Acme Trading Limited"`), "conflict")
		require.Contains(t, e.Message, "已有名為「Acme Trading Limited」的公司")

		require.Equal(t, models.CallOK, d.say(t, d.Sales1, `/create_company "Acme Trading Limited" allow_duplicate=TRUE`).Status)
		require.Len(t, fails(t, d.say(t, d.Sales1, `/create_company "Acme Trading Limited"`), "conflict").Candidates, 2)

		require.Equal(t, models.CallOK, d.say(t, d.Sales1, `/create_company "Globex Corporation"`).Status,
			"a company that one does not see is no duplicate and is not told of")
		require.Equal(t, models.CallOK, d.say(t, d.Sales1, `/create_company Acme`).Status, "a part of a name is no duplicate")
	})
}

func TestCreateCompanyRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		e := fails(t, d.say(t, d.Viewer, `/create_company New`), "forbidden")
		require.Equal(t, `You need the right "company:create" for this. Ask an administrator.`, e.Message)
		require.False(t, e.Retry)
		require.Contains(t, fails(t, d.say(t, chinese(d.Viewer), `/create_company New`), "forbidden").Message, "權限")
		for _, args := range []string{
			`{}`, `{"name":""}`, `{"name":" "}`, `{"name":5}`, `{"name":"A","status":"BIG"}`, `{"name":"A","owner":"me"}`,
			`{"name":"A","phone":"••••••67"}`, `{"name":"A","other_names":"B"}`, `{"name":"A","allow_duplicate":"yes"}`,
		} {
			fails(t, d.call(t, d.Sales1, "create_company", args), "invalid")
		}
		d.unseen(t, d.Sales1, `/create_company Mine parent=%s`, d.Harbour.ID)
		require.Equal(t, before, d.writes(t))
	})
}
