package crm_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/crm"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// world is a dbtest.World with the services over it.
type world struct {
	*dbtest.World
	companies  *crm.Companies
	contacts   *crm.Contacts
	deals      *crm.Deals
	activities *crm.Activities
	tasks      *crm.Tasks
	quotations *crm.Quotations
	pipelines  *crm.Pipelines
	products   *crm.Products
	history    *crm.History
	search     *crm.Search
	raw        *sql.DB
}

// each runs fn on a fresh world per dialect.
func each(t *testing.T, fn func(t *testing.T, w *world)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *store.DB) { fn(t, newWorld(t, db)) })
}

func newWorld(t *testing.T, db *store.DB) *world {
	t.Helper()
	w := dbtest.NewWorld(t, db)
	return &world{
		World:      w,
		companies:  crm.NewCompanies(db, w.Gate, w.Clock.Now),
		contacts:   crm.NewContacts(db, w.Gate, w.Clock.Now),
		deals:      crm.NewDeals(db, w.Gate, w.Clock.Now),
		activities: crm.NewActivities(db, w.Gate, w.Clock.Now),
		tasks:      crm.NewTasks(db, w.Gate, w.Clock.Now),
		quotations: crm.NewQuotations(db, w.Gate, w.Clock.Now),
		pipelines:  crm.NewPipelines(db, w.Gate, w.Clock.Now),
		products:   crm.NewProducts(db, w.Gate, w.Clock.Now),
		history:    crm.NewHistory(db, w.Gate, w.Clock.Now),
		search:     crm.NewSearch(db, w.Gate, w.Clock.Now),
		raw:        dbtest.Raw(t, db),
	}
}

// exec changes the database behind the services' back.
func (w *world) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	_, err := w.raw.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// role gives an actor a role of its own, with the scope of each of its permissions.
func (w *world) role(t *testing.T, actor models.Actor, permissions map[rbac.Permission]rbac.Scope) {
	t.Helper()
	slug := models.NewID()
	w.exec(t, "INSERT INTO roles (slug, name, is_system) VALUES ($1, 'Custom', FALSE)", slug)
	for p, scope := range permissions {
		w.exec(t, "INSERT INTO role_permissions (role_slug, permission, scope) VALUES ($1, $2, $3)", slug, string(p), scope.String())
	}
	w.exec(t, "UPDATE policy_state SET version = version + 1")
	w.exec(t, "UPDATE users SET role = $1 WHERE id = $2", slug, actor.UserID)
}

// recorded are the audit entries that fn adds, the latest first.
func (w *world) recorded(t *testing.T, fn func()) []models.AuditEntry {
	t.Helper()
	before := w.audit(t).Total
	fn()
	after := w.audit(t)
	return after.Items[:after.Total-before]
}

func (w *world) audit(t *testing.T) (list store.List[models.AuditEntry]) {
	t.Helper()
	w.View(t, func(r *store.Reader) {
		var err error
		list, err = r.AuditEntries(t.Context(), w.Grant(t, w.Admin, rbac.AuditRead), store.AuditFilter{}, store.Page{})
		require.NoError(t, err)
	})
	return list
}

// refused runs fn, which must be refused for want of p, change nothing, and leave one denied entry about target.
func (w *world) refused(t *testing.T, p rbac.Permission, target string, fn func() error) {
	t.Helper()
	var err error
	before := w.content(t)
	entries := w.recorded(t, func() { err = fn() })
	requireKind(t, apperr.Forbidden, err)
	require.Equal(t, string(p), apperr.As(err).Extra["permission"])
	require.Contains(t, apperr.As(err).Message, string(p))
	require.Len(t, entries, 1)
	require.Equal(t, models.DecisionDenied, entries[0].Decision)
	require.Equal(t, string(p), entries[0].Action)
	require.Equal(t, target, entries[0].TargetID)
	require.Equal(t, before, w.content(t))
}

// nothing runs fn, which must fail with a kind, change nothing and record nothing.
func (w *world) nothing(t *testing.T, kind apperr.Kind, fn func() error) *apperr.Error {
	t.Helper()
	var err error
	before := w.content(t)
	require.Empty(t, w.recorded(t, func() { err = fn() }))
	requireKind(t, kind, err)
	require.Equal(t, before, w.content(t))
	return apperr.As(err)
}

// content is all that the tables of records hold.
func (w *world) content(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, table := range []string{"companies", "contacts", "deals", "activities", "tasks", "quotations", "quotation_items", "quotation_numbers", "field_changes", "record_names"} {
		w.dump(t, &all, table)
	}
	return all.String()
}

func (w *world) dump(t *testing.T, into *strings.Builder, table string) {
	t.Helper()
	rows, err := w.raw.QueryContext(t.Context(), "SELECT * FROM "+table+" ORDER BY 1, 2")
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	require.NoError(t, err)
	values, at := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		at[i] = &values[i]
	}
	for rows.Next() {
		require.NoError(t, rows.Scan(at...))
		fmt.Fprintln(into, table, values)
	}
	require.NoError(t, rows.Err())
}

func requireKind(t *testing.T, kind apperr.Kind, err error) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, kind, apperr.As(err).Kind, "%v", err)
}

// wrongField says which field an Invalid error is about.
func wrongField(t *testing.T, err error) string {
	t.Helper()
	requireKind(t, apperr.Invalid, err)
	require.Len(t, apperr.As(err).Fields, 1, "%v", err)
	require.NotEmpty(t, apperr.As(err).Message)
	return apperr.As(err).Fields[0].Path
}

// must is the value of a call that succeeds.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}

func null[T any]() models.Optional[T] { return models.Optional[T]{Set: true} }

func ptr[T any](v T) *T { return &v }

func hkd(minor int64) *models.Money { return &models.Money{Minor: minor, Currency: "HKD"} }

func ids[T any](list []T, id func(T) string) []string {
	all := make([]string, len(list))
	for i, v := range list {
		all[i] = id(v)
	}
	return all
}

func dealID(v store.DealView) string           { return v.ID }
func companyID(v crm.Company) string           { return v.ID }
func contactID(v crm.Contact) string           { return v.ID }
func activityID(v store.ActivityView) string   { return v.ID }
func taskID(v store.TaskView) string           { return v.ID }
func quotationID(v store.QuotationView) string { return v.ID }

func hitID(h store.NameHit) string { return h.RecordID }

// changed are the fields that the history tells of one version of a record, in order of their names.
func (w *world) changed(t *testing.T, kind models.RecordType, id string, version int64) (fields []string) {
	t.Helper()
	for _, item := range must(w.history.Of(t.Context(), w.Admin, kind, id))(t) {
		if item.RecordVersion == version {
			fields = append(fields, item.Field)
		}
	}
	slices.Sort(fields)
	return fields
}
