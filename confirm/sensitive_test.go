package confirm_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
	"countersign/tools"
)

// sensitive are commands of the manager, one for each kind of change, and what comes of them.
func sensitive(o *office) []sensitiveCase {
	return append(undoable(o), sensitiveCase{
		sendAcme, models.Ref{Type: models.TypeQuotation, ID: o.QuoteAcme.ID}, []string{"status"}, `Q-2026-0001 is now Sent.`,
	}, sensitiveCase{
		`/bulk_update_deals deals=D-1001 new_expected_close_date=2027-01-31`, models.Ref{Type: models.TypeDeal, ID: o.AcmeRenewal.ID}, []string{"expectedCloseDate"}, `Changed 1 of 1 records.`,
	})
}

const sendAcme = `/update_quotation_status Q-2026-0001 status=SENT`

// undoable are those of which there is a way back.
func undoable(o *office) []sensitiveCase {
	contact := models.Ref{Type: models.TypeContact, ID: o.Amy.ID}
	deal, company := models.Ref{Type: models.TypeDeal, ID: o.AcmeRenewal.ID}, models.Ref{Type: models.TypeCompany, ID: o.Acme.ID}
	quotation := models.Ref{Type: models.TypeQuotation, ID: o.QuoteAcme.ID}
	return []sensitiveCase{
		{`/update_deal_stage renewal stage=Proposal`, deal, []string{"stageId"}, `"Acme renewal" is now in the stage "Proposal".`},
		{`/update_deal renewal title="Renewal 2027" amount=5 clear=product,expected_close_date`, deal, []string{"amount", "expectedCloseDate", "productId", "title"}, `Changed "Renewal 2027".`},
		{`/update_company acme phone=21112222 notes="All new" tags=vip parent=ferry`, company, []string{"notes", "parentId", "phone", "tags"}, `Changed "Acme Trading Limited".`},
		{`/update_contact amy job_title=Director clear=phone company=ferry`, contact, []string{"companyId", "jobTitle", "phone"}, `Changed "Amy Fong 方詠詩".`},
		{`/reassign_owner type=contact record=amy owner=小明`, contact, []string{"ownerId"}, `"Amy Fong 方詠詩" now belongs to Siu Ming 小明.`},
		{`/reassign_owner type=deal record=D-1001 owner=小明`, deal, []string{"ownerId"}, ` now belongs to Siu Ming 小明.`},
		{`/reassign_owner type=quotation record=Q-2026-0001 owner=小明`, quotation, []string{"ownerId"}, `"Q-2026-0001" now belongs to Siu Ming 小明.`},
		{`/reassign_owner type=company record=艾克美 owner=me`, company, []string{"ownerId"}, `"Acme Trading Limited" now belongs to Mei Manager.`},
	}
}

type sensitiveCase struct {
	command string
	target  models.Ref
	fields  []string
	outcome string
}

// APR-09: whatever proposes is among the cases below, so that none is without its version.
func TestAPR09EverySensitiveToolIsTested(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		tested := map[string]bool{"send_quotation_email": true} // with a mail server, in package deliveries
		for _, c := range sensitive(o) {
			parsed, err := o.registry.ParseCommand("en", c.command)
			require.NoError(t, err)
			tested[parsed.Tool] = true
			p := o.ask(t, o.Manager, c.command)
			part := only(t, p)
			require.Equal(t, c.target.ID, part.TargetID)
			require.Equal(t, o.version(t, c.target), part.TargetVersion, "%s: the card is of a version", c.command)
			var changes []models.Change
			require.NoError(t, part.Changes.Into(&changes))
			require.Len(t, changes, len(c.fields), c.command)
		}
		for _, tool := range o.registry.All() {
			require.Equal(t, tool.Effect == tools.Sensitive, tested[tool.Name], tool.Name)
		}
	})
}

// only is what a card says of its one record.
func only(t *testing.T, p *models.Proposal) *models.Proposal {
	t.Helper()
	parts, err := p.Parts()
	require.NoError(t, err)
	require.Len(t, parts, 1)
	return parts[0]
}

// version is that of a record now.
func (o *office) version(t *testing.T, target models.Ref) (version int64) {
	t.Helper()
	o.View(t, func(r *store.Reader) {
		var err error
		version, _, _, err = r.RecordState(t.Context(), target.Type, target.ID)
		require.NoError(t, err)
	})
	return version
}

// touch changes a record in a field that no card of these tests shows.
func (o *office) touch(t *testing.T, target models.Ref) {
	t.Helper()
	var err error
	switch target.Type {
	case models.TypeDeal:
		_, err = o.deals.Update(t.Context(), o.Admin, target.ID, o.version(t, target), crm.DealPatch{CompanyID: models.Some(o.Globex.ID)})
	case models.TypeContact:
		_, err = o.contacts.Update(t.Context(), o.Admin, target.ID, o.version(t, target), crm.ContactPatch{Email: models.Some(models.NewID() + "@acme.test")})
	case models.TypeQuotation:
		_, err = crm.NewQuotations(o.DB, o.Gate, o.Clock.Now).Update(t.Context(), o.Admin, target.ID, o.version(t, target), crm.QuotationPatch{Notes: models.Some(models.NewID())})
	default:
		_, err = o.companies.Update(t.Context(), o.Admin, target.ID, o.version(t, target), crm.CompanyPatch{Industry: models.Some(models.NewID())})
	}
	require.NoError(t, err)
}

// What a card shows is carried out once, by however many clicks, and the history tells by what.
func TestEverySensitiveToolIsCarriedOutOnce(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		history := crm.NewHistory(o.DB, o.Gate, o.Clock.Now)
		for _, c := range sensitive(o) {
			version := o.version(t, c.target)
			p := o.ask(t, o.Manager, c.command)
			require.Equal(t, version, o.version(t, c.target), "%s: nothing changes before a person confirms", c.command)

			verdicts, errs := make([]*proposals.Verdict, 4), make([]error, 4)
			var all sync.WaitGroup
			for i := range verdicts {
				all.Go(func() { verdicts[i], errs[i] = o.Confirm(t.Context(), o.Manager, p.ID, p.Digest) })
			}
			all.Wait()
			first := 0
			for i, v := range verdicts {
				require.NoError(t, errs[i], c.command)
				require.Equal(t, models.ProposalExecuted, v.Proposal.Status)
				if !v.Repeated {
					first++
				}
			}
			require.Equal(t, 1, first, c.command)
			require.Equal(t, version+1, o.version(t, c.target), c.command)
			require.Len(t, o.told(t, o.Manager, p), 1)
			require.Contains(t, o.told(t, o.Manager, p)[0], c.outcome)
			o.requireHistory(t, history, c, p)
		}
	})
}

// requireHistory demands that the history of the last write tells of exactly what the card showed, and by what it came.
func (o *office) requireHistory(t *testing.T, history *crm.History, c sensitiveCase, p *models.Proposal) {
	t.Helper()
	items, err := history.Of(t.Context(), o.Manager, c.target.Type, c.target.ID)
	require.NoError(t, err)
	var card []models.Change
	require.NoError(t, only(t, p).Changes.Into(&card))
	fields := map[string]models.Change{}
	for _, change := range card {
		fields[change.Field] = change
	}
	names := []string{}
	for _, item := range items {
		if item.ProposalID == nil || *item.ProposalID != p.ID {
			continue
		}
		names = append(names, item.Field)
		require.Equal(t, models.ViaCommand, item.Via)
		require.Equal(t, o.Manager.UserID, *item.ActorUserID)
		require.JSONEq(t, string(models.ToJSON(fields[item.Field].Before)), string(jsonOrNull(item.BeforeValue)), item.Field)
		require.JSONEq(t, string(models.ToJSON(fields[item.Field].After)), string(jsonOrNull(item.AfterValue)), item.Field)
	}
	require.ElementsMatch(t, c.fields, names, "%s: the card shows what is written, all of it", c.command)
	require.Len(t, card, len(c.fields))
}

func jsonOrNull(j models.JSON) models.JSON {
	if j == nil {
		return models.JSON("null")
	}
	return j
}

// Any change in between is stale: nothing happens, and the fresh card can be confirmed.
func TestEverySensitiveToolIsStaleAfterAnyChange(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		for _, c := range sensitive(o) {
			p := o.ask(t, o.Manager, c.command)
			o.touch(t, c.target)
			version := o.version(t, c.target)
			_, err := o.Confirm(t.Context(), o.Manager, p.ID, p.Digest)
			require.True(t, apperr.HasCode(err, proposals.CodeStale), "%s: %v", c.command, err)
			require.Equal(t, version, o.version(t, c.target), c.command)
			fresh := apperr.As(err).Extra["fresh"].(*models.Proposal)
			require.Equal(t, []any{p.Tool, version, string(p.Args)}, []any{fresh.Tool, only(t, fresh).TargetVersion, string(fresh.Args)})
			v, err := o.Confirm(t.Context(), o.Manager, fresh.ID, fresh.Digest)
			require.NoError(t, err)
			require.Equal(t, models.ProposalExecuted, v.Proposal.Status, c.command)
			// The next case begins anew.
			o.raw("UPDATE deals SET owner_id = $1, title = 'Acme renewal', company_id = $2 WHERE id = $3", o.Sales1.UserID, o.Acme.ID, o.AcmeRenewal.ID)
			o.raw("UPDATE companies SET owner_id = $1 WHERE id = $2", o.Sales1.UserID, o.Acme.ID)
			o.raw("UPDATE quotations SET owner_id = $1, status = 'DRAFT' WHERE id = $2", o.Sales1.UserID, o.QuoteAcme.ID)
			o.raw("UPDATE contacts SET owner_id = $1 WHERE id = $2", o.Sales1.UserID, o.Amy.ID)
		}
	})
}

// A right that was lost since, to the record or altogether, ends the card without effect.
func TestEverySensitiveToolNeedsTheRightWhenConfirmed(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		for _, c := range sensitive(o) {
			for _, lose := range []string{"UPDATE users SET role = 'viewer' WHERE id = $1", "UPDATE users SET role = 'sales' WHERE id = $1"} {
				p := o.ask(t, o.Manager, c.command)
				version := o.version(t, c.target)
				o.raw(lose, o.Manager.UserID)
				_, err := o.Confirm(t.Context(), o.Manager, p.ID, p.Digest)
				require.True(t, apperr.Is(err, apperr.Forbidden), "%s: %v", c.command, err)
				o.raw("UPDATE users SET role = 'manager' WHERE id = $1", o.Manager.UserID)
				require.Equal(t, version, o.version(t, c.target), c.command)
				got, err := o.proposals.Get(t.Context(), o.Manager, p.ID)
				require.NoError(t, err)
				require.Equal(t, models.ProposalFailed, got.Status)
			}
		}
	})
}

// The new owner may have gone, or out of reach, since the card was made: the change fails and says so.
func TestAPR12AnOwnerWhoHasGoneSince(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Manager, `/reassign_owner type=deal record=D-1001 owner=小明`)
		o.raw("UPDATE users SET disabled_at = created_at WHERE id = $1", o.Sales2.UserID)
		v, err := o.Confirm(t.Context(), o.Manager, p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, models.ProposalFailed, v.Proposal.Status)
		require.Contains(t, o.told(t, o.Manager, p)[0], "Choose an active colleague")
		require.Equal(t, int64(1), o.version(t, models.Ref{Type: models.TypeDeal, ID: o.AcmeRenewal.ID}))
	})
}

// Whoever may not change anything makes no card, and others' records are as if they were not.
func TestNoCardWithoutARight(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		for _, c := range sensitive(o) {
			parsed, err := o.registry.ParseCommand("en", c.command)
			require.NoError(t, err)
			for who, kind := range map[*models.Actor]string{&o.Viewer: "forbidden", &o.Sales3: "not_found"} {
				outcome := o.executor.Call(t.Context(), who.As(models.ViaCommand), tools.Call{ID: "c", Name: parsed.Tool, Args: parsed.Args})
				require.Nil(t, outcome.Proposal)
				require.Equal(t, kind, outcome.Error.Kind, c.command)
			}
		}
	})
}

// Each kind of change that has a way back is undone exactly: the record is as it was, and the history has both.
func TestEverySensitiveToolIsUndone(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		for _, c := range undoable(o) {
			p := o.ask(t, o.Manager, c.command)
			v, err := o.Confirm(t.Context(), o.Manager, p.ID, p.Digest)
			require.NoError(t, err)
			require.Empty(t, outcomeOf(t, v.Proposal).NoUndo, c.command)
			undo, err := o.Undo(t.Context(), o.Manager, p.ID)
			require.NoError(t, err, c.command)
			var was, becomes []models.Change
			require.NoError(t, p.Changes.Into(&was))
			require.NoError(t, undo.Changes.Into(&becomes))
			for i := range was {
				was[i].Before, was[i].After = was[i].After, was[i].Before
				was[i].BeforeDisplay, was[i].AfterDisplay = was[i].AfterDisplay, was[i].BeforeDisplay
			}
			require.Equal(t, was, becomes, c.command)
			v, err = o.Confirm(t.Context(), o.Manager, undo.ID, undo.Digest)
			require.NoError(t, err)
			require.Equal(t, models.ProposalExecuted, v.Proposal.Status, c.command)
			_, err = o.Undo(t.Context(), o.Manager, p.ID)
			require.True(t, apperr.HasCode(err, proposals.CodeCannotUndo), "%v", err)
		}
	})
}

func outcomeOf(t *testing.T, p *models.Proposal) (o models.Outcome) {
	t.Helper()
	require.NoError(t, p.Outcome.Into(&o))
	return o
}

// The status of a quotation has no way back: the outcome says what to do instead.
func TestTheStatusOfAQuotationIsNotUndone(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		p := o.ask(t, o.Manager, sendAcme)
		v, err := o.Confirm(t.Context(), o.Manager, p.ID, p.Digest)
		require.NoError(t, err)
		require.Equal(t, "A quotation does not go back to an earlier status. If something in it was wrong, revise it.", outcomeOf(t, v.Proposal).NoUndo)
		require.Nil(t, v.Proposal.UndoUntil)
		_, err = o.Undo(t.Context(), o.Manager, p.ID)
		require.True(t, apperr.HasCode(err, proposals.CodeCannotUndo), "%v", err)
	})
}

// What was given away is out of reach: it says so, and is not undone.
func TestUndoOfWhatWasGivenAway(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.raw("UPDATE role_permissions SET scope = 'team' WHERE role_slug = 'sales' AND permission = 'deal:assign'")
		o.raw("UPDATE policy_state SET version = version + 1")
		p := o.ask(t, o.Sales1, `/reassign_owner type=deal record=D-1001 owner=小明`)
		v, err := o.Confirm(t.Context(), o.Sales1, p.ID, p.Digest)
		require.NoError(t, err)
		require.Contains(t, outcomeOf(t, v.Proposal).NoUndo, "Ask its new owner")
		require.Nil(t, v.Proposal.UndoUntil)
		_, err = o.Undo(t.Context(), o.Sales1, p.ID)
		require.True(t, apperr.HasCode(err, proposals.CodeCannotUndo), "%v", err)
	})
}

// A former value that the card hid is not put back, which would show it.
func TestUndoShowsNothingHidden(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.raw("UPDATE companies SET phone = '+85221110000' WHERE id = $1", o.Acme.ID)
		o.raw("UPDATE role_permissions SET scope = 'own' WHERE role_slug = 'manager' AND permission = 'contact:pii'")
		o.raw("UPDATE policy_state SET version = version + 1")
		p := o.ask(t, o.Manager, `/update_company acme phone=21112222`)
		v, err := o.Confirm(t.Context(), o.Manager, p.ID, p.Digest)
		require.NoError(t, err)
		require.Contains(t, outcomeOf(t, v.Proposal).NoUndo, "hidden from you")
		_, err = o.Undo(t.Context(), o.Manager, p.ID)
		require.True(t, apperr.HasCode(err, proposals.CodeCannotUndo), "%v", err)
	})
}
