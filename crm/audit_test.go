package crm_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// attempt is one write of a record.
type attempt struct {
	action rbac.Permission
	do     func(ctx context.Context, actor models.Actor) error
}

// writes are all kinds of writes, each on a record of its own, for an actor who may do everything.
func (w *world) writes(t *testing.T) []attempt {
	ctx := t.Context()
	require.NoError(t, w.deals.Delete(ctx, w.Admin, w.AcmeExpansion.ID, 1))
	require.NoError(t, w.companies.Delete(ctx, w.Admin, w.Harbour.ID, 1))
	log := func(subject string) string {
		return must(w.activities.Create(ctx, w.Admin, crm.ActivityInput{Kind: models.ActivityNote, Subject: subject, DealID: &w.AcmeRenewal.ID}))(t).ID
	}
	changed, removed, binned := log("changed"), log("removed"), log("binned")
	require.NoError(t, w.activities.Delete(ctx, w.Admin, binned, 1))
	return []attempt{
		{rbac.DealCreate, func(ctx context.Context, a models.Actor) error {
			_, err := w.deals.Create(ctx, a, crm.DealInput{Title: "x"})
			return err
		}},
		{rbac.DealCreate, func(ctx context.Context, a models.Actor) error {
			return w.deals.CreateMany(ctx, a, []crm.DealInput{{Title: "x"}})
		}},
		{rbac.DealUpdate, func(ctx context.Context, a models.Actor) error {
			_, err := w.deals.Update(ctx, a, w.AcmeRenewal.ID, 1, crm.DealPatch{StageID: models.Some(w.Won.ID)})
			return err
		}},
		{rbac.DealDelete, func(ctx context.Context, a models.Actor) error { return w.deals.Delete(ctx, a, w.GlobexPilot.ID, 1) }},
		{rbac.DealRestore, func(ctx context.Context, a models.Actor) error {
			_, err := w.deals.Restore(ctx, a, w.AcmeExpansion.ID)
			return err
		}},
		{rbac.CompanyCreate, func(ctx context.Context, a models.Actor) error {
			_, err := w.companies.Create(ctx, a, crm.CompanyInput{Name: "x"})
			return err
		}},
		{rbac.CompanyUpdate, func(ctx context.Context, a models.Actor) error {
			_, err := w.companies.Update(ctx, a, w.Acme.ID, 1, crm.CompanyPatch{Name: models.Some("x")})
			return err
		}},
		{rbac.CompanyDelete, func(ctx context.Context, a models.Actor) error { return w.companies.Delete(ctx, a, w.Globex.ID, 1) }},
		{rbac.CompanyRestore, func(ctx context.Context, a models.Actor) error {
			_, err := w.companies.Restore(ctx, a, w.Harbour.ID)
			return err
		}},
		{rbac.ActivityCreate, func(ctx context.Context, a models.Actor) error {
			_, err := w.activities.Create(ctx, a, crm.ActivityInput{Kind: models.ActivityNote, Subject: "x", DealID: &w.FerryFleet.ID})
			return err
		}},
		{rbac.ActivityUpdate, func(ctx context.Context, a models.Actor) error {
			_, err := w.activities.Update(ctx, a, changed, 1, crm.ActivityPatch{Subject: models.Some("x")})
			return err
		}},
		{rbac.ActivityDelete, func(ctx context.Context, a models.Actor) error { return w.activities.Delete(ctx, a, removed, 1) }},
		{rbac.ActivityRestore, func(ctx context.Context, a models.Actor) error {
			_, err := w.activities.Restore(ctx, a, binned)
			return err
		}},
	}
}

// SEC-71: every write leaves one entry that says who, through what, and which fields; never their values.
func TestEveryWriteIsRecorded(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		actor := w.Admin
		actor.Via, actor.Model, actor.Client, actor.ProposalID = models.ViaAssistant, "openai/x", "Inspector", models.NewID()
		actor.IP, actor.UserAgent, actor.RequestID = "192.0.2.7", "curl", "req-1"
		for _, a := range w.writes(t) {
			e := w.allowed(t, a.action, "", func() error { return a.do(t.Context(), actor) })
			require.Equal(t, []any{&actor.UserID, actor.Name, actor.Via, "openai/x", "Inspector", "192.0.2.7", "curl", "req-1"},
				[]any{e.ActorID, e.ActorName, e.Via, e.Model, e.Client, e.IP, e.UserAgent, e.RequestID})
			require.Equal(t, a.action.Resource(), string(e.TargetType))
			require.NotEmpty(t, e.TargetID)
			var detail map[string]any
			require.NoError(t, e.Detail.Into(&detail))
			require.ElementsMatch(t, []string{"version", "fields", "proposalId"}, keys(detail))
			require.Equal(t, actor.ProposalID, detail["proposalId"])
			require.NotEmpty(t, detail["fields"])
		}
	})
}

func keys(m map[string]any) (all []string) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// SEC-72: what cannot be recorded does not happen, and a refusal that cannot be recorded stays one.
func TestNoWriteWithoutRecord(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		writes := w.writes(t)
		for _, statement := range fullDisk[w.DB.Dialect()] {
			w.exec(t, statement)
		}
		for _, a := range writes {
			w.nothing(t, apperr.Internal, func() error { return a.do(t.Context(), w.Admin) })
		}
		_, err := w.deals.Create(t.Context(), w.Viewer, crm.DealInput{Title: "x"})
		requireKind(t, apperr.Internal, err)
		require.NotContains(t, apperr.As(err).Message, "disk", "the cause is for the log")
		must(w.deals.Get(t.Context(), w.Admin, w.AcmeRenewal.ID))(t)
	})
}

var fullDisk = map[string][]string{
	"sqlite": {"CREATE TRIGGER full_disk BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'disk full'); END"},
	"postgres": {
		"CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'disk full'; END $$",
		"CREATE TRIGGER full_disk BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION full_disk()",
	},
}

// History tells each field before and after, by whom and through what, with the names that the reader may see.
func TestHistory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx, id := t.Context(), w.AcmeRenewal.ID
		actor := w.Manager
		actor.Via, actor.Model, actor.Client, actor.ProposalID = models.ViaMCP, "anthropic/y", "Desk", models.NewID()
		must(w.deals.Update(ctx, actor, id, 1, crm.DealPatch{
			CompanyID: models.Some(w.Globex.ID), ProductID: null[string](), StageID: models.Some(w.Won2.ID), Amount: models.Some(*hkd(50)),
			Title: models.Some("更新"),
		}))(t)
		items := map[string]crm.HistoryItem{}
		for _, item := range must(w.history.Of(ctx, w.Sales1, models.TypeDeal, id))(t) {
			items[item.Field] = item
			require.Equal(t, []any{&w.Manager.UserID, "Mei Manager", models.ViaMCP, "anthropic/y", "Desk", &actor.ProposalID, w.Clock.Now(), int64(2)},
				[]any{item.ActorUserID, item.ActorName, item.Via, item.Model, item.Client, item.ProposalID, item.At, item.RecordVersion})
		}
		require.Len(t, items, 7)
		for field, want := range map[string][4]string{
			"title":      {`"Acme renewal"`, `"更新"`, "", ""},
			"amount":     {`{"amount":"120000.00","currency":"HKD"}`, `{"amount":"0.50","currency":"HKD"}`, "", ""},
			"companyId":  {quoted(w.Acme.ID), quoted(w.Globex.ID), "Acme Trading Limited", ""},
			"productId":  {quoted(w.Crane.ID), "", "Harbour crane", ""},
			"stageId":    {quoted(w.New.ID), quoted(w.Won2.ID), "New", "Won"},
			"pipelineId": {quoted(w.Selling.ID), quoted(w.Renewals.ID), "Selling", "Renewals"},
			"closedAt":   {"", quoted("2026-03-02T09:00:00Z"), "", ""},
		} {
			item := items[field]
			require.Equal(t, want, [4]string{string(item.BeforeValue), string(item.AfterValue), item.BeforeName, item.AfterName}, field)
		}
		given := must(w.deals.Update(ctx, w.Manager, id, 2, crm.DealPatch{OwnerID: models.Some(w.Sales2.UserID)}))(t)
		latest := must(w.history.Of(ctx, w.Admin, models.TypeDeal, given.ID))(t)[0]
		require.Equal(t, []string{"ownerId", "Sam Sales", "Siu Ming 小明"}, []string{latest.Field, latest.BeforeName, latest.AfterName})
		_, err := w.history.Of(ctx, w.Sales1, models.TypeDeal, id)
		requireKind(t, apperr.NotFound, err)
		_, err = w.history.Of(ctx, w.Admin, models.TypePerson, w.Sales1.UserID)
		requireKind(t, apperr.NotFound, err)
		require.NoError(t, w.deals.Delete(ctx, w.Admin, id, 3))
		gone := must(w.history.Of(ctx, w.Admin, models.TypeDeal, id))(t)[0]
		require.Equal(t, []string{"deleted", "false", "true"}, []string{gone.Field, string(gone.BeforeValue), string(gone.AfterValue)})
	})
}

// Without the right to see a kind of record, its names are missing and the rest is there.
func TestHistoryNamesNeedTheirRights(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		must(w.deals.Update(ctx, w.Sales1, w.AcmeRenewal.ID, 1, crm.DealPatch{StageID: models.Some(w.Won.ID), CompanyID: models.Some(w.Ferry.ID)}))(t)
		w.role(t, w.Sales1, map[rbac.Permission]rbac.Scope{rbac.DealRead: rbac.ScopeOwn})
		items := must(w.history.Of(ctx, w.Sales1, models.TypeDeal, w.AcmeRenewal.ID))(t)
		require.Len(t, items, 3)
		for _, item := range items {
			require.Empty(t, item.BeforeName+item.AfterName, item.Field)
		}
	})
}

func quoted(s string) string {
	b, _ := json.Marshal(s) //nolint:errchkjson // a text always encodes
	return string(b)
}

// A history is bounded.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		changes := make([]models.FieldChange, 205)
		for i := range changes {
			changes[i] = models.FieldChange{ID: models.NewID(), RecordType: models.TypeDeal, RecordID: w.AcmeRenewal.ID, Field: "ownerId", At: w.Clock.Now(), AfterValue: models.ToJSON(w.Sales1.UserID)}
		}
		w.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.AddFieldChanges(t.Context(), changes)) })
		items := must(w.history.Of(t.Context(), w.Sales1, models.TypeDeal, w.AcmeRenewal.ID))(t)
		require.Len(t, items, 200)
		require.Equal(t, changes[204].ID, items[0].ID, "the newest first")
		require.Equal(t, "Sam Sales", items[199].AfterName)
	})
}
