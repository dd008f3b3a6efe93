package crm

import (
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// historyLimit bounds how many field changes a history shows.
const historyLimit = 200

// History is the service of the field history of records.
type History struct{ base }

// NewHistory returns the service.
func NewHistory(runner store.Runner, gate *audit.Gate, now func() time.Time) *History {
	return &History{newBase(runner, gate, now)}
}

// HistoryItem is a change of a field, with the names of the records that its values refer to.
type HistoryItem struct {
	models.FieldChange
	BeforeName, AfterName string
}

// historyKinds are the types of records that have a history, with the rights to read and to restore them.
var historyKinds = map[models.RecordType]struct{ read, restore rbac.Permission }{
	models.TypeCompany:   {rbac.CompanyRead, rbac.CompanyRestore},
	models.TypeContact:   {rbac.ContactRead, rbac.ContactRestore},
	models.TypeDeal:      {rbac.DealRead, rbac.DealRestore},
	models.TypeActivity:  {rbac.ActivityRead, rbac.ActivityRestore},
	models.TypeTask:      {rbac.TaskRead, rbac.TaskRestore},
	models.TypeQuotation: {rbac.QuotationRead, rbac.QuotationRestore},
}

// Of returns the latest changes of a record that the actor sees, newest first. The history of a record in the
// bin is for those who may restore it.
func (s *History) Of(ctx context.Context, actor models.Actor, t models.RecordType, id string) ([]HistoryItem, error) {
	kind, ok := historyKinds[t]
	if !ok {
		return nil, apperr.NotFoundf("history")
	}
	read, err := s.gate.Authorize(ctx, actor, kind.read)
	if err != nil {
		return nil, err
	}
	restore, err := s.gate.Try(ctx, actor, kind.restore)
	if err != nil {
		return nil, err
	}
	mask, err := newMasker(ctx, s.gate, actor)
	if err != nil {
		return nil, err
	}
	var items []HistoryItem
	err = s.runner.View(ctx, func(r *store.Reader) error {
		if err := seesHistory(ctx, r, read, restore, t, id); err != nil {
			return err
		}
		changes, err := r.FieldChanges(ctx, read, t, id, historyLimit)
		if err != nil {
			return err
		}
		hidden, err := hiddenFields(ctx, r, read, mask, t, id)
		if err != nil {
			return err
		}
		items = maskHistory(changes, hidden)
		names := namer{gate: s.gate, actor: actor, r: r, grants: map[rbac.Permission]rbac.Grant{}, known: map[models.Ref]string{}}
		return names.fill(ctx, items)
	})
	return items, err
}

// seesHistory answers NotFound for a record outside the scope of the right to read it, and for one in the bin
// outside the scope of the right to take it out.
func seesHistory(ctx context.Context, r *store.Reader, read, restore rbac.Grant, t models.RecordType, id string) error {
	seen, err := r.Covers(ctx, read, t, id)
	if err != nil {
		return err
	}
	_, deleted, _, err := r.RecordState(ctx, t, id)
	if err != nil {
		return err
	}
	if seen && deleted {
		if seen = restore.Scope() != rbac.ScopeNone; seen {
			seen, err = r.Covers(ctx, restore, t, id)
		}
	}
	if err == nil && !seen {
		err = apperr.NotFoundf(string(t))
	}
	return err
}

// hiddenFields are the fields of a record whose values stay hidden from the actor.
func hiddenFields(ctx context.Context, r *store.Reader, read rbac.Grant, mask masker, t models.RecordType, id string) ([]string, error) {
	personal := personalFields[t]
	if len(personal) == 0 || mask.grant.Scope() == rbac.ScopeAll {
		return nil, nil
	}
	seen, err := seesPersonal(ctx, r, read, mask, t, id)
	switch {
	case err != nil && !apperr.Is(err, apperr.NotFound):
		return nil, err
	case err == nil && seen:
		return nil, nil
	default:
		return personal, nil
	}
}

// seesPersonal reports whether the actor sees the personal data of a live company or contact.
func seesPersonal(ctx context.Context, r *store.Reader, read rbac.Grant, mask masker, t models.RecordType, id string) (bool, error) {
	if t == models.TypeContact {
		view, err := r.Contact(ctx, store.ContactGrants{Contact: read}, id)
		return err == nil && mask.sees(&view.OwnerID, view.OwnerTeamID), err
	}
	view, err := r.Company(ctx, read, id)
	return err == nil && mask.sees(view.OwnerID, view.OwnerTeamID), err
}

// maskHistory hides the values of fields that the actor may not see.
func maskHistory(changes []models.FieldChange, hidden []string) []HistoryItem {
	items := make([]HistoryItem, len(changes))
	for i, c := range changes {
		if slices.Contains(hidden, c.Field) {
			c.BeforeValue, c.AfterValue = maskValue(c.Field, c.BeforeValue), maskValue(c.Field, c.AfterValue)
		}
		items[i] = HistoryItem{FieldChange: c}
	}
	return items
}

func maskValue(field string, j models.JSON) models.JSON {
	var s string
	if j == nil || j.Into(&s) != nil {
		return nil
	}
	return models.ToJSON(maskField(field, s))
}

// referenceKinds are the fields whose values are ids, and of what.
var referenceKinds = map[string]models.RecordType{
	"companyId": models.TypeCompany, "parentId": models.TypeCompany, "dealId": models.TypeDeal, "contactId": models.TypeContact,
	"ownerId": models.TypePerson, "assigneeId": models.TypePerson,
	"stageId": models.TypeStage, "pipelineId": models.TypePipeline, "productId": models.TypeProduct,
}

// namer looks up the names of the records that values refer to, each right and each record once.
type namer struct {
	gate   *audit.Gate
	actor  models.Actor
	r      *store.Reader
	grants map[rbac.Permission]rbac.Grant
	known  map[models.Ref]string
}

// fill names what items refer to; a record that the actor may not see has no name.
func (n namer) fill(ctx context.Context, items []HistoryItem) (err error) {
	for i := range items {
		kind, ok := referenceKinds[items[i].Field]
		if !ok {
			continue
		}
		if items[i].BeforeName, err = n.name(ctx, kind, items[i].BeforeValue); err != nil {
			return err
		}
		if items[i].AfterName, err = n.name(ctx, kind, items[i].AfterValue); err != nil {
			return err
		}
	}
	return nil
}

func (n namer) name(ctx context.Context, kind models.RecordType, value models.JSON) (string, error) {
	if value == nil {
		return "", nil
	}
	ref := models.Ref{Type: kind}
	if err := value.Into(&ref.ID); err != nil {
		return "", fmt.Errorf("crm: a %s in the history has no id: %w", kind, err)
	}
	if name, known := n.known[ref]; known {
		return name, nil
	}
	grant, err := n.grant(ctx, kind)
	if err != nil || grant.Scope() == rbac.ScopeNone {
		return "", err
	}
	hit, err := n.r.NameByID(ctx, grant, kind, ref.ID, "")
	if err != nil {
		return "", err
	}
	n.known[ref] = ""
	if hit != nil {
		n.known[ref] = hit.Name
	}
	return n.known[ref], nil
}

func (n namer) grant(ctx context.Context, kind models.RecordType) (rbac.Grant, error) {
	p, _ := store.NamePermission(kind)
	if grant, tried := n.grants[p]; tried {
		return grant, nil
	}
	grant, err := n.gate.Try(ctx, n.actor, p)
	n.grants[p] = grant
	return grant, err
}
