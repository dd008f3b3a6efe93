package store_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// ungranted are the exported methods that reach data without a grant, and why they may.
var ungranted = map[string][]string{
	"the transaction itself":                               {"InTx", "Joined", "View", "AfterCommit", "Enqueue"},
	"what the authorizer reads to mint grants":             {"Policy", "Subject", "SystemRoles"},
	"facts about the installation":                         {"Meta", "SetMeta", "TakeMeta"},
	"accounts: package accounts decides who calls":         {"UserByID", "UserByEmail", "CountUsers", "InsertUser", "UpdateUser", "InsertTeam", "SetTeamManager", "LockUser", "LockRole"},
	"sessions: known by the hash of a secret":              {"Session", "InsertSession", "TouchSession", "DeleteSession", "DeleteUserSessions", "DeleteExpiredSessions"},
	"one person's own: they take that user's id":           {"Conversation", "Conversations", "Turn", "Proposal", "ProposalToDecide", "Proposals", "OpenProposal", "ConversationProposals", "DeclinedProposal", "WaitingProposals", "IdempotencyKey"},
	"writes of a turn that its owner started":              {"Messages", "SaidSince", "InsertConversation", "UpdateConversation", "InsertMessages", "InsertOpening", "UpdateMessage", "InsertTurn", "EndTurn", "Outside", "MarkOutside", "Summary", "PutSummary", "MarkSummaryTold", "RunningTurns", "StopReply"},
	"the state machine of proposals, which checks its own": {"InsertProposal", "OverdueProposals", "ExpireProposal", "SupersedeProposal", "DecideProposal", "LinkFresh", "MarkUndone"},
	"what a requester of a proposal is told of its target": {"RecordState", "FieldChangesSince"},
	"approval rules: package settings authorizes":          {"ApprovalRules", "ApprovalRulesFor", "ApprovalRule", "InsertApprovalRule", "UpdateApprovalRule", "DeleteApprovalRule", "Roles"},
	"an approval that the rules demand of a proposal":      {"DemandApproval"},
	"what approval rules compare of a proposal":            {"RecordAmount", "QuotationDiscount", "UnapprovedChanges", "CountUnapproved"},
	"keys of a person's own requests":                      {"InsertIdempotencyKey", "FinishIdempotencyKey", "DropIdempotencyKey", "DeleteOldIdempotencyKeys"},
	"the record is written for everyone, and sealed":       {"AddAuditEntry", "AddFieldChanges", "AuditTail", "UnsealedAudit", "SealAudit", "SealedAudit", "HasUnsealedAudit"},
	"settings: package settings authorizes":                {"AIConfig", "PutAIConfig", "LearnAIConfig", "DeleteAIConfig", "LockAIConfig", "ModelPrices", "ModelPrice", "InsertModelPrice", "DeleteFuturePrice", "Budgets", "Budget", "PutBudget", "DeleteBudget", "LastModelCall"},
	"the ledger of calls that a person's turn makes":       {"AddModelCall", "ConversationTokens", "ModelPriceAt", "Spent", "LockBudgets", "InsertReservation", "DeleteReservation", "FailingCalls", "AddModelCallText", "DeleteOldModelCallTexts", "AddToolRun"},
	"jobs that carry on with what a grant has queued":      {"ClaimDelivery", "MoveDelivery", "DeliveriesLeft", "SetOutcome"},
	"setting up an installation":                           {"InsertPipeline", "InsertProduct"},
}

var grantTypes = []reflect.Type{reflect.TypeFor[rbac.Grant](), reflect.TypeFor[store.DealGrants](), reflect.TypeFor[store.ActivityGrants](), reflect.TypeFor[store.ContactGrants](), reflect.TypeFor[store.TaskGrants](), reflect.TypeFor[store.QuotationGrants]()}

func takesGrant(m reflect.Type) bool {
	for i := range m.NumIn() {
		for _, grant := range grantTypes {
			if m.In(i) == grant {
				return true
			}
		}
	}
	return false
}

// Every exported method takes a grant or is listed above; with the zero Grant each refuses before it reads or writes.
func TestEveryMethodDemandsAGrant(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{}
	for reason, names := range ungranted {
		for _, name := range names {
			reasons[name] = reason
		}
	}
	db := dbtest.Open(t, "sqlite")
	w := dbtest.NewWorld(t, db)
	w.InTx(t, func(tx *store.Tx) {
		v := reflect.ValueOf(tx)
		require.Greater(t, v.NumMethod(), 50)
		for i := range v.NumMethod() {
			name, method := v.Type().Method(i).Name, v.Method(i)
			if !takesGrant(method.Type()) {
				require.Contains(t, reasons, name, "takes no grant, and no reason is given")
				delete(reasons, name)
				continue
			}
			require.NotContains(t, reasons, name, "takes a grant, so it is no exception")
			out := method.Call(zeroArguments(t, method.Type()))
			err, _ := out[len(out)-1].Interface().(error)
			require.Error(t, err, "%s with the zero Grant", name)
			require.True(t, apperr.Is(err, apperr.Internal), "%s: %v", name, err)
			require.Contains(t, err.Error(), "rbac: a grant of", name)
		}
	})
	require.Empty(t, reasons, "these methods are gone")
}

// The grants of every other permission open none of the methods, either.
func TestNoMethodTakesAnotherPermission(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
	w.InTx(t, func(tx *store.Tx) {
		for i := range reflect.TypeOf(tx).NumMethod() {
			name, method := reflect.TypeOf(tx).Method(i).Name, reflect.ValueOf(tx).Method(i)
			if !takesGrant(method.Type()) || slices.Contains(asking, name) {
				continue
			}
			opened := map[string]bool{}
			for _, p := range rbac.Registry() {
				g := w.Grant(t, w.Admin, p)
				if !refuses(method, g) {
					opened[p.Action()] = true
				}
			}
			require.Len(t, opened, 1, "%s opens to %v", name, opened)
		}
	})
}

// asking are methods that only ask how far a grant, of whatever right, reaches.
var asking = []string{"Covers", "Standing", "PersonInScope"}

// refuses reports whether a method turns a grant away, for each type of record that it may be about.
func refuses(method reflect.Value, g rbac.Grant) bool {
	for _, kind := range []models.RecordType{
		models.TypeCompany, models.TypeDeal, models.TypeActivity, models.TypeProduct, models.TypePerson, models.TypeTeam, models.TypePipeline, models.TypeStage,
		models.TypeContact, models.TypeTask, models.TypeQuotation,
	} {
		in := zeroArguments(nil, method.Type())
		for i := range in {
			switch in[i].Type() {
			case grantTypes[0]:
				in[i] = reflect.ValueOf(g)
			case grantTypes[1]:
				in[i] = reflect.ValueOf(store.DealGrants{Deal: g})
			case grantTypes[2]:
				in[i] = reflect.ValueOf(store.ActivityGrants{Activity: g})
			case grantTypes[3]:
				in[i] = reflect.ValueOf(store.ContactGrants{Contact: g})
			case grantTypes[4]:
				in[i] = reflect.ValueOf(store.TaskGrants{Task: g})
			case grantTypes[5]:
				in[i] = reflect.ValueOf(store.QuotationGrants{Quotation: g})
			case reflect.TypeFor[models.RecordType]():
				in[i] = reflect.ValueOf(kind)
			case reflect.TypeFor[store.NameQuery]():
				in[i] = reflect.ValueOf(store.NameQuery{Kind: kind})
			}
		}
		// An ended context keeps what is let through from doing anything.
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		in[0] = reflect.ValueOf(ctx)
		out := method.Call(in)
		err, _ := out[len(out)-1].Interface().(error)
		if err == nil || !strings.Contains(err.Error(), "rbac: a grant of") {
			return false
		}
	}
	return true
}

func zeroArguments(t *testing.T, method reflect.Type) []reflect.Value {
	in := make([]reflect.Value, method.NumIn())
	for i := range in {
		in[i] = reflect.Zero(method.In(i))
		if method.In(i).Kind() == reflect.Pointer {
			in[i] = reflect.New(method.In(i).Elem())
		}
	}
	if t != nil {
		in[0] = reflect.ValueOf(t.Context())
	}
	return in
}

// The optional grants beside the main one must be what they are for.
func TestGrantsForNamesAreOfTheirOwnPermission(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "sqlite"))
	deal, activity, company := w.Grant(t, w.Admin, rbac.DealRead), w.Grant(t, w.Admin, rbac.ActivityRead), w.Grant(t, w.Admin, rbac.CompanyUpdate)
	contact, task := w.Grant(t, w.Admin, rbac.ContactRead), w.Grant(t, w.Admin, rbac.TaskRead)
	w.View(t, func(r *store.Reader) {
		_, err := r.Deal(t.Context(), store.DealGrants{Deal: deal, Company: company}, w.AcmeRenewal.ID)
		requireKind(t, err, apperr.Internal)
		_, err = r.Deals(t.Context(), store.DealGrants{Deal: deal, Company: deal}, store.DealFilter{}, store.Page{})
		requireKind(t, err, apperr.Internal)
		_, err = r.SummarizeDeals(t.Context(), store.DealGrants{Deal: deal, Company: company}, store.DealFilter{}, "")
		requireKind(t, err, apperr.Internal)
		_, err = r.Activities(t.Context(), store.ActivityGrants{Activity: activity, Company: company}, store.ActivityFilter{}, store.Page{})
		requireKind(t, err, apperr.Internal)
		_, err = r.Activity(t.Context(), store.ActivityGrants{Activity: activity, Deal: activity}, models.NewID())
		requireKind(t, err, apperr.Internal)
		_, err = r.Contacts(t.Context(), store.ContactGrants{Contact: contact, Company: company}, store.ContactFilter{}, store.Page{})
		requireKind(t, err, apperr.Internal)
		_, err = r.ContactsByEmail(t.Context(), store.ContactGrants{Contact: contact, PII: contact}, "amy@acme.test", 1)
		requireKind(t, err, apperr.Internal)
		_, err = r.Tasks(t.Context(), store.TaskGrants{Task: task, Contact: task}, store.TaskFilter{}, store.Page{})
		requireKind(t, err, apperr.Internal)
	})
}
