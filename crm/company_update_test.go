package crm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// differs are the names of fields that differ.
func differs(list []crm.Difference) []string {
	return ids(list, func(d crm.Difference) string { return d.Name })
}

func TestPreviewCompany(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id := w.Acme.ID
		for i, patch := range []crm.CompanyPatch{
			{
				Name: models.Some(" Acme  Group\u200b "), OtherNames: models.Some([]string{"艾克美", " "}), Industry: models.Some("Trade"),
				Status: models.Some(models.CompanyChurned), Website: models.Some("acme.example"), Phone: models.Some("2123 4567"),
				Address: models.Some("Central"), ParentID: models.Some(w.Ferry.ID), Tags: models.Some([]string{"a", "A"}), Notes: models.Some("n\r\nm "),
			},
			{Industry: null[string](), Phone: null[string](), ParentID: null[string](), Tags: null[[]string](), Notes: null[string]()},
			{},
		} {
			before := must(w.companies.ForUpdate(t.Context(), w.Sales1, id))(t)
			require.Equal(t, must(w.companies.Get(t.Context(), w.Sales1, id))(t), before)
			content := w.content(t)
			preview := must(w.companies.Preview(t.Context(), w.Sales1, before, patch))(t)
			require.Equal(t, content, w.content(t), "a preview writes nothing")

			view := must(w.companies.Update(t.Context(), w.Sales1, id, int64(i+1), patch))(t)
			require.Equal(t, differs(crm.CompanyDifferences(before, preview)), differs(crm.CompanyDifferences(before, view)))
			preview.Version, preview.UpdatedAt = view.Version, view.UpdatedAt
			require.Equal(t, view, preview, "the preview tells what then happens")
		}
	})
}

func TestCompanyDifferences(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		before := must(w.companies.ForUpdate(t.Context(), w.Admin, w.Acme.ID))(t)
		after := must(w.companies.Preview(t.Context(), w.Admin, before, crm.CompanyPatch{
			Industry: models.Some("Trade"), ParentID: models.Some(w.Ferry.ID), OwnerID: models.Some(w.Sales2.UserID),
		}))(t)
		list := crm.CompanyDifferences(before, after)
		require.Equal(t, []string{"industry", "parentId", "ownerId"}, differs(list))
		require.Equal(t, []any{nil, "Trade", false}, []any{list[0].Before, list[0].After, list[0].Refers})
		require.Equal(t, []any{true, "", "Kowloon Ferry"}, []any{list[1].Refers, list[1].BeforeName, list[1].AfterName})
		require.Equal(t, []any{true, "Sam Sales", ""}, []any{list[2].Refers, list[2].BeforeName, list[2].AfterName}, "never the old owner's name")
		require.Empty(t, crm.CompanyDifferences(before, before))
	})
}

func TestDealDifferences(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		before := must(w.deals.ForUpdate(t.Context(), w.Sales1, w.AcmeRenewal.ID))(t)
		after := must(w.deals.Preview(t.Context(), w.Sales1, before, crm.DealPatch{
			Title: models.Some("Renewal"), CompanyID: models.Some(w.Ferry.ID), ProductID: null[string](), Amount: models.Some(*hkd(100)),
		}))(t)
		list := crm.DealDifferences(before, after)
		require.Equal(t, []string{"title", "companyId", "productId", "amount"}, differs(list))
		require.Equal(t, []string{"Acme Trading Limited", "Kowloon Ferry"}, []string{list[1].BeforeName, list[1].AfterName})
		require.Equal(t, []string{"Harbour crane", ""}, []string{list[2].BeforeName, list[2].AfterName})
		require.Equal(t, []any{hkd(12_000_000), hkd(100), false}, []any{list[3].Before, list[3].After, list[3].Refers})
	})
}

// The name of a parent shows to those who see the parent.
func TestParentName(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		must(w.companies.Update(t.Context(), w.Manager, w.Acme.ID, 1, crm.CompanyPatch{ParentID: models.Some(w.Globex.ID)}))(t)
		require.Equal(t, "Globex Corporation", must(w.companies.Get(t.Context(), w.Manager, w.Acme.ID))(t).ParentName)
		seen := must(w.companies.Get(t.Context(), w.Sales1, w.Acme.ID))(t)
		require.Equal(t, []any{&w.Globex.ID, ""}, []any{seen.ParentID, seen.ParentName})
		list := must(w.companies.List(t.Context(), w.Sales1, store.CompanyFilter{}, store.Page{}))(t)
		require.Contains(t, list.Items, *seen)

		before := must(w.companies.ForUpdate(t.Context(), w.Sales1, w.Acme.ID))(t)
		after := must(w.companies.Preview(t.Context(), w.Sales1, before, crm.CompanyPatch{ParentID: null[string]()}))(t)
		require.Equal(t, []string{"parentId"}, differs(crm.CompanyDifferences(before, after)))

		gone := must(w.companies.Get(t.Context(), w.Admin, w.Globex.ID))(t)
		require.NoError(t, w.companies.Delete(t.Context(), w.Admin, gone.ID, gone.Version))
		require.Empty(t, must(w.companies.Get(t.Context(), w.Manager, w.Acme.ID))(t).ParentName)
	})
}

// SEC-16: a preview neither reveals what is hidden nor takes a mask for a value.
func TestPreviewKeepsWhatIsHidden(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.CompanyRead: rbac.ScopeAll, rbac.CompanyUpdate: rbac.ScopeAll})
		before := must(w.companies.ForUpdate(t.Context(), w.Sales2, w.Acme.ID))(t)
		require.Equal(t, "••••••67", before.Phone)
		preview := func(p crm.CompanyPatch) *crm.Company {
			t.Helper()
			return must(w.companies.Preview(t.Context(), w.Sales2, before, p))(t)
		}
		other := preview(crm.CompanyPatch{Industry: models.Some("Trade")})
		require.Equal(t, []any{"••••••67", []string{"phone"}}, []any{other.Phone, other.Masked})
		require.Equal(t, []string{"industry"}, differs(crm.CompanyDifferences(before, other)))

		given := preview(crm.CompanyPatch{Phone: models.Some(w.Acme.Phone)})
		require.Equal(t, w.Acme.Phone, given.Phone)
		require.Empty(t, given.Masked)
		require.Equal(t, []string{"phone"}, differs(crm.CompanyDifferences(before, given)), "whether a guess is right is not told")
		require.Empty(t, preview(crm.CompanyPatch{Phone: null[string]()}).Phone)

		for _, mask := range []string{"••••••67", "+852 ****4567", "•"} {
			err := w.nothing(t, apperr.Invalid, func() error {
				_, err := w.companies.Preview(t.Context(), w.Sales2, before, crm.CompanyPatch{Phone: models.Some(mask)})
				return err
			})
			require.Equal(t, "phone", wrongField(t, err))
		}
	})
}

func TestWhoMayPreviewCompanies(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		forUpdate := func(actor models.Actor, id string) func() error {
			return func() error { _, err := w.companies.ForUpdate(t.Context(), actor, id); return err }
		}
		w.refused(t, rbac.CompanyUpdate, "", forUpdate(w.Viewer, w.Acme.ID))
		w.nothing(t, apperr.NotFound, forUpdate(w.Sales3, w.Acme.ID))
		w.refused(t, rbac.CompanyUpdate, w.Ferry.ID, forUpdate(w.Sales1, w.Ferry.ID))

		before := must(w.companies.ForUpdate(t.Context(), w.Sales1, w.Acme.ID))(t)
		preview := func(actor models.Actor, p crm.CompanyPatch) func() error {
			return func() error { _, err := w.companies.Preview(t.Context(), actor, before, p); return err }
		}
		w.refused(t, rbac.CompanyUpdate, "", preview(w.Viewer, crm.CompanyPatch{}))
		for path, p := range map[string]crm.CompanyPatch{
			"ownerId": {OwnerID: models.Some(w.Sales2.UserID)}, "parentId": {ParentID: models.Some(w.Harbour.ID)},
			"status": {Status: null[models.CompanyStatus]()}, "name": {Name: models.Some(" ")}, "website": {Website: models.Some("javascript:x")},
		} {
			require.Equal(t, path, wrongField(t, w.nothing(t, apperr.Invalid, preview(w.Sales1, p))))
		}
		w.role(t, w.Sales1, map[rbac.Permission]rbac.Scope{rbac.CompanyRead: rbac.ScopeAll, rbac.CompanyUpdate: rbac.ScopeAll})
		w.refused(t, rbac.CompanyAssign, w.Acme.ID, preview(w.Sales1, crm.CompanyPatch{OwnerID: models.Some(w.Sales2.UserID)}))
	})
}
