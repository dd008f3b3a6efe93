package crm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
)

func TestPreviewContact(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		id := w.Amy.ID
		for i, patch := range []crm.ContactPatch{
			{
				Name: models.Some(" Amy  Fong\u200b "), CompanyID: models.Some(w.Ferry.ID), JobTitle: models.Some("Director"), Email: models.Some("Amy@Ferry.example"),
				Phone: models.Some("+852 9000 1111"), WhatsApp: models.Some("+85290002222"), Language: models.Some(models.ContactEnglish),
			},
			{CompanyID: null[string](), JobTitle: null[string](), Email: null[string](), Phone: null[string](), WhatsApp: null[string](), Language: null[models.ContactLanguage]()},
			{},
		} {
			before := must(w.contacts.ForUpdate(t.Context(), w.Sales1, id))(t)
			require.Equal(t, must(w.contacts.Get(t.Context(), w.Sales1, id))(t), before)
			content := w.content(t)
			preview := must(w.contacts.Preview(t.Context(), w.Sales1, before, patch))(t)
			require.Equal(t, content, w.content(t), "a preview writes nothing")

			view := must(w.contacts.Update(t.Context(), w.Sales1, id, int64(i+1), patch))(t)
			require.Equal(t, differs(crm.ContactDifferences(before, view)), differs(crm.ContactDifferences(before, preview)))
			preview.Version, preview.UpdatedAt = view.Version, view.UpdatedAt
			preview.Masked = view.Masked
			require.Equal(t, view, preview, "the preview tells what then happens")
		}
	})
}

// SEC-16: a preview neither reveals what is hidden nor takes a mask for a value.
func TestPreviewOfAContactKeepsWhatIsHidden(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		w.role(t, w.Sales2, map[rbac.Permission]rbac.Scope{rbac.ContactRead: rbac.ScopeAll, rbac.ContactUpdate: rbac.ScopeAll})
		before := must(w.contacts.ForUpdate(t.Context(), w.Sales2, w.Amy.ID))(t)
		require.Equal(t, []string{"email", "phone", "whatsapp"}, before.Masked)
		preview := func(p crm.ContactPatch) *crm.Contact {
			t.Helper()
			return must(w.contacts.Preview(t.Context(), w.Sales2, before, p))(t)
		}
		other := preview(crm.ContactPatch{JobTitle: models.Some("Boss")})
		require.Equal(t, []any{before.Phone, before.Email, before.Masked}, []any{other.Phone, other.Email, other.Masked})
		require.Equal(t, []string{"jobTitle"}, differs(crm.ContactDifferences(before, other)))

		given := preview(crm.ContactPatch{Phone: models.Some(w.Amy.Phone)})
		require.Equal(t, w.Amy.Phone, given.Phone)
		require.Equal(t, []string{"email", "whatsapp"}, given.Masked)
		require.Equal(t, []string{"phone"}, differs(crm.ContactDifferences(before, given)), "whether a guess is right is not told")
		for _, mask := range []string{"••••••67", "+852****4567"} {
			_, err := w.contacts.Preview(t.Context(), w.Sales2, before, crm.ContactPatch{Phone: models.Some(mask)})
			require.True(t, apperr.Is(err, apperr.Invalid), mask)
		}
	})
}

func TestContactForUpdateRefuses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		_, err := w.contacts.ForUpdate(t.Context(), w.Viewer, w.Amy.ID)
		require.True(t, apperr.Is(err, apperr.Forbidden))
		_, err = w.contacts.ForUpdate(t.Context(), w.Sales1, w.Hana.ID)
		require.True(t, apperr.Is(err, apperr.NotFound), "what one does not see does not exist")
		before := must(w.contacts.ForUpdate(t.Context(), w.Sales1, w.Amy.ID))(t)
		_, err = w.contacts.Preview(t.Context(), w.Sales1, before, crm.ContactPatch{CompanyID: models.Some(w.Harbour.ID)})
		require.True(t, apperr.Is(err, apperr.Invalid), "nor does a company")
		_, err = w.contacts.Preview(t.Context(), w.Sales1, before, crm.ContactPatch{OwnerID: models.Some(w.Sales3.UserID)})
		require.Error(t, err)
	})
}
