package tools

import (
	"context"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type reassignOwnerArgs struct {
	Type   string `json:"type" enum:"deal,company,contact,quotation" jsonschema:"The kind of record."`
	Record string `json:"record" jsonschema:"The record: its ID or name."`
	Owner  string `json:"owner" field:"ownerId" kind:"person" jsonschema:"The new owner: ID, e-mail, name, or \"me\"."`
	Reason string `json:"reason,omitempty" jsonschema:"Why you propose this, in one sentence for the user."`
}

// ownerChanger is the tool reassign_owner.
type ownerChanger struct {
	deals      *crm.Deals
	companies  *crm.Companies
	contacts   *crm.Contacts
	quotations *crm.Quotations
	resolver   *resolve.Resolver
}

func newReassignOwner(s Services) *Tool {
	c := ownerChanger{s.Deals, s.Companies, s.Contacts, s.Quotations, s.Resolver}
	tool := newProposingTool(Definition{
		Name: "reassign_owner", After: Finish, Permission: rbac.DealAssign,
		Or:   []rbac.Permission{rbac.CompanyAssign, rbac.ContactAssign, rbac.QuotationAssign},
		Main: "record", Example: `/reassign_owner type=deal record="Acme renewal" owner=me`,
	}, rbac.DealUpdate, c.prepare, c.execute)
	tool.propose.update = append(tool.propose.update, rbac.CompanyUpdate, rbac.ContactUpdate, rbac.QuotationUpdate)
	return tool
}

func (c ownerChanger) prepare(ctx context.Context, actor models.Actor, in reassignOwnerArgs) (proposals.Draft, error) {
	record, err := namedForWrite(ctx, c.resolver, actor, models.RecordType(in.Type), in.Record)
	if err != nil {
		return proposals.Draft{}, err
	}
	owner, err := namedForWrite(ctx, c.resolver, actor, models.TypePerson, in.Owner)
	if err != nil {
		return proposals.Draft{}, err
	}
	version, differences, err := c.preview(ctx, actor, record, owner)
	if err != nil {
		return proposals.Draft{}, outOfReach(err, actor.Lang, record, owner)
	}
	if len(differences) == 0 {
		return proposals.Draft{}, apperr.InvalidField("owner", i18n.T(actor.Lang, "owner.already", "name", record.Name, "owner", owner.Name))
	}
	return proposals.Draft{
		Title: i18n.T(actor.Lang, "proposal.reassign_owner"), Target: record, TargetVersion: version, Reason: in.Reason,
		Args:    reassignOwnerArgs{Type: in.Type, Record: record.ID, Owner: owner.ID},
		Changes: changesOf(actor.Lang, differences),
	}, nil
}

func (c ownerChanger) preview(ctx context.Context, actor models.Actor, record, owner models.Ref) (int64, []crm.Difference, error) {
	switch record.Type {
	case models.TypeCompany:
		return c.previewCompany(ctx, actor, record.ID, owner)
	case models.TypeContact:
		return c.previewContact(ctx, actor, record.ID, owner)
	case models.TypeQuotation:
		return c.previewQuotation(ctx, actor, record.ID, owner)
	default:
		return c.previewDeal(ctx, actor, record.ID, owner)
	}
}

func (c ownerChanger) previewDeal(ctx context.Context, actor models.Actor, id string, owner models.Ref) (int64, []crm.Difference, error) {
	before, err := c.deals.ForUpdate(ctx, actor, id)
	if err != nil {
		return 0, nil, err
	}
	after, err := c.deals.Preview(ctx, actor, before, crm.DealPatch{OwnerID: models.Some(owner.ID)})
	if err != nil {
		return 0, nil, err
	}
	after.OwnerName = owner.Name
	return before.Version, crm.DealDifferences(before, after), nil
}

func (c ownerChanger) previewCompany(ctx context.Context, actor models.Actor, id string, owner models.Ref) (int64, []crm.Difference, error) {
	before, err := c.companies.ForUpdate(ctx, actor, id)
	if err != nil {
		return 0, nil, err
	}
	after, err := c.companies.Preview(ctx, actor, before, crm.CompanyPatch{OwnerID: models.Some(owner.ID)})
	if err != nil {
		return 0, nil, err
	}
	after.OwnerName = owner.Name
	return before.Version, crm.CompanyDifferences(before, after), nil
}

func (c ownerChanger) previewContact(ctx context.Context, actor models.Actor, id string, owner models.Ref) (int64, []crm.Difference, error) {
	before, err := c.contacts.ForUpdate(ctx, actor, id)
	if err != nil {
		return 0, nil, err
	}
	after, err := c.contacts.Preview(ctx, actor, before, crm.ContactPatch{OwnerID: models.Some(owner.ID)})
	if err != nil {
		return 0, nil, err
	}
	after.OwnerName = owner.Name
	return before.Version, crm.ContactDifferences(before, after), nil
}

func (c ownerChanger) previewQuotation(ctx context.Context, actor models.Actor, id string, owner models.Ref) (int64, []crm.Difference, error) {
	before, err := c.quotations.ForUpdate(ctx, actor, id)
	if err != nil {
		return 0, nil, err
	}
	after, err := c.quotations.Preview(ctx, actor, before, crm.QuotationPatch{OwnerID: models.Some(owner.ID)})
	if err != nil {
		return 0, nil, err
	}
	after.OwnerName = owner.Name
	return before.Version, crm.QuotationDifferences(before, after), nil
}

// outOfReach puts the refusal of an owner to be into a sentence with the names that were given.
func outOfReach(err error, lang string, record, owner models.Ref) error {
	fields := apperr.As(err).Fields
	if len(fields) != 1 || fields[0].Path != "ownerId" {
		return err
	}
	return apperr.InvalidField("owner", i18n.T(lang, "owner.out_of_reach", "name", record.Name, "owner", owner.Name))
}

func (c ownerChanger) execute(ctx context.Context, tx *store.Tx, actor models.Actor, in reassignOwnerArgs, p *models.Proposal) (models.Outcome, error) {
	owner := models.Some(in.Owner)
	switch models.RecordType(in.Type) {
	case models.TypeCompany:
		company, err := c.companies.With(tx).Update(ctx, actor, in.Record, p.TargetVersion, crm.CompanyPatch{OwnerID: owner})
		if err != nil {
			return models.Outcome{}, err
		}
		return reassigned(actor.Lang, companyRefOf(*company), company.OwnerName), nil
	case models.TypeContact:
		contact, err := c.contacts.With(tx).Update(ctx, actor, in.Record, p.TargetVersion, crm.ContactPatch{OwnerID: owner})
		if err != nil {
			return models.Outcome{}, err
		}
		return reassigned(actor.Lang, contactRefOf(*contact), contact.OwnerName), nil
	case models.TypeQuotation:
		quotation, err := c.quotations.With(tx).Update(ctx, actor, in.Record, p.TargetVersion, crm.QuotationPatch{OwnerID: owner})
		if err != nil {
			return models.Outcome{}, err
		}
		return reassigned(actor.Lang, quotationRefOf(*quotation), quotation.OwnerName), nil
	default:
		deal, err := c.deals.With(tx).Update(ctx, actor, in.Record, p.TargetVersion, crm.DealPatch{OwnerID: owner})
		if err != nil {
			return models.Outcome{}, err
		}
		return reassigned(actor.Lang, dealRefOf(*deal), deal.OwnerName), nil
	}
}

// reassigned tells of a new owner, whose name is not at hand when the record has gone out of the actor's sight.
func reassigned(lang string, ref models.Ref, owner string) models.Outcome {
	outcome := models.Outcome{Summary: i18n.T(lang, "owner.given", "name", ref.Name, "owner", owner), Records: []models.Ref{ref}}
	if owner == "" {
		outcome.Summary, outcome.NoUndo = i18n.T(lang, "owner.gone", "name", ref.Name), i18n.T(lang, "undo.given_away")
	}
	return outcome
}
