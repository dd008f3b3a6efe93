package crm

import (
	"context"
	"slices"
	"strings"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// Activities is the service of the timeline.
type Activities struct{ base }

// NewActivities returns the service.
func NewActivities(runner store.Runner, gate *audit.Gate, now func() time.Time) *Activities {
	return &Activities{newBase(runner, gate, now)}
}

// With returns the service bound to a transaction.
func (s *Activities) With(tx *store.Tx) *Activities { return &Activities{s.with(tx)} }

// ActivityInput is a new activity on a company, a deal or both. A nil At means now.
type ActivityInput struct {
	Kind      models.ActivityKind
	Subject   string
	Body      string
	At        *time.Time
	CompanyID *string
	DealID    *string
}

// ActivityPatch changes fields of an activity; its links stay.
type ActivityPatch struct {
	Kind    models.Optional[models.ActivityKind]
	Subject models.Optional[string]
	Body    models.Optional[string]
	At      models.Optional[time.Time]
}

// grants authorizes reading activities and, as far as the actor may, the names of what they are linked to.
func (s *Activities) grants(ctx context.Context, actor models.Actor) (g store.ActivityGrants, err error) {
	if g.Activity, err = s.gate.Authorize(ctx, actor, rbac.ActivityRead); err != nil {
		return g, err
	}
	if g.Company, err = s.gate.Try(ctx, actor, rbac.CompanyRead); err != nil {
		return g, err
	}
	if g.Deal, err = s.gate.Try(ctx, actor, rbac.DealRead); err != nil {
		return g, err
	}
	g.Quotation, err = s.gate.Try(ctx, actor, rbac.QuotationRead)
	return g, err
}

// List returns a page of the activities that the actor sees.
func (s *Activities) List(ctx context.Context, actor models.Actor, f store.ActivityFilter, p store.Page) (list store.List[store.ActivityView], err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return list, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		list, err = r.Activities(ctx, g, f, p)
		return err
	})
	worded(actor.Lang, list.Items)
	return list, err
}

// Timeline returns a page of the activities of a company, deal or quotation that the actor sees, the latest first.
func (s *Activities) Timeline(ctx context.Context, actor models.Actor, target models.Ref, p store.Page) (list store.List[store.ActivityView], err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return list, err
	}
	p.Sort = "-at"
	err = s.runner.View(ctx, func(r *store.Reader) error {
		if err := seesTarget(ctx, r, g, target); err != nil {
			return err
		}
		list, err = r.Activities(ctx, g, activitiesOf(target), p)
		return err
	})
	worded(actor.Lang, list.Items)
	return list, s.refused(ctx, actor, target, err)
}

// activitiesOf selects the activities of a company, deal or quotation.
func activitiesOf(target models.Ref) store.ActivityFilter {
	switch target.Type {
	case models.TypeDeal:
		return store.ActivityFilter{DealID: target.ID}
	case models.TypeQuotation:
		return store.ActivityFilter{QuotationID: target.ID}
	default:
		return store.ActivityFilter{CompanyID: target.ID}
	}
}

// seesTarget answers NotFound for a company, deal or quotation that the actor does not see, and Forbidden for the
// actor who sees none.
func seesTarget(ctx context.Context, r *store.Reader, g store.ActivityGrants, target models.Ref) (err error) {
	switch target.Type {
	case models.TypeDeal:
		if err := holds(g.Deal, rbac.DealRead); err != nil {
			return err
		}
		_, err = r.Deal(ctx, store.DealGrants{Deal: g.Deal, Company: g.Company}, target.ID)
	case models.TypeQuotation:
		if err := holds(g.Quotation, rbac.QuotationRead); err != nil {
			return err
		}
		_, err = r.Quotation(ctx, store.QuotationGrants{Quotation: g.Quotation}, target.ID)
	default:
		if err := holds(g.Company, rbac.CompanyRead); err != nil {
			return err
		}
		_, err = r.Company(ctx, g.Company, target.ID)
	}
	return err
}

// Get returns an activity that the actor sees.
func (s *Activities) Get(ctx context.Context, actor models.Actor, id string) (view *store.ActivityView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	err = s.runner.View(ctx, func(r *store.Reader) error {
		view, err = r.Activity(ctx, g, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	view.Subject = subjectText(actor.Lang, &view.Activity)
	return view, nil
}

// leadsTo stands between the two ends of a change in the subject of an entry.
const leadsTo = " → "

// statusMove is the subject of the entry of a quotation's new status: in codes, for each reader has a language.
func statusMove(from, to models.QuotationStatus) string { return string(from) + leadsTo + string(to) }

// worded gives entries the subjects that their reader reads.
func worded(lang string, entries []store.ActivityView) {
	for i := range entries {
		entries[i].Subject = subjectText(lang, &entries[i].Activity)
	}
}

// subjectText is the subject of an entry as its reader reads it: that of a new status in words, any other as it is.
func subjectText(lang string, a *models.Activity) string {
	from, to, moved := strings.Cut(a.Subject, leadsTo)
	if !moved || a.QuotationID == nil || a.Kind.Loggable() || !models.QuotationStatus(from).Valid() || !models.QuotationStatus(to).Valid() {
		return a.Subject
	}
	return i18n.T(lang, "quotation_status."+from) + leadsTo + i18n.T(lang, "quotation_status."+to)
}

// Create logs an activity of the actor on records that the actor sees. It needs activity:create. The
// records themselves stay as they are, their versions too.
func (s *Activities) Create(ctx context.Context, actor models.Actor, in ActivityInput) (view *store.ActivityView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	create, err := s.gate.Authorize(ctx, actor, rbac.ActivityCreate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeActivity}, func(tx *store.Tx) error {
		activity, err := s.build(ctx, tx, actor, g, in)
		if err != nil {
			return err
		}
		if err := tx.InsertActivity(ctx, create, activity); err != nil {
			return err
		}
		err = s.wrote(ctx, tx, actor, write{
			action: rbac.ActivityCreate, target: activityRef(activity), record: activity.Record, at: activity.CreatedAt,
			fields: audit.Changed(activityFields(&models.Activity{}, activity)),
		})
		if err != nil {
			return err
		}
		view, err = tx.Activity(ctx, g, activity.ID)
		return err
	})
	return view, err
}

func (s *Activities) build(ctx context.Context, tx *store.Tx, actor models.Actor, g store.ActivityGrants, in ActivityInput) (*models.Activity, error) {
	now := s.now()
	a := &models.Activity{
		Record: models.NewRecord(now), Kind: in.Kind, At: now, CompanyID: in.CompanyID, DealID: in.DealID, OwnerID: actor.UserID,
	}
	var wrong problems
	a.Subject, a.Body = wrong.line("subject", in.Subject, true), wrong.text("body", in.Body)
	if at := wrong.moment("at", in.At); at != nil {
		a.At = *at
	}
	wrong.loggable(a.Kind)
	if a.CompanyID == nil && a.DealID == nil {
		wrong.add("dealId", "Say which company or deal this is about.")
	}
	if err := wrong.err(); err != nil {
		return nil, err
	}
	if a.DealID != nil {
		if err := seesTarget(ctx, tx.Reader, g, models.Ref{Type: models.TypeDeal, ID: *a.DealID}); err != nil {
			return nil, reference(err, "dealId", "deal")
		}
	}
	if a.CompanyID != nil {
		if err := seesTarget(ctx, tx.Reader, g, models.Ref{Type: models.TypeCompany, ID: *a.CompanyID}); err != nil {
			return nil, reference(err, "companyId", "company")
		}
	}
	return a, nil
}

// loggable checks the kind of an activity that a person logs.
func (p *problems) loggable(kind models.ActivityKind) {
	if !kind.Loggable() {
		p.add("kind", "The kind must be CALL, MEETING, EMAIL, NOTE or WHATSAPP.")
	}
}

// logged checks that an activity was logged by a person: what the product wrote itself stays as it is.
func logged(a *models.Activity) error {
	if a.Kind.Loggable() {
		return nil
	}
	return apperr.New(apperr.Conflict, "SYSTEM_ENTRY", "The system wrote this entry. It cannot be changed or deleted.")
}

// Update changes an activity at the version that the actor has seen. It needs activity:update over it.
// A patch that changes nothing writes nothing.
func (s *Activities) Update(ctx context.Context, actor models.Actor, id string, version int64, patch ActivityPatch) (view *store.ActivityView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	update, err := s.gate.Authorize(ctx, actor, rbac.ActivityUpdate)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeActivity, ID: id}, func(tx *store.Tx) error {
		before, err := tx.Activity(ctx, g, id)
		if err != nil {
			return err
		}
		if err := mayWrite(ctx, tx.Reader, update, activityRef(&before.Activity)); err != nil {
			return err
		}
		if err := checkVersion(version, before.Record, before); err != nil {
			return err
		}
		if err := s.change(ctx, tx, actor, update, &before.Activity, patch); err != nil {
			return err
		}
		view, err = tx.Activity(ctx, g, id)
		return err
	})
	return view, err
}

func (s *Activities) change(ctx context.Context, tx *store.Tx, actor models.Actor, update rbac.Grant, before *models.Activity, patch ActivityPatch) error {
	if err := logged(before); err != nil {
		return err
	}
	after := *before
	var wrong problems
	kept(&wrong, "kind", patch.Kind)
	kept(&wrong, "at", patch.At)
	wrong.setLine("subject", &after.Subject, patch.Subject, true)
	wrong.setText("body", &after.Body, patch.Body)
	if at := wrong.moment("at", patch.At.Value); at != nil {
		after.At = *at
	}
	after.Kind = patch.Kind.Or(before.Kind)
	wrong.loggable(after.Kind)
	if err := wrong.err(); err != nil {
		return err
	}
	changed := audit.Changed(activityFields(before, &after))
	if len(changed) == 0 {
		return nil
	}
	now := s.now()
	if err := tx.UpdateActivity(ctx, update, &after, now); err != nil {
		return err
	}
	return s.wrote(ctx, tx, actor, write{action: rbac.ActivityUpdate, target: activityRef(&after), record: after.Record, at: now, fields: changed})
}

// Delete puts an activity into the bin. It needs activity:delete over it.
func (s *Activities) Delete(ctx context.Context, actor models.Actor, id string, version int64) error {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return err
	}
	remove, err := s.gate.Authorize(ctx, actor, rbac.ActivityDelete)
	if err != nil {
		return err
	}
	return s.transact(ctx, actor, models.Ref{Type: models.TypeActivity, ID: id}, func(tx *store.Tx) error {
		view, err := tx.Activity(ctx, g, id)
		if err != nil {
			return err
		}
		if err := logged(&view.Activity); err != nil {
			return err
		}
		return s.remove(ctx, tx, actor, remove, removal{target: activityRef(&view.Activity), record: &view.Record, version: version, current: view})
	})
}

// Restore takes an activity out of the bin. It needs activity:restore.
func (s *Activities) Restore(ctx context.Context, actor models.Actor, id string) (view *store.ActivityView, err error) {
	g, err := s.grants(ctx, actor)
	if err != nil {
		return nil, err
	}
	restore, err := s.gate.Authorize(ctx, actor, rbac.ActivityRestore)
	if err != nil {
		return nil, err
	}
	err = s.transact(ctx, actor, models.Ref{Type: models.TypeActivity, ID: id}, func(tx *store.Tx) error {
		activity, err := tx.DeletedActivity(ctx, restore, id)
		if err != nil {
			return err
		}
		if err := s.restore(ctx, tx, actor, restore, activityRef(activity), &activity.Record, nil); err != nil {
			return err
		}
		view, err = tx.Activity(ctx, g, id)
		return err
	})
	return view, err
}

// byAssistant are the ways in on which the assistant, not its user, does the clicking.
var byAssistant = []models.Via{models.ViaAssistant, models.ViaCommand, models.ViaWhatsApp, models.ViaMCP}

// entryKind is the kind of an entry that the product itself writes.
func entryKind(actor models.Actor) models.ActivityKind {
	if slices.Contains(byAssistant, actor.Via) {
		return models.ActivityAssistant
	}
	return models.ActivitySystem
}

func activityRef(a *models.Activity) models.Ref {
	return models.Ref{Type: models.TypeActivity, ID: a.ID, Name: a.Subject}
}

// activityFields are the fields of an activity that history tells, before and after a write.
func activityFields(before, after *models.Activity) []audit.Field {
	var was any
	if !before.At.IsZero() {
		was = before.At
	}
	return []audit.Field{
		{Name: "kind", Before: text(string(before.Kind)), After: text(string(after.Kind))},
		{Name: "subject", Before: text(before.Subject), After: text(after.Subject)},
		{Name: "body", Before: text(before.Body), After: text(after.Body)},
		{Name: "at", Before: was, After: after.At},
		{Name: "companyId", Before: before.CompanyID, After: after.CompanyID},
		{Name: "dealId", Before: before.DealID, After: after.DealID},
	}
}
