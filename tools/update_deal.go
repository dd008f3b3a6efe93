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

type updateDealArgs struct {
	Deal              string   `json:"deal" kind:"deal" jsonschema:"The deal: its ID, external id or title."`
	Title             string   `json:"title,omitempty" field:"title" jsonschema:"The new title."`
	Amount            string   `json:"amount,omitempty" field:"amount" input:"money" jsonschema:"The new amount, as 1234.50."`
	Currency          string   `json:"currency,omitempty" field:"amount" max:"3" jsonschema:"The currency of the amount, as HKD; the deal's own when left out."`
	ExpectedCloseDate string   `json:"expected_close_date,omitempty" field:"expectedCloseDate" input:"date" jsonschema:"The day on which it is expected to close, as 2026-01-31."`
	Company           string   `json:"company,omitempty" field:"companyId" kind:"company" jsonschema:"The company that the deal is with: ID or any of its names."`
	Product           string   `json:"product,omitempty" field:"productId" kind:"product" jsonschema:"The product: ID, SKU or name."`
	Clear             []string `json:"clear,omitempty" enum:"amount,expected_close_date,company,product" jsonschema:"What to empty. The only way to empty a field."`
	Reason            string   `json:"reason,omitempty" jsonschema:"Why you propose this, in one sentence for the user."`
}

// dealEditor is the tool update_deal.
type dealEditor struct {
	deals    *crm.Deals
	resolver *resolve.Resolver
}

func newUpdateDeal(deals *crm.Deals, resolver *resolve.Resolver) *Tool {
	e := dealEditor{deals, resolver}
	return newProposingTool(Definition{
		Name: "update_deal", After: Finish, Permission: rbac.DealUpdate,
		Main: "deal", Example: `/update_deal deal="Acme renewal" amount=130000`,
	}, rbac.DealUpdate, e.prepare, e.execute)
}

func (e dealEditor) prepare(ctx context.Context, actor models.Actor, in updateDealArgs) (proposals.Draft, error) {
	ref, err := namedForWrite(ctx, e.resolver, actor, models.TypeDeal, in.Deal)
	if err != nil {
		return proposals.Draft{}, err
	}
	deal, err := e.deals.ForUpdate(ctx, actor, ref.ID)
	if err != nil {
		return proposals.Draft{}, err
	}
	if err := e.fix(ctx, actor, &in, deal); err != nil {
		return proposals.Draft{}, err
	}
	patch, err := in.patch(actor.Lang)
	if err != nil {
		return proposals.Draft{}, err
	}
	after, err := e.deals.Preview(ctx, actor, deal, patch)
	if err != nil {
		return proposals.Draft{}, err
	}
	d := proposals.Draft{
		Title: i18n.T(actor.Lang, "proposal.update_deal"), Target: dealRefOf(*deal), TargetVersion: deal.Version, Reason: in.Reason,
		Changes: changesOf(actor.Lang, crm.DealDifferences(deal, after)),
	}
	in.Reason = ""
	d.Args = in
	return d, refuseUnchanged(actor.Lang, d)
}

// fix puts ids in place of names, and the deal's own currency where none was given for an amount.
func (e dealEditor) fix(ctx context.Context, actor models.Actor, in *updateDealArgs, deal *store.DealView) error {
	in.Deal = deal.ID
	if in.Currency == "" && in.Amount != "" {
		in.Currency = models.DefaultCurrency
		if deal.Currency != nil {
			in.Currency = *deal.Currency
		}
	}
	if err := fixID(ctx, e.resolver, actor, models.TypeCompany, &in.Company); err != nil {
		return err
	}
	return fixID(ctx, e.resolver, actor, models.TypeProduct, &in.Product)
}

func (e dealEditor) execute(ctx context.Context, tx *store.Tx, actor models.Actor, in updateDealArgs, p *models.Proposal) (models.Outcome, error) {
	patch, err := in.patch(actor.Lang)
	if err != nil {
		return models.Outcome{}, err
	}
	deal, err := e.deals.With(tx).Update(ctx, actor, in.Deal, p.TargetVersion, patch)
	if err != nil {
		return models.Outcome{}, err
	}
	return updated(actor.Lang, dealRefOf(*deal)), nil
}

// patch is the change that resolved arguments ask for.
func (in updateDealArgs) patch(lang string) (patch crm.DealPatch, err error) {
	given := clearing{lang: lang, fields: in.Clear}
	patch.Title = given.text("title", in.Title)
	patch.CompanyID = given.text("company", in.Company)
	patch.ProductID = given.text("product", in.Product)
	if patch.Amount.Value, err = moneyArg(in.Amount, in.Currency, lang); err != nil {
		return patch, err
	}
	patch.Amount.Set = given.sets("amount", in.Amount != "")
	if patch.ExpectedCloseDate.Value, err = dateArg("expected_close_date", in.ExpectedCloseDate, lang); err != nil {
		return patch, err
	}
	patch.ExpectedCloseDate.Set = given.sets("expected_close_date", in.ExpectedCloseDate != "")
	return patch, given.err
}

// moneyArg reads the optional arguments amount and currency.
func moneyArg(amount, currency, lang string) (*models.Money, error) {
	switch {
	case amount == "" && currency == "":
		return nil, nil
	case amount == "":
		return nil, apperr.InvalidField("currency", i18n.T(lang, "args.currency_alone"))
	}
	m, err := models.ParseMoney(amount, currency)
	if err != nil {
		return nil, apperr.InvalidField("amount", i18n.T(lang, "args.money"))
	}
	return &m, nil
}
