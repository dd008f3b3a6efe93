package store_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// The values that databases like to spoil.
const (
	text  = "海港 👩‍👩‍👧 \"'; DROP TABLE deals; -- \\ % _ \r\n\t<ﬁ>"
	exact = int64(999_999_999_999_999) // more digits than a float keeps
)

var moment = time.Date(2026, time.March, 31, 23, 59, 59, 123456000, time.UTC)

func ptr[T any](v T) *T { return &v }

// requireFull fails for a field that a test of every field has left empty.
func requireFull(t *testing.T, record any) {
	t.Helper()
	v := reflect.Indirect(reflect.ValueOf(record))
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Anonymous || f.Tag.Get("gorm") == "-" {
			continue
		}
		require.False(t, v.FieldByIndex(f.Index).IsZero(), "%s.%s is not tested", v.Type(), f.Name)
	}
}

// live is the shared part of a record with everything that a live record can have.
func live() models.Record {
	return models.Record{ID: models.NewID(), Version: 1, CreatedAt: moment, UpdatedAt: moment.Add(time.Microsecond)}
}

// binned completes a record for requireFull: what only the bin fills is tested there.
func binned(r models.Record) models.Record {
	r.DeletedAt, r.DeletedBy = &moment, ptr("x")
	return r
}

func TestCompanyRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		full := models.Company{
			Record: live(), ExternalID: ptr(text), Name: text, OtherNames: models.Strings{text, ""}, Industry: text, Status: models.CompanyChurned,
			Website: text, Phone: text, Address: text, ParentID: &w.Acme.ID, OwnerID: &w.Sales1.UserID, Tags: models.Strings{text}, Notes: text,
		}
		check := full
		check.Record = binned(full.Record)
		requireFull(t, check)
		empty := models.Company{Record: live(), OtherNames: models.Strings{}, Tags: models.Strings{}, Status: models.CompanyLead}
		read, create, update := w.Grant(t, w.Admin, rbac.CompanyRead), w.Grant(t, w.Admin, rbac.CompanyCreate), w.Grant(t, w.Admin, rbac.CompanyUpdate)
		stored := func(id string) (c models.Company) {
			w.View(t, func(r *store.Reader) {
				view, err := r.Company(t.Context(), read, id)
				require.NoError(t, err)
				c = view.Company
			})
			return c
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertCompany(t.Context(), create, ptr(full)))
			require.NoError(t, tx.InsertCompany(t.Context(), create, ptr(empty)))
		})
		require.Equal(t, full, stored(full.ID))
		require.Equal(t, empty, stored(empty.ID))

		// SEC-44: an update can empty every field, and fill it.
		emptied, filled := empty, full
		emptied.Record, filled.Record, filled.ExternalID = full.Record, empty.Record, ptr("another")
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateCompany(t.Context(), update, &emptied, moment.Add(time.Second)))
			require.NoError(t, tx.UpdateCompany(t.Context(), update, &filled, moment.Add(time.Second)))
		})
		require.Equal(t, int64(2), emptied.Version)
		require.Equal(t, emptied, stored(full.ID))
		require.Equal(t, filled, stored(empty.ID))
	})
}

func TestDealRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		full := models.Deal{
			Record: live(), ExternalID: ptr(text), Title: text, CompanyID: &w.Acme.ID, ProductID: &w.Crane.ID, PipelineID: w.Selling.ID, StageID: w.Lost.ID,
			AmountMinor: ptr(exact), Currency: ptr("KWD"), OpenedAt: &moment, ExpectedCloseDate: ptr(models.Date("2024-02-29")), ClosedAt: &moment,
			OwnerID: w.Sales1.UserID, LostReason: text,
		}
		check := full
		check.Record = binned(full.Record)
		requireFull(t, check)
		empty := models.Deal{Record: live(), PipelineID: w.Selling.ID, StageID: w.New.ID, OwnerID: w.Sales1.UserID}
		create, update := w.Grant(t, w.Admin, rbac.DealCreate), w.Grant(t, w.Admin, rbac.DealUpdate)
		stored := func(id string) (d models.Deal) {
			w.View(t, func(r *store.Reader) {
				view, err := r.Deal(t.Context(), w.DealGrants(t, w.Admin), id)
				require.NoError(t, err)
				d = view.Deal
			})
			return d
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertDeal(t.Context(), create, ptr(full)))
			require.NoError(t, tx.InsertDeal(t.Context(), create, ptr(empty)))
		})
		require.Equal(t, full, stored(full.ID))
		require.Equal(t, empty, stored(empty.ID))

		emptied, filled, zero := empty, full, full
		emptied.Record, filled.Record, filled.ExternalID = full.Record, empty.Record, ptr("another")
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateDeal(t.Context(), update, &full, &emptied, moment.Add(time.Second)))
			require.NoError(t, tx.UpdateDeal(t.Context(), update, &empty, &filled, moment.Add(time.Second)))
		})
		require.Equal(t, emptied, stored(full.ID))
		require.Equal(t, filled, stored(empty.ID))

		zero.Record, zero.AmountMinor = emptied.Record, ptr(int64(0))
		w.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.UpdateDeal(t.Context(), update, &emptied, &zero, moment)) })
		require.Equal(t, &models.Money{Minor: 0, Currency: "KWD"}, ptr(stored(full.ID)).Amount(), "nothing is an amount, too")
	})
}

func TestActivityRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		full := models.Activity{
			Record: live(), Kind: models.ActivityWhatsApp, Subject: text, Body: text, At: moment, CompanyID: &w.Acme.ID, DealID: &w.AcmeRenewal.ID,
			QuotationID: &w.QuoteAcme.ID, OwnerID: w.Sales1.UserID,
		}
		check := full
		check.Record = binned(full.Record)
		requireFull(t, check)
		empty := models.Activity{Record: live(), Kind: models.ActivityNote, At: moment, OwnerID: w.Sales1.UserID}
		create, update := w.Grant(t, w.Admin, rbac.ActivityCreate), w.Grant(t, w.Admin, rbac.ActivityUpdate)
		stored := func(id string) (a models.Activity) {
			w.View(t, func(r *store.Reader) {
				view, err := r.Activity(t.Context(), w.ActivityGrants(t, w.Admin), id)
				require.NoError(t, err)
				a = view.Activity
			})
			return a
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertActivity(t.Context(), create, ptr(full)))
			require.NoError(t, tx.InsertActivity(t.Context(), create, ptr(empty)))
		})
		require.Equal(t, full, stored(full.ID))
		require.Equal(t, empty, stored(empty.ID))
		emptied := empty
		emptied.Record = full.Record
		w.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.UpdateActivity(t.Context(), update, &emptied, moment)) })
		require.Equal(t, emptied, stored(full.ID))
	})
}

func TestProductAndPipelineRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		full := models.Product{
			Record: live(), SKU: text, Name: text, OtherNames: models.Strings{text}, Unit: text, PriceE4: ptr(exact), Currency: ptr("HKD"), TaxRateE4: 7_5000, Active: true,
		}
		empty := models.Product{Record: live(), OtherNames: models.Strings{}, PriceE4: ptr(int64(0)), Currency: ptr("HKD")}
		pipeline := models.Pipeline{ID: models.NewID(), Name: text, Position: 9, CreatedAt: moment, UpdatedAt: moment, Stages: []models.Stage{
			{ID: models.NewID(), Name: text, OtherNames: models.Strings{text}, Kind: models.StageWon, Probability: 100, Position: 1},
			{ID: models.NewID(), Name: "", OtherNames: models.Strings{}, Kind: models.StageOpen, Probability: 0, Position: 2},
		}}
		for i := range pipeline.Stages {
			pipeline.Stages[i].PipelineID = pipeline.ID
		}
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertProduct(t.Context(), ptr(full)))
			require.NoError(t, tx.InsertProduct(t.Context(), ptr(empty)))
			require.NoError(t, tx.InsertPipeline(t.Context(), ptr(pipeline)))
		})
		w.View(t, func(r *store.Reader) {
			for _, want := range []models.Product{full, empty} {
				got, err := r.Product(t.Context(), w.Grant(t, w.Viewer, rbac.ProductRead), want.ID)
				require.NoError(t, err)
				require.Equal(t, want, *got)
			}
			read := w.Grant(t, w.Viewer, rbac.PipelineRead)
			all, err := r.Pipelines(t.Context(), read)
			require.NoError(t, err)
			require.Equal(t, []models.Pipeline{w.Selling, w.Renewals, pipeline}, all)
			s, err := r.Stage(t.Context(), read, pipeline.Stages[0].ID)
			require.NoError(t, err)
			require.Equal(t, store.StageView{Stage: pipeline.Stages[0], PipelineName: pipeline.Name}, *s)
		})
	})
}

func TestAccountRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		full := models.User{
			ID: models.NewID(), Email: text, Name: text, NameKey: models.FoldName(text), PasswordHash: text, Role: "viewer", TeamID: &w.Beta.ID, Lang: "zh-HK",
			DisabledAt: &moment, Version: 1, CreatedAt: moment, UpdatedAt: moment,
		}
		requireFull(t, full)
		session := models.Session{TokenHash: "h", UserID: full.ID, CreatedAt: moment, LastSeenAt: moment, ExpiresAt: moment.Add(time.Hour), IP: "::1", UserAgent: text}
		requireFull(t, session)
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertUser(t.Context(), ptr(full)))
			require.NoError(t, tx.InsertSession(t.Context(), ptr(session)))
			policy, err := tx.Policy(t.Context())
			require.NoError(t, err)
			view, err := tx.UserByEmail(t.Context(), text)
			require.NoError(t, err)
			require.Equal(t, store.UserView{User: full, RoleName: "Viewer", TeamName: "Beta", PolicyVersion: policy.Version}, *view)
			s, err := tx.Session(t.Context(), "h", moment)
			require.NoError(t, err)
			require.Equal(t, store.SessionView{Session: session, User: *view}, *s)
			_, err = tx.Session(t.Context(), "h", session.ExpiresAt)
			require.Error(t, err, "a session ends at its end")

			emptied := full
			emptied.TeamID, emptied.DisabledAt, emptied.Lang = nil, nil, ""
			require.NoError(t, tx.UpdateUser(t.Context(), &emptied, moment))
			view, err = tx.UserByID(t.Context(), full.ID)
			require.NoError(t, err)
			require.Equal(t, store.UserView{User: emptied, RoleName: "Viewer", PolicyVersion: policy.Version}, *view)
			require.True(t, isStale(tx.UpdateUser(t.Context(), ptr(full), moment)))
		})
	})
}

func TestAssistantRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		doc := models.JSON(`{"b":1e2, "a":"海","a":null}`)
		c := models.Conversation{ID: models.NewID(), UserID: w.Sales1.UserID, Channel: models.ViaWeb, Title: text, CreatedAt: moment, UpdatedAt: moment}
		turn := models.Turn{
			ID: models.NewID(), ConversationID: c.ID, UserID: w.Sales1.UserID, UserMessageID: "m1", ReplyMessageID: "m2", Status: models.TurnRunning, Fence: 1 << 40, StartedAt: moment,
		}
		m := models.Message{
			ID: models.NewID(), ConversationID: c.ID, TurnID: &turn.ID, Role: models.RoleAssistant, Content: text, Status: models.MessageRunning,
			ToolCalls: doc, Refs: doc, Notices: doc, CreatedAt: moment, UpdatedAt: moment,
		}
		p := models.Proposal{
			ID: models.NewID(), Status: models.ProposalPending, Tool: "t", Title: text, TargetType: models.TypeDeal, TargetID: w.AcmeRenewal.ID, TargetName: text, TargetVersion: exact,
			Args: doc, Digest: "d", Changes: doc, Warnings: doc, Reason: text, RequestedBy: w.Sales1.UserID, RequesterName: text, Lang: text, ConversationID: &c.ID, TurnID: &turn.ID, CallID: "call",
			Channel: models.ViaWeb, Via: models.ViaAssistant, Model: "m", Client: "c", CreatedAt: moment, ExpiresAt: moment.Add(time.Minute),
			DecidedBy: &w.Sales1.UserID, DeciderName: text, DecidedAt: &moment, DecisionReason: text, Outcome: doc, ChangedSince: doc,
			UndoUntil: ptr(moment.Add(time.Hour)), Editable: doc, EditedArgs: doc, EditedChanges: doc, Items: doc,
			Approval: models.Approval{ApprovalRuleID: "r", ApproverRole: "manager", ApprovalReason: text, EscalationRole: "admin", EscalatesAt: &moment},
		}
		check := p
		check.FreshID, check.UndoesID, check.UndoneByID = ptr("x"), ptr("x"), ptr("x")
		requireFull(t, check)
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertConversation(ctx, ptr(c)))
			require.NoError(t, tx.InsertTurn(ctx, ptr(turn)))
			require.NoError(t, tx.InsertMessages(ctx, &m))
			second := m
			second.ID, second.ToolCalls, second.Refs, second.Notices, second.TurnID = models.NewID(), nil, nil, nil, nil
			require.NoError(t, tx.InsertMessages(ctx, &second))
			require.NoError(t, tx.InsertProposal(ctx, ptr(p)))
			require.Equal(t, []int64{1, 2}, []int64{m.Seq, second.Seq})
			requireFull(t, m)

			gotC, err := tx.Conversation(ctx, w.Sales1.UserID, c.ID)
			require.NoError(t, err)
			require.Equal(t, c, *gotC)
			gotM, err := tx.Messages(ctx, c.ID)
			require.NoError(t, err)
			require.Equal(t, []models.Message{m, second}, gotM)
			gotP, err := tx.Proposal(ctx, store.Party{UserID: w.Sales1.UserID}, p.ID)
			require.NoError(t, err)
			require.Equal(t, p, *gotP)

			turn.Status, turn.Reason, turn.Code, turn.EndedAt = models.TurnFailed, "r", "c", &moment
			require.NoError(t, tx.EndTurn(ctx, ptr(turn)))
			require.Error(t, tx.EndTurn(ctx, ptr(turn)), "a turn ends once")
			gotT, err := tx.Turn(ctx, w.Sales1.UserID, turn.ID)
			require.NoError(t, err)
			require.Equal(t, turn, *gotT)
			requireFull(t, turn)

			m.Content, m.Status, m.ToolCalls, m.Refs, m.Notices = "", models.MessageStopped, nil, nil, models.JSON(`[{"code":"C","text":"t"}]`)
			require.NoError(t, tx.UpdateMessage(ctx, ptr(m)))
			gotM, err = tx.Messages(ctx, c.ID)
			require.NoError(t, err)
			require.Equal(t, m, gotM[0])
			m.Status = models.MessageRunning
			require.Error(t, tx.UpdateMessage(ctx, ptr(m)), "a message ends once")
		})
	})
}

func TestSettingsRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		full := models.AIConfig{
			ID: models.AIConfigID, Provider: "openai", EndpointURL: text, Model: text, SealedKey: text, SystemPrompt: text, MaxRounds: 20, Learned: text, HoldBack: ptr(3), ConversationTokens: exact, ShowCost: true, Version: 2, UpdatedAt: moment, UpdatedBy: "u",
		}
		requireFull(t, full)
		w.InTx(t, func(tx *store.Tx) {
			none, err := tx.AIConfig(ctx)
			require.NoError(t, err)
			require.Nil(t, none)
			for _, want := range []models.AIConfig{full, {ID: models.AIConfigID, MaxRounds: 1, UpdatedAt: moment}} {
				require.NoError(t, tx.PutAIConfig(ctx, ptr(want)))
				got, err := tx.AIConfig(ctx)
				require.NoError(t, err)
				require.Equal(t, want, *got)
			}
			require.NoError(t, tx.DeleteAIConfig(ctx))
			none, err = tx.AIConfig(ctx)
			require.NoError(t, err)
			require.Nil(t, none)
		})
	})
}

func TestLedgerRoundTrip(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		price := models.ModelPrice{
			ID: models.NewID(), Provider: text, Model: text, StartsAt: moment, InputE6: exact, OutputE6: exact, CachedE6: exact, Currency: "USD", CreatedAt: moment, CreatedBy: "u",
		}
		budget := models.Budget{ID: models.NewID(), Scope: models.BudgetUser, Subject: text, Unit: models.BudgetCost, Amount: exact, Currency: "USD", UpdatedAt: moment, UpdatedBy: "u"}
		c := models.Conversation{ID: models.NewID(), UserID: w.Sales1.UserID, Channel: models.ViaWeb, CreatedAt: moment, UpdatedAt: moment}
		turn := models.Turn{ID: models.NewID(), ConversationID: c.ID, UserID: w.Sales1.UserID, Status: models.TurnRunning, StartedAt: moment}
		call := models.ModelCall{
			ID: models.NewID(), Purpose: models.PurposeSummary, TurnID: turn.ID, ConversationID: c.ID, UserID: w.Sales1.UserID, Role: "sales", Channel: models.ViaWeb, Provider: text, Model: text,
			Round: 1, Attempt: 2, StartedAt: moment, FirstTokenMS: ptr(exact), DurationMS: exact, PromptTokens: ptr(exact), CompletionTokens: ptr(exact),
			CachedTokens: ptr(exact), Estimated: true, Finish: text, ErrorKind: text, ErrorCode: text, PriceID: &price.ID, CostE6: ptr(exact), Currency: ptr("USD"),
		}
		requireFull(t, price)
		requireFull(t, budget)
		requireFull(t, call)
		said := models.ModelCallText{CallID: call.ID, Request: models.JSON(`{"system":"海"}`), Answer: models.JSON(`{"b":1e2, "a":"海"}`), CreatedAt: moment}
		requireFull(t, said)
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.InsertModelPrice(ctx, ptr(price)))
			gotPrice, err := tx.ModelPriceAt(ctx, text, text, moment)
			require.NoError(t, err)
			require.Equal(t, price, *gotPrice)
			none, err := tx.ModelPriceAt(ctx, text, text, moment.Add(-time.Microsecond))
			require.NoError(t, err)
			require.Nil(t, none)

			require.NoError(t, tx.PutBudget(ctx, ptr(budget)))
			gotBudget, err := tx.Budget(ctx, budget.ID)
			require.NoError(t, err)
			require.Equal(t, budget, *gotBudget)

			require.NoError(t, tx.InsertConversation(ctx, &c))
			require.NoError(t, tx.InsertTurn(ctx, &turn))
			require.NoError(t, tx.AddModelCall(ctx, ptr(call)))
			bare := models.ModelCall{ID: models.NewID(), TurnID: turn.ID, ConversationID: c.ID, UserID: w.Sales1.UserID, Role: "sales", Round: 1, StartedAt: moment}
			require.NoError(t, tx.AddModelCall(ctx, ptr(bare)))
			require.NoError(t, tx.AddModelCallText(ctx, &said))
			grant := w.Grant(t, w.Admin, rbac.AuditRead)
			got, err := tx.ModelCalls(ctx, grant, turn.ID)
			require.NoError(t, err)
			require.Equal(t, []store.SpokenCall{{call, said.Request, said.Answer}, {ModelCall: bare}}, got)
			for _, c := range []struct {
				before time.Time
				answer models.JSON
			}{{moment, said.Answer}, {moment.Add(time.Microsecond), nil}} {
				require.NoError(t, tx.DeleteOldModelCallTexts(ctx, c.before))
				got, err = tx.ModelCalls(ctx, grant, turn.ID)
				require.NoError(t, err)
				require.Equal(t, c.answer, got[0].Answer)
			}
			spent, _, err := tx.Spent(ctx, models.Budget{Scope: models.BudgetInstallation, Unit: models.BudgetTokens}, "", models.MonthOf(moment), moment)
			require.NoError(t, err)
			require.Equal(t, 2*exact, spent)
		})
	})
}

func TestMetaAndIdempotencyKeys(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		ctx := t.Context()
		key := store.IdempotencyKey{UserID: w.Sales1.UserID, Key: "k", RequestHash: "h", CreatedAt: moment}
		w.InTx(t, func(tx *store.Tx) {
			for _, want := range []string{"", text, "last"} {
				if want != "" {
					require.NoError(t, tx.SetMeta(ctx, "fact", want))
				}
				got, err := tx.Meta(ctx, "fact")
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			for _, c := range []struct {
				value string
				taken bool
			}{{"other", false}, {"last", true}, {"last", false}} {
				taken, err := tx.TakeMeta(ctx, "fact", c.value)
				require.NoError(t, err)
				require.Equal(t, c.taken, taken)
			}

			require.NoError(t, tx.InsertIdempotencyKey(ctx, ptr(key)))
			key.Status, key.ContentType, key.Body = 201, "application/json", text
			require.NoError(t, tx.FinishIdempotencyKey(ctx, ptr(key)))
			got, err := tx.IdempotencyKey(ctx, key.UserID, "k")
			require.NoError(t, err)
			require.Equal(t, key, *got)
			none, err := tx.IdempotencyKey(ctx, w.Sales2.UserID, "k")
			require.NoError(t, err)
			require.Nil(t, none, "a key is of one user")
			require.NoError(t, tx.DeleteOldIdempotencyKeys(ctx, moment))
			got, err = tx.IdempotencyKey(ctx, key.UserID, "k")
			require.NoError(t, err)
			require.NotNil(t, got, "not older than the time")
			require.NoError(t, tx.DropIdempotencyKey(ctx, key.UserID, "k"))
			got, err = tx.IdempotencyKey(ctx, key.UserID, "k")
			require.NoError(t, err)
			require.Nil(t, got)
		})
	})
}

// Whatever the zone a caller's time is in, it is stored and compared as the moment that it is.
func TestTimesOfOtherZones(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		d := w.HarbourRollout
		closed := time.Date(2026, time.April, 1, 7, 30, 0, 0, time.FixedZone("HKT", 8*60*60)) // 31 March in UTC
		d.ClosedAt = &closed
		w.InTx(t, func(tx *store.Tx) {
			require.NoError(t, tx.UpdateDeal(t.Context(), w.Grant(t, w.Admin, rbac.DealUpdate), &w.HarbourRollout, &d, moment))
		})
		w.View(t, func(r *store.Reader) {
			view, err := r.Deal(t.Context(), w.DealGrants(t, w.Admin), d.ID)
			require.NoError(t, err)
			require.Equal(t, closed.UTC(), *view.ClosedAt)
			for _, c := range []struct {
				from, before time.Time
				want         int64
			}{
				{closed, closed.Add(time.Microsecond), 1},
				{closed.Add(time.Microsecond), closed.Add(time.Hour), 0},
				{closed.Add(-time.Hour), closed, 0},
			} {
				from, before := c.from.UTC(), c.before
				page, err := r.Deals(t.Context(), w.DealGrants(t, w.Admin), store.DealFilter{ClosedFrom: &from, ClosedBefore: &before}, store.Page{})
				require.NoError(t, err)
				require.Equal(t, c.want, page.Total)
			}
			// SEC-46: the month is Hong Kong's.
			months, err := r.SummarizeDeals(t.Context(), w.DealGrants(t, w.Admin), store.DealFilter{StageKind: models.StageWon}, "month")
			require.NoError(t, err)
			require.Len(t, months, 1)
			require.Equal(t, "2026-04", months[0].Key)
		})
	})
}

// SEC-47: what a database cannot keep is refused in words, and never leaves a transaction half done.
func TestUnstorableText(t *testing.T) {
	t.Parallel()
	w := dbtest.NewWorld(t, dbtest.Open(t, "postgres"))
	for _, bad := range []string{"a\x00b", "\xff"} {
		c := models.Company{Record: live(), Name: bad, Status: models.CompanyLead}
		err := w.DB.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.InsertCompany(t.Context(), w.Grant(t, w.Admin, rbac.CompanyCreate), &c)
		})
		requireCode(t, err, "INVALID_TEXT")
	}
	c := models.Company{Record: live(), Name: incompressible(9000), Status: models.CompanyLead}
	err := w.DB.InTx(t.Context(), func(tx *store.Tx) error {
		return tx.InsertCompany(t.Context(), w.Grant(t, w.Admin, rbac.CompanyCreate), &c)
	})
	requireCode(t, err, "TOO_LONG")
}

func incompressible(n int) string {
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(models.NewID()[19:])
	}
	return b.String()
}
