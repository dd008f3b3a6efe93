package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"countersign/audit"
	"countersign/conversations"
	"countersign/crm"
	"countersign/deliveries"
	"countersign/i18n"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/settings"
	"countersign/store"
)

// Registry is the ordered set of tools. byName holds the short forms, too. resolver is nil in one without records.
type Registry struct {
	tools    []*Tool
	byName   map[string]*Tool
	resolver *resolve.Resolver
}

// Services are what the standard tools work with.
type Services struct {
	Resolver   *resolve.Resolver
	Search     *crm.Search
	Companies  *crm.Companies
	Deals      *crm.Deals
	Activities *crm.Activities
	Contacts   *crm.Contacts
	Tasks      *crm.Tasks
	Quotations *crm.Quotations
	Products   *crm.Products
	Pipelines  *crm.Pipelines
	Proposals  *proposals.Service
	Deliveries *deliveries.Service
	// Conversations tell what a person has typed.
	Conversations *conversations.Service
	// Runner is for trying out what is to be created.
	Runner store.Runner
	// Now tells what "tomorrow" is.
	Now func() time.Time
}

// Standard returns the tools of the product.
func Standard(s Services) *Registry {
	r := NewRegistry(
		newSearchRecords(s.Search, s.Resolver),
		newSearchCompanies(s.Companies, s.Resolver),
		newGetCompany(s.Companies, s.Resolver),
		newSearchContacts(s.Contacts, s.Resolver),
		newGetContact(s.Contacts, s.Resolver),
		newListDeals(s.Deals, s.Resolver),
		newGetDeal(s.Deals, s.Resolver),
		newSummarizeDeals(s.Deals, s.Resolver),
		newListPipelines(s.Pipelines),
		newSearchProducts(s.Products),
		newListActivities(s.Activities, s.Resolver),
		newListTasks(s.Tasks, s.Resolver, s.Now),
		newListQuotations(s.Quotations, s.Resolver),
		newGetQuotation(s.Quotations, s.Resolver),
		newListProposals(s.Proposals),
		newCreateCompany(s),
		newCreateContact(s),
		newCreateTask(s),
		newCompleteTask(s),
		newDraftQuotation(s),
		newReviseQuotation(s),
		newLogActivity(s),
		newUpdateDealStage(s.Deals, s.Resolver),
		newUpdateDeal(s.Deals, s.Resolver),
		newUpdateCompany(s.Companies, s.Resolver),
		newUpdateContact(s.Contacts, s.Resolver),
		newUpdateQuotationStatus(s.Quotations, s.Resolver),
		newReassignOwner(s),
		newSendQuotationEmail(s),
		newBulkUpdateDeals(s.Deals, s.Resolver),
		newDeleteRecord(s.Resolver),
	)
	r.resolver = s.Resolver
	return r
}

// NewRegistry returns a registry of tools. It panics on two of one name or short form, which is a programming error.
func NewRegistry(tools ...*Tool) *Registry {
	r := &Registry{tools: tools, byName: map[string]*Tool{}}
	for _, t := range tools {
		for _, name := range append([]string{t.Name}, t.Short...) {
			if r.byName[name] != nil {
				panic(fmt.Sprintf("tools: %q is registered twice", name))
			}
			r.byName[name] = t
		}
	}
	return r
}

// All returns the tools in their order.
func (r *Registry) All() []*Tool { return r.tools }

// Permissions are the rights that the tools ask for, for the drift check.
func (r *Registry) Permissions() []rbac.Permission {
	var all []rbac.Permission
	for _, t := range r.tools {
		all = append(all, t.permissions()...)
		if t.propose != nil {
			all = append(all, t.propose.update...)
		}
	}
	return all
}

// Ruled are the tools that change something, which approval rules can be about.
func (r *Registry) Ruled() []settings.RuledTool {
	var ruled []settings.RuledTool
	for _, t := range r.tools {
		if t.propose != nil {
			ruled = append(ruled, settings.RuledTool{Name: t.Name, RunsAtOnce: t.run != nil, Rights: t.ruled()})
		}
	}
	return ruled
}

// named is the tool of a name; nil for a short form, which only commands have, and for one that does not exist.
func (r *Registry) named(name string) *Tool {
	if t := r.byName[name]; t != nil && t.Name == name {
		return t
	}
	return nil
}

// Offer is a tool as it is offered to a person or a model.
type Offer struct {
	Name        string
	Label       string
	Description string
	Effect      Effect
	Main        string
	Short       []string
	Example     string
	// Parameters is the JSON Schema of the arguments, Flat the part of it that every model endpoint takes.
	Parameters json.RawMessage
	Flat       json.RawMessage
}

// Offered lists the tools that an actor may use, in their order.
func (r *Registry) Offered(ctx context.Context, gate *audit.Gate, actor models.Actor) ([]Offer, error) {
	held, err := gate.Held(ctx, actor)
	if err != nil {
		return nil, err
	}
	may := map[rbac.Permission]bool{}
	for _, h := range held {
		may[h.Permission] = true
	}
	offers := []Offer{}
	for _, t := range r.tools {
		if slices.ContainsFunc(t.permissions(), func(p rbac.Permission) bool { return may[p] }) {
			offers = append(offers, Offer{
				Name: t.Name, Label: t.label(actor.Lang), Description: t.Description, Effect: t.Effect,
				Main: t.Main, Short: t.Short, Example: t.Example, Parameters: t.schema.document, Flat: t.schema.flat,
			})
		}
	}
	return offers, nil
}

// Label is a tool's name for a person; the name itself for one that does not exist.
func (r *Registry) Label(lang, name string) string {
	if t := r.named(name); t != nil {
		return t.label(lang)
	}
	return name
}

// label is the tool's name for a person.
func (t *Tool) label(lang string) string { return i18n.T(lang, "tool."+t.Name+".label") }
