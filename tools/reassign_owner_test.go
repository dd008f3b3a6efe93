package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/rbac"
)

func TestReassignOwnerProposes(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		before := d.writes(t)
		o := d.call(t, d.Manager, "reassign_owner", `{"type":"deal","record":"D-1001","owner":"sales2@example.test","reason":"Leave."}`)
		p := proposed(t, o)
		require.Equal(t, before, d.writes(t), "nothing changes before a person confirms")
		require.Equal(t, "Proposed: Acme renewal · Owner: Sam Sales → Siu Ming 小明. Nothing changes until you confirm.", o.Summary)
		require.Equal(t, []any{"Change owner", int64(1), "Leave."}, []any{p.Title, p.TargetVersion, p.Reason})
		require.JSONEq(t, `{"type":"deal","record":"`+d.AcmeRenewal.ID+`","owner":"`+d.Sales2.UserID+`"}`, string(p.Args))
		require.Equal(t, []models.Change{{
			Field: "ownerId", Label: "Owner", Before: d.Sales1.UserID, After: d.Sales2.UserID, BeforeDisplay: "Sam Sales", AfterDisplay: "Siu Ming 小明",
		}}, changes(t, p))

		p = proposed(t, d.say(t, chinese(d.Manager), `/reassign_owner type=company record=acme owner=小明`))
		require.Equal(t, models.TypeCompany, p.TargetType)
		require.Equal(t, []string{"負責人: Sam Sales → Siu Ming 小明"}, shown(t, p))
		p = proposed(t, d.say(t, d.Manager, `/reassign_owner type=contact record=amy owner=小明`))
		require.Equal(t, models.TypeContact, p.TargetType)
		require.Equal(t, []string{"Owner: Sam Sales → Siu Ming 小明"}, shown(t, p))
		p = proposed(t, d.say(t, d.Admin, `/reassign_owner type=company record="Kowloon Ferry" owner=me`))
		require.Equal(t, []string{"Owner: (empty) → Ada Admin"}, shown(t, p), "a shared company gets an owner")
	})
}

func TestReassignOwnerIsCarriedOut(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, c := range []struct{ command, summary string }{
			{`/reassign_owner type=deal record=renewal owner=小明`, `"Acme renewal" now belongs to Siu Ming 小明.`},
			{`/reassign_owner type=company record=acme owner=小明`, `"Acme Trading Limited" now belongs to Siu Ming 小明.`},
			{`/reassign_owner type=contact record=amy owner=小明`, `"Amy Fong 方詠詩" now belongs to Siu Ming 小明.`},
		} {
			v, err := d.decide(t, d.Manager, proposed(t, d.say(t, d.Manager, c.command)))
			require.NoError(t, err)
			var outcome models.Outcome
			require.NoError(t, v.Proposal.Outcome.Into(&outcome))
			require.Equal(t, c.summary, outcome.Summary)
		}
		deal, err := d.deals.Get(t.Context(), d.Sales2, d.AcmeRenewal.ID)
		require.NoError(t, err)
		require.Equal(t, []any{d.Sales2.UserID, int64(2)}, []any{deal.OwnerID, deal.Version})
		company, err := d.companies.Get(t.Context(), d.Sales2, d.Acme.ID)
		require.NoError(t, err)
		require.Equal(t, d.Sales2.UserID, *company.OwnerID)
		contact, err := d.contacts.Get(t.Context(), d.Sales2, d.Amy.ID)
		require.NoError(t, err)
		require.Equal(t, []any{d.Sales2.UserID, int64(2)}, []any{contact.OwnerID, contact.Version})
	})
}

// Giving something away may take it out of one's sight: what came of it is told all the same.
func TestReassignOwnerOutOfSight(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "UPDATE role_permissions SET scope = 'all' WHERE role_slug = 'sales' AND permission IN ('deal:assign', 'company:assign')")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		for _, command := range []string{`/reassign_owner type=deal record=renewal owner=suki`, `/reassign_owner type=company record=acme owner=suki`} {
			v, err := d.decide(t, d.Sales1, proposed(t, d.say(t, d.Sales1, command)))
			require.NoError(t, err)
			require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
			require.Contains(t, string(v.Proposal.Outcome), "has a new owner.")
		}
	})
}

func TestReassignOwnerWithinTheScopeToAssign(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, command := range []string{`/reassign_owner type=deal record=renewal owner=suki`, `/reassign_owner type=company record=acme owner=suki`} {
			e := fails(t, d.say(t, d.Manager, command), "invalid")
			require.Regexp(t, `^You cannot give "Acme .*" to Suki Sales\. Choose an active colleague whom you may assign to\.$`, e.Message)
			fails(t, d.say(t, d.Sales1, command), "invalid")
			require.Contains(t, fails(t, d.say(t, chinese(d.Sales1), command), "invalid").Message, "交給 Suki Sales")
			proposed(t, d.say(t, d.Admin, command))
		}
	})
}

// Each kind of record asks for its own right to assign.
func TestReassignOwnerByKind(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		d.exec(t, "DELETE FROM role_permissions WHERE role_slug = 'manager' AND permission = 'deal:assign'")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		offers, err := d.registry.Offered(t.Context(), d.Gate, d.Manager)
		require.NoError(t, err)
		names := []string{}
		for _, o := range offers {
			names = append(names, o.Name)
		}
		require.Contains(t, names, "reassign_owner")
		e := fails(t, d.say(t, d.Manager, `/reassign_owner type=deal record=renewal owner=小明`), "forbidden")
		require.Contains(t, e.Message, string(rbac.DealAssign))
		p := proposed(t, d.say(t, d.Manager, `/reassign_owner type=company record=acme owner=小明`))
		d.exec(t, "DELETE FROM role_permissions WHERE role_slug = 'manager' AND permission = 'company:assign'")
		d.exec(t, "UPDATE policy_state SET version = version + 1")
		_, err = d.decide(t, d.Manager, p)
		require.Equal(t, string(rbac.CompanyAssign), apperrOf(t, err).Extra["permission"])
		fails(t, d.say(t, d.Manager, `/reassign_owner type=company record=acme owner=小明`), "forbidden")
	})
}

func TestReassignOwnerRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		require.Len(t, fails(t, d.say(t, d.Manager, `/reassign_owner type=deal record=Acme owner=me`), "ambiguous").Candidates, 2)
		require.Len(t, fails(t, d.say(t, d.Admin, `/reassign_owner type=deal record=renewal owner=Sales`), "ambiguous").Candidates, 2)
		require.Equal(t, `"Acme renewal" belongs to Sam Sales already.`, fails(t, d.say(t, d.Sales1, `/reassign_owner type=deal record=renewal owner=me`), "invalid").Message)
		fails(t, d.say(t, d.Admin, `/reassign_owner type=company record=acme owner=sam`), "invalid")
		fails(t, d.say(t, d.Admin, `/reassign_owner type=product record=Pallet owner=me`), "invalid")
		fails(t, d.say(t, d.Admin, `/reassign_owner type=deal record=renewal`), "invalid")
		fails(t, d.say(t, d.Admin, `/reassign_owner type=deal record=renewal owner=disabled@example.test`), "not_found")
		d.unseen(t, d.Sales1, `/reassign_owner type=deal record=%s owner=me`, d.HarbourRollout.ID)
		d.unseen(t, d.Sales1, `/reassign_owner type=company record=%s owner=me`, d.Harbour.ID)
		fails(t, d.say(t, d.Sales1, `/reassign_owner type=company record=ferry owner=me`), "forbidden")
		fails(t, d.say(t, d.Viewer, `/reassign_owner type=deal record=renewal owner=me`), "forbidden")
		require.Zero(t, d.count(t, "SELECT COUNT(*) FROM proposals"))
	})
}
