package crm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

func TestCreateDeal(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		var made *store.DealView
		w.allowed(t, rbac.DealCreate, "", func() (err error) {
			made, err = w.deals.Create(t.Context(), w.Sales1, crm.DealInput{
				Title: "  Crane\x00\tfor \u200bPier 9\u202e ", ExternalID: " D-9 ", CompanyID: &w.Acme.ID, ProductID: &w.Crane.ID,
				Amount: hkd(0), ExpectedCloseDate: ptr(models.Date("2028-02-29")),
			})
			return err
		})
		require.Equal(t, "Crane for Pier 9", made.Title)
		require.Equal(t, "D-9", *made.ExternalID)
		require.Equal(t, hkd(0), made.Amount(), "zero is an amount")
		require.Equal(t, w.Sales1.UserID, made.OwnerID)
		require.Equal(t, []string{"Acme Trading Limited", "Harbour crane", "Selling", "New", "Sam Sales"},
			[]string{made.CompanyName, made.ProductName, made.PipelineName, made.StageName, made.OwnerName})
		require.EqualValues(t, 1, made.Version)
		got := must(w.deals.Get(t.Context(), w.Sales1, made.ID))(t)
		require.Equal(t, made, got)
		require.Equal(t, []string{"amount", "companyId", "expectedCloseDate", "externalId", "ownerId", "pipelineId", "productId", "stageId", "title"},
			w.changed(t, models.TypeDeal, made.ID, 1))
	})
}

// Times of a new deal: open deals begin now, closed ones end now, and imported ones say it themselves.
func TestCreateDealTimes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		precise := time.Date(2026, 1, 2, 3, 4, 5, 678_999, time.FixedZone("", 8*3600))
		kept := time.Date(2026, 1, 1, 19, 4, 5, 678_000, time.UTC)
		for name, c := range map[string]struct {
			in             crm.DealInput
			opened, closed *time.Time
			stage          string
		}{
			"first stage":          {in: crm.DealInput{}, opened: &dbtest.Start, stage: w.New.ID},
			"first of a pipeline":  {in: crm.DealInput{PipelineID: w.Renewals.ID}, opened: &dbtest.Start, stage: w.Due.ID},
			"won":                  {in: crm.DealInput{StageID: w.Won2.ID}, closed: &dbtest.Start, stage: w.Won2.ID},
			"lost":                 {in: crm.DealInput{StageID: w.Lost.ID, LostReason: "Price"}, closed: &dbtest.Start, stage: w.Lost.ID},
			"said":                 {in: crm.DealInput{StageID: w.Won.ID, OpenedAt: &precise, ClosedAt: &precise}, opened: &kept, closed: &kept, stage: w.Won.ID},
			"imported and unknown": {in: crm.DealInput{ExternalID: "X-1"}, stage: w.New.ID},
		} {
			c.in.Title = name
			made := must(w.deals.Create(t.Context(), w.Sales1, c.in))(t)
			require.Equal(t, c.opened, made.OpenedAt, name)
			require.Equal(t, c.closed, made.ClosedAt, name)
			require.Equal(t, c.stage, made.StageID, name)
		}
	})
}

func TestCreateDealRefusesWrongValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		long, early, late := strings.Repeat("長", 301), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
		for name, c := range map[string]struct {
			in   crm.DealInput
			path string
		}{
			"no title":                 {crm.DealInput{}, "title"},
			"invisible title":          {crm.DealInput{Title: "\x00\u200b\u200d \ufeff"}, "title"},
			"long title":               {crm.DealInput{Title: long}, "title"},
			"long external id":         {crm.DealInput{Title: "x", ExternalID: long}, "externalId"},
			"unknown currency":         {crm.DealInput{Title: "x", Amount: &models.Money{Minor: 1, Currency: "XXX"}}, "amount"},
			"currency in small":        {crm.DealInput{Title: "x", Amount: &models.Money{Minor: 1, Currency: "hkd"}}, "amount"},
			"no currency":              {crm.DealInput{Title: "x", Amount: &models.Money{Minor: 1}}, "amount"},
			"negative":                 {crm.DealInput{Title: "x", Amount: hkd(-1)}, "amount"},
			"too much":                 {crm.DealInput{Title: "x", Amount: hkd(10_000_000_000_001)}, "amount"},
			"no such day":              {crm.DealInput{Title: "x", ExpectedCloseDate: ptr(models.Date("2026-02-29"))}, "expectedCloseDate"},
			"opened too early":         {crm.DealInput{Title: "x", OpenedAt: &early}, "openedAt"},
			"closed too late":          {crm.DealInput{Title: "x", StageID: w.Won.ID, ClosedAt: &late}, "closedAt"},
			"closed in an open stage":  {crm.DealInput{Title: "x", ClosedAt: &dbtest.Start}, "closedAt"},
			"lost reason of a won one": {crm.DealInput{Title: "x", StageID: w.Won.ID, LostReason: "Price"}, "lostReason"},
			"no such stage":            {crm.DealInput{Title: "x", StageID: models.NewID()}, "stageId"},
			"stage of another":         {crm.DealInput{Title: "x", PipelineID: w.Selling.ID, StageID: w.Due.ID}, "stageId"},
			"no such pipeline":         {crm.DealInput{Title: "x", PipelineID: models.NewID()}, "stageId"},
			"no such company":          {crm.DealInput{Title: "x", CompanyID: ptr(models.NewID())}, "companyId"},
			"empty company":            {crm.DealInput{Title: "x", CompanyID: ptr("")}, "companyId"},
			"somebody else's company":  {crm.DealInput{Title: "x", CompanyID: &w.Globex.ID}, "companyId"},
			"no such product":          {crm.DealInput{Title: "x", ProductID: ptr(models.NewID())}, "productId"},
			"no such owner":            {crm.DealInput{Title: "x", OwnerID: models.NewID()}, "ownerId"},
		} {
			err := w.nothing(t, apperr.Invalid, func() error { _, err := w.deals.Create(t.Context(), w.Sales1, c.in); return err })
			require.Equal(t, c.path, wrongField(t, err), name)
		}
		all := must(w.deals.List(t.Context(), w.Sales1, store.DealFilter{}, store.Page{}))(t)
		require.EqualValues(t, 2, all.Total)
	})
}

// The largest amounts and longest texts that pass come back as they went in.
func TestDealLimits(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		title := strings.Repeat("長", 300)
		for _, amount := range []models.Money{{Minor: 10_000_000_000_000, Currency: "HKD"}, {Minor: 7, Currency: "JPY"}, {Minor: 1, Currency: "KWD"}} {
			made := must(w.deals.Create(t.Context(), w.Sales1, crm.DealInput{Title: title, Amount: &amount}))(t)
			require.Equal(t, amount, *made.Amount())
			require.Equal(t, title, made.Title)
		}
	})
}

// SEC-39: who may give deals to whom, at their making and later.
func TestAssignDeals(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		everybody := []models.Actor{w.Admin, w.Manager, w.Sales1, w.Sales2, w.Sales3, w.Manager2, w.Viewer}
		alpha := []string{w.Manager.UserID, w.Sales1.UserID, w.Sales2.UserID}
		for _, c := range []struct {
			actor models.Actor
			may   []string
		}{
			{w.Admin, ids(everybody, func(a models.Actor) string { return a.UserID })},
			{w.Manager, alpha},
			{w.Sales1, []string{w.Sales1.UserID}},
		} {
			for _, owner := range append(everybody, w.Disabled) {
				made, err := w.deals.Create(t.Context(), c.actor, crm.DealInput{Title: "new", OwnerID: owner.UserID})
				deal := must(w.deals.Create(t.Context(), c.actor, crm.DealInput{Title: "given"}))(t)
				given, err2 := w.deals.Update(t.Context(), c.actor, deal.ID, 1, crm.DealPatch{OwnerID: models.Some(owner.UserID)})
				if !has(c.may, owner.UserID) {
					require.Equal(t, "ownerId", wrongField(t, err), "%s to %s", c.actor.Name, owner.Name)
					require.Equal(t, "ownerId", wrongField(t, err2), "%s to %s", c.actor.Name, owner.Name)
					continue
				}
				require.NoError(t, err)
				require.NoError(t, err2)
				require.Equal(t, []string{owner.UserID, owner.Name}, []string{made.OwnerID, made.OwnerName})
				require.Equal(t, owner.UserID, given.OwnerID)
			}
		}
		missing := w.nothing(t, apperr.Invalid, func() error {
			_, err := w.deals.Create(t.Context(), w.Sales1, crm.DealInput{Title: "x", OwnerID: models.NewID()})
			return err
		})
		other := w.nothing(t, apperr.Invalid, func() error {
			_, err := w.deals.Create(t.Context(), w.Sales1, crm.DealInput{Title: "x", OwnerID: w.Sales3.UserID})
			return err
		})
		require.Equal(t, missing, other, "a colleague out of reach is like one who never was")
	})
}

// Who may assign wider than they read is told of the deal that they gave away from memory.
func TestDealGivenAway(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.role(t, w.Sales1, map[rbac.Permission]rbac.Scope{
			rbac.DealRead: rbac.ScopeOwn, rbac.DealUpdate: rbac.ScopeOwn, rbac.DealCreate: rbac.ScopeOwn, rbac.DealAssign: rbac.ScopeTeam,
			rbac.PipelineRead: rbac.ScopeAll, rbac.ActivityRead: rbac.ScopeOwn,
		})
		given := must(w.deals.Update(t.Context(), w.Sales1, w.AcmeRenewal.ID, 1, crm.DealPatch{
			OwnerID: models.Some(w.Sales2.UserID), StageID: models.Some(w.Won2.ID),
		}))(t)
		require.Equal(t, w.Sales2.UserID, given.OwnerID)
		require.Empty(t, given.OwnerName, "not the name of the owner before")
		require.Equal(t, []string{"Renewals", "Won"}, []string{given.PipelineName, given.StageName})
		require.EqualValues(t, 2, given.Version)
		timeline := must(w.activities.Timeline(t.Context(), w.Admin, models.Ref{Type: models.TypeDeal, ID: given.ID}, store.Page{}))(t)
		require.Equal(t, "New → Won", timeline.Items[0].Subject)
		_, err := w.deals.Get(t.Context(), w.Sales1, given.ID)
		requireKind(t, apperr.NotFound, err)
		made := must(w.deals.Create(t.Context(), w.Sales1, crm.DealInput{Title: "for a colleague", OwnerID: w.Sales2.UserID}))(t)
		require.Equal(t, "New", made.StageName)
	})
}

// Rights that only some values need are asked for when those values come.
func TestDealsNeedTheRightsOfWhatTheyReferTo(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		base := map[rbac.Permission]rbac.Scope{rbac.DealRead: rbac.ScopeOwn, rbac.DealCreate: rbac.ScopeOwn, rbac.DealUpdate: rbac.ScopeOwn}
		w.role(t, w.Sales1, base)
		d := w.AcmeRenewal
		for p, patch := range map[rbac.Permission]crm.DealPatch{
			rbac.DealAssign:   {OwnerID: models.Some(w.Sales2.UserID)},
			rbac.PipelineRead: {StageID: models.Some(w.Won.ID)},
			rbac.CompanyRead:  {CompanyID: models.Some(w.Ferry.ID)},
			rbac.ProductRead:  {ProductID: models.Some(w.Pallet.ID)},
		} {
			w.refused(t, p, d.ID, func() error { _, err := w.deals.Update(t.Context(), w.Sales1, d.ID, 1, patch); return err })
			w.refused(t, p, d.ID, func() error {
				before := must(w.deals.ForUpdate(t.Context(), w.Sales1, d.ID))(t)
				_, err := w.deals.Preview(t.Context(), w.Sales1, before, patch)
				return err
			})
		}
		w.refused(t, rbac.DealAssign, "", func() error { _, err := w.deals.Create(t.Context(), w.Sales1, crm.DealInput{Title: "x"}); return err })
		// What stays as it is needs none of them, even where a form sends all fields back.
		changed := must(w.deals.Update(t.Context(), w.Sales1, d.ID, 1, crm.DealPatch{
			Title: models.Some("renamed"), CompanyID: models.Some(w.Acme.ID), ProductID: models.Some(w.Crane.ID),
			StageID: models.Some(w.New.ID), OwnerID: models.Some(w.Sales1.UserID),
		}))(t)
		require.Equal(t, "renamed", changed.Title)
		require.Empty(t, changed.CompanyName, "the name of a company that they may not see")
		require.Equal(t, &w.Acme.ID, changed.CompanyID)
	})
}

// External ids are unique among living deals, and free again after a delete.
func TestDealExternalIDs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		ctx, again := t.Context(), crm.DealInput{Title: "again", ExternalID: "D-1001"}
		conflict := func(fn func() error) {
			t.Helper()
			err := w.nothing(t, apperr.Conflict, fn)
			require.Equal(t, store.CodeDuplicate, err.Code)
			require.NotContains(t, err.Message, "Acme", "nothing of the deal that has it")
		}
		conflict(func() error { _, err := w.deals.Create(ctx, w.Sales3, again); return err })
		require.NoError(t, w.deals.Delete(ctx, w.Admin, w.AcmeRenewal.ID, 1))
		second := must(w.deals.Create(ctx, w.Sales3, again))(t)
		conflict(func() error { _, err := w.deals.Restore(ctx, w.Admin, w.AcmeRenewal.ID); return err })
		require.NoError(t, w.deals.Delete(ctx, w.Admin, second.ID, 1))
		back := must(w.deals.Restore(ctx, w.Admin, w.AcmeRenewal.ID))(t)
		require.Equal(t, "Acme renewal", back.Title)
		require.EqualValues(t, 3, back.Version)
		found := must(w.search.Find(ctx, w.Admin, "d-1001", nil, 5))(t)
		require.Equal(t, []string{w.AcmeRenewal.ID}, ids(found.Hits, hitID), "by its names again")
	})
}

func TestDealLists(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		byTitle := func(a models.Actor, f store.DealFilter, sort string) []string {
			t.Helper()
			list := must(w.deals.List(t.Context(), a, f, store.Page{Sort: sort}))(t)
			require.EqualValues(t, len(list.Items), list.Total)
			return ids(list.Items, func(v store.DealView) string { return v.Title })
		}
		require.Equal(t, []string{"Harbour audit", "Harbour rollout"}, byTitle(w.Manager2, store.DealFilter{}, ""), "the most recently updated first")
		require.Equal(t, []string{"Acme expansion", "Acme renewal"}, byTitle(w.Sales1, store.DealFilter{}, "title"))
		require.Equal(t, []string{"Acme renewal", "Acme expansion"}, byTitle(w.Sales1, store.DealFilter{}, "-amount"), "unknown amounts last")
		require.Equal(t, []string{"Globex pilot 試用"}, byTitle(w.Manager, store.DealFilter{Text: "試用"}, ""))
		require.Empty(t, byTitle(w.Sales1, store.DealFilter{CompanyID: w.Globex.ID}, ""))
		first := must(w.deals.List(t.Context(), w.Admin, store.DealFilter{}, store.Page{Limit: 4}))(t)
		rest := must(w.deals.List(t.Context(), w.Admin, store.DealFilter{}, store.Page{Limit: 4, Cursor: first.Next}))(t)
		require.Equal(t, []int{4, 2}, []int{len(first.Items), len(rest.Items)})
		require.Empty(t, rest.Next)
		_, err := w.deals.List(t.Context(), w.Admin, store.DealFilter{}, store.Page{Sort: "owner_id; DROP TABLE deals"})
		require.Equal(t, "sort", wrongField(t, err))
	})
}

func TestCreateMany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		good := crm.DealInput{Title: "one", ExternalID: "B-1", CompanyID: &w.Acme.ID, ProductID: &w.Crane.ID, OwnerID: w.Sales1.UserID}
		other := crm.DealInput{Title: "two", ExternalID: "B-2", CompanyID: &w.Acme.ID, OwnerID: w.Sales2.UserID, StageID: w.Won.ID}
		entries := w.recorded(t, func() { require.NoError(t, w.deals.CreateMany(t.Context(), w.Manager, []crm.DealInput{good, other})) })
		require.Len(t, entries, 2, "an entry per deal")
		list := must(w.deals.List(t.Context(), w.Manager, store.DealFilter{Text: "B-"}, store.Page{Sort: "title"}))(t)
		require.Equal(t, []string{"one", "two"}, ids(list.Items, func(v store.DealView) string { return v.Title }))
		for path, bad := range map[string]crm.DealInput{
			"[1].title":     {},
			"[1].companyId": {Title: "x", CompanyID: &w.Harbour.ID},
			"[1].productId": {Title: "x", ProductID: ptr(models.NewID())},
			"[1].ownerId":   {Title: "x", OwnerID: w.Sales3.UserID},
			"[1].stageId":   {Title: "x", StageID: models.NewID()},
			"[1].closedAt":  {Title: "x", ClosedAt: &dbtest.Start},
		} {
			err := w.nothing(t, apperr.Invalid, func() error {
				return w.deals.CreateMany(t.Context(), w.Manager, []crm.DealInput{{Title: "fine"}, bad})
			})
			require.Equal(t, path, wrongField(t, err))
		}
		w.nothing(t, apperr.Conflict, func() error {
			return w.deals.CreateMany(t.Context(), w.Manager, []crm.DealInput{{Title: "fine"}, good})
		})
		w.refused(t, rbac.DealCreate, "", func() error { return w.deals.CreateMany(t.Context(), w.Viewer, []crm.DealInput{good}) })
	})
}
