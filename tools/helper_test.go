package tools_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/conversations"
	"countersign/crm"
	"countersign/deliveries"
	"countersign/internal/dbtest"
	"countersign/mail"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
	"countersign/tools"
)

const unknownID = "0190ffff-ffff-7fff-8fff-ffffffffffff"

// desk is the World with everything that a tool call goes through.
type desk struct {
	*dbtest.World
	registry   *tools.Registry
	executor   *tools.Executor
	proposals  *proposals.Service
	companies  *crm.Companies
	deals      *crm.Deals
	activities *crm.Activities
	contacts   *crm.Contacts
	tasks      *crm.Tasks
	quotations *crm.Quotations
	raw        *sql.DB
}

// each runs a test at a desk of its own on both dialects.
func each(t *testing.T, fn func(t *testing.T, d *desk)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) { fn(t, newDesk(t, db)) })
}

func newDesk(t testing.TB, db *store.DB) *desk {
	t.Helper()
	w := dbtest.NewWorld(t, db)
	now := w.Clock.Now
	d := &desk{
		World: w, proposals: proposals.NewService(db, w.Gate, now), companies: crm.NewCompanies(db, w.Gate, now),
		deals: crm.NewDeals(db, w.Gate, now), activities: crm.NewActivities(db, w.Gate, now), raw: dbtest.Raw(t, db),
		contacts: crm.NewContacts(db, w.Gate, now), tasks: crm.NewTasks(db, w.Gate, now),
		quotations: crm.NewQuotations(db, w.Gate, now),
	}
	mailer, err := mail.NewServer(mail.Options{URL: "smtp://mail.test"})
	require.NoError(t, err)
	talk := conversations.NewService(db, now)
	d.registry = tools.Standard(tools.Services{
		Resolver: resolve.New(db, w.Gate), Search: crm.NewSearch(db, w.Gate, now),
		Companies: d.companies, Deals: d.deals, Activities: d.activities, Contacts: d.contacts, Tasks: d.tasks, Quotations: d.quotations, Now: now,
		Products: crm.NewProducts(db, w.Gate, now), Pipelines: crm.NewPipelines(db, w.Gate, now), Proposals: d.proposals, Runner: db,
		Conversations: talk,
		Deliveries:    deliveries.NewService(deliveries.Options{Runner: db, Gate: w.Gate, Now: now, Mailer: mailer, Tell: talk.Tell}),
	})
	d.executor = d.execute(t, d.registry)
	return d
}

// execute makes an executor of a registry.
func (d *desk) execute(t testing.TB, r *tools.Registry) *tools.Executor {
	t.Helper()
	e, err := tools.NewExecutor(tools.ExecutorOptions{
		Registry: r, Gate: d.Gate, Proposals: d.proposals, Runner: d.DB, Now: d.Clock.Now,
	})
	require.NoError(t, err)
	return e
}

// move gives a quotation another status.
func (d *desk) move(t testing.TB, actor models.Actor, id string, status models.QuotationStatus) {
	t.Helper()
	before, err := d.quotations.Get(t.Context(), actor, id)
	require.NoError(t, err)
	_, err = d.quotations.Update(t.Context(), actor, id, before.Version, crm.QuotationPatch{Status: models.Some(status)})
	require.NoError(t, err)
}

// call calls a tool as the model does.
func (d *desk) call(t testing.TB, actor models.Actor, name, args string) tools.Outcome {
	t.Helper()
	return d.executor.Call(t.Context(), actor.As(models.ViaAssistant), tools.Call{ID: "call-1", Name: name, Args: json.RawMessage(args)})
}

// decide confirms a proposal as the card shows it.
func (d *desk) decide(t testing.TB, actor models.Actor, p *models.Proposal) (*proposals.Verdict, error) {
	t.Helper()
	nothing := func(context.Context, *store.Tx, *models.Proposal) error { return nil }
	return d.proposals.Decide(t.Context(), actor, proposals.Decision{ProposalID: p.ID, Digest: p.Digest, Confirm: true}, tools.NewPerformer(d.registry, d.Gate), nothing)
}

// say types a command.
func (d *desk) say(t testing.TB, actor models.Actor, text string) tools.Outcome {
	t.Helper()
	command, err := d.registry.ParseCommand(actor.Lang, text)
	require.NoError(t, err, text)
	return d.executor.Call(t.Context(), actor.As(models.ViaCommand), tools.Call{ID: "call-1", Name: command.Tool, Args: command.Args})
}

// done is say for a command that must succeed, with its result decoded into a T.
func done[T any](t testing.TB, d *desk, actor models.Actor, text string) (T, tools.Outcome) {
	t.Helper()
	o := d.say(t, actor, text)
	require.Equal(t, models.CallOK, o.Status, "%s: %s", text, o.Summary)
	require.Nil(t, o.Error)
	return decoded[T](t, o), o
}

func decoded[T any](t testing.TB, o tools.Outcome) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal(o.Result, &v), "%s", o.Result)
	return v
}

// fails demands an error of a kind, and gives it.
func fails(t testing.TB, o tools.Outcome, kind string) tools.CallError {
	t.Helper()
	require.NotNil(t, o.Error, "%s", o.Summary)
	require.Equal(t, kind, o.Error.Kind, o.Error.Message)
	want := models.CallFailed
	if kind == "forbidden" {
		want = models.CallDenied
	}
	require.Equal(t, want, o.Status)
	require.Empty(t, o.Result)
	require.Nil(t, o.Proposal)
	require.NotEmpty(t, o.Error.Message)
	require.Equal(t, o.Error.Message, o.Text)
	return *o.Error
}

// apperrOf is the error behind err, which must not be nil.
func apperrOf(t testing.TB, err error) *apperr.Error {
	t.Helper()
	require.Error(t, err)
	return apperr.As(err)
}

// unseen demands that a command about a hidden record is answered in the same words, and with the same
// candidates, as one about a record that never was. record stands for %s.
func (d *desk) unseen(t testing.TB, actor models.Actor, command, record string) {
	t.Helper()
	hidden := fails(t, d.say(t, actor, strings.ReplaceAll(command, "%s", record)), "not_found")
	never := fails(t, d.say(t, actor, strings.ReplaceAll(command, "%s", unknownID)), "not_found")
	words := func(e tools.CallError, id string) string {
		before, _, _ := strings.Cut(e.Message, "Nearest") // how near a name is depends on the letters of the id
		return strings.ReplaceAll(before, id, "it")
	}
	require.Equal(t, words(never, unknownID), words(hidden, record))
	require.ElementsMatch(t, never.Candidates, hidden.Candidates)
	for _, c := range hidden.Candidates {
		require.NotEqual(t, record, c.ID)
	}
}

// chinese is the actor speaking Chinese.
func chinese(a models.Actor) models.Actor {
	a.Lang = "zh-HK"
	return a
}

// clerk takes all rights from an actor but the use of the assistant.
func (d *desk) clerk(t testing.TB, actor models.Actor) models.Actor {
	t.Helper()
	d.exec(t, "INSERT INTO roles (slug, name, is_system) VALUES ('clerk', 'Clerk', FALSE)")
	d.exec(t, "INSERT INTO role_permissions (role_slug, permission, scope) VALUES ('clerk', $1, 'all')", string(rbac.AssistantUse))
	d.exec(t, "UPDATE policy_state SET version = version + 1")
	d.exec(t, "UPDATE users SET role = 'clerk' WHERE id = $1", actor.UserID)
	return actor
}

// exec changes the database behind the back of everything.
func (d *desk) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	_, err := d.raw.ExecContext(t.Context(), query, args...)
	require.NoError(t, err)
}

// count runs a query that gives one number.
func (d *desk) count(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, d.raw.QueryRowContext(t.Context(), query, args...).Scan(&n))
	return n
}

// entries are the audit entries so far, oldest first.
func (d *desk) entries(t testing.TB) (all []models.AuditEntry) {
	t.Helper()
	d.InTx(t, func(tx *store.Tx) {
		var err error
		all, err = tx.UnsealedAudit(t.Context(), 1000)
		require.NoError(t, err)
	})
	return all
}

// last is the latest audit entry of an action.
func (d *desk) last(t testing.TB, action string) models.AuditEntry {
	t.Helper()
	var found *models.AuditEntry
	for _, e := range d.entries(t) {
		if e.Action == action {
			found = &e
		}
	}
	require.NotNil(t, found, "no audit entry of %s", action)
	return *found
}

// list is a result that shows some of all rows.
type list struct {
	Shown int   `json:"shown"`
	Total int64 `json:"total"`
	Items []row `json:"items"`
}

// row has what the tests look at of any kind of row.
type row struct {
	Type, ID, Name, Title, Stage, Phone, Owner, Detail string
}

func (l list) names() []string {
	names := []string{}
	for _, r := range l.Items {
		names = append(names, r.Name+r.Title)
	}
	return names
}

// writes counts everything that a write leaves behind.
func (d *desk) writes(t testing.TB) int {
	t.Helper()
	return d.count(t, "SELECT (SELECT COUNT(*) FROM field_changes) + (SELECT COUNT(*) FROM companies) + (SELECT COUNT(*) FROM deals) + (SELECT COUNT(*) FROM activities) + (SELECT COUNT(*) FROM contacts) + (SELECT COUNT(*) FROM tasks) + (SELECT SUM(version) FROM tasks) + (SELECT SUM(version) FROM deals) + (SELECT SUM(version) FROM companies)")
}
