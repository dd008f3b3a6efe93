package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"countersign/apperr"
	"countersign/audit"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/store"
)

// Call is one call of a tool.
type Call struct {
	ID   string
	Name string
	Args json.RawMessage
	// ConversationID, TurnID and Channel say where it was made.
	ConversationID string
	TurnID         string
	Channel        models.Via
	// Outside is the record whose text, written by somebody else, the caller has read; nil for none. With it set,
	// nothing is created without a confirmation.
	Outside *models.Ref
}

// Outcome is how a call ended. Result is the compact JSON of what came back, Error is set when Status is
// failed or denied, Proposal when it is proposed, Outside when it told text that somebody else wrote.
type Outcome struct {
	Status   models.ToolCallStatus
	Summary  string
	Text     string
	Result   models.JSON
	Refs     []models.Ref
	Error    *CallError
	Proposal *models.Proposal
	Outside  *models.Ref
	After    After
	Duration time.Duration
}

// Executor is the one pipeline that runs tools.
type Executor struct {
	registry  *Registry
	gate      *audit.Gate
	proposals *proposals.Service
	runner    store.Runner
	now       func() time.Time
	timeout   time.Duration
}

// ExecutorOptions are what an Executor works with.
type ExecutorOptions struct {
	Registry  *Registry
	Gate      *audit.Gate
	Proposals *proposals.Service
	Runner    store.Runner
	Now       func() time.Time
	// Timeout bounds one call; 0 means 20 seconds.
	Timeout time.Duration
}

// NewExecutor checks the options and returns an Executor.
func NewExecutor(o ExecutorOptions) (*Executor, error) {
	if o.Registry == nil || o.Gate == nil || o.Proposals == nil || o.Runner == nil || o.Now == nil {
		return nil, errors.New("tools: an executor needs registry, gate, proposals, runner and clock")
	}
	if o.Timeout == 0 {
		o.Timeout = 20 * time.Second
	}
	return &Executor{o.Registry, o.Gate, o.Proposals, o.Runner, o.Now, o.Timeout}, nil
}

// Registry gives the tools.
func (e *Executor) Registry() *Registry { return e.registry }

// Effect says what a tool may do; empty for one that does not exist.
func (e *Executor) Effect(name string) Effect {
	if t := e.registry.byName[name]; t != nil && t.Name == name {
		return t.Effect
	}
	return ""
}

// Label is a tool's name for a person; the name itself for one that does not exist.
func (e *Executor) Label(lang, name string) string { return e.registry.Label(lang, name) }

// maxName bounds, in characters, what is repeated of a name that a caller made up.
const maxName = 60

// Call runs a tool for an actor. Whatever goes wrong is in the outcome: a panic or time-out of a tool is
// that call's error. When ctx ends, a look-up stops and nothing starts any more; a write that has started
// finishes. Every call is audited, also one that was refused or failed.
func (e *Executor) Call(ctx context.Context, actor models.Actor, call Call) Outcome {
	started := time.Now()
	call.Name = cutRunes(models.CleanLine(call.Name), maxName)
	if e.Effect(call.Name) == Read {
		ctx = rbac.AtOnce(ctx)
	}
	outcome, err := e.contained(ctx, actor, call)
	if err != nil {
		outcome = failure(ctx, actor.Lang, err)
	}
	outcome.Outside = outsideOf(e.Effect(call.Name), outcome)
	if sees, err := e.gate.SeesPersonal(ctx, actor); err != nil || !sees {
		outcome = private(outcome)
	}
	outcome.Duration = time.Since(started)
	if err := e.record(ctx, actor, call, outcome); err != nil {
		slog.ErrorContext(ctx, "tool call not recorded", "tool", call.Name, "request_id", actor.RequestID, "error", err)
		return failure(ctx, actor.Lang, err)
	}
	return outcome
}

// bounded is the time that a call of a tool has. A write is not broken off when its caller goes away.
func (e *Executor) bounded(ctx context.Context, t *Tool) (context.Context, context.CancelFunc) {
	if t.Effect != Read && ctx.Err() == nil {
		ctx = context.WithoutCancel(ctx)
	}
	return context.WithTimeout(ctx, e.timeout)
}

func (e *Executor) contained(ctx context.Context, actor models.Actor, call Call) (outcome Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "tool panicked", "tool", call.Name, "request_id", actor.RequestID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("tools: %s panicked", call.Name)
		}
	}()
	return e.call(ctx, actor, call)
}

func (e *Executor) call(ctx context.Context, actor models.Actor, call Call) (Outcome, error) {
	tool := e.registry.named(call.Name)
	if tool == nil {
		return Outcome{}, apperr.New(apperr.NotFound, "NO_SUCH_TOOL", fmt.Sprintf("There is no tool %q.", call.Name))
	}
	ctx, cancel := e.bounded(ctx, tool)
	defer cancel()
	if ctx.Err() != nil {
		return Outcome{}, ctx.Err()
	}
	if err := e.mayUse(ctx, actor, tool); err != nil {
		return Outcome{}, err
	}
	args, err := tool.schema.check(actor.Lang, call.Args)
	if err != nil {
		return Outcome{}, err
	}
	if err := refuseMasks(actor.Lang, args); err != nil {
		return Outcome{}, err
	}
	waits, err := e.mustPropose(ctx, actor, tool, call)
	if err != nil {
		return Outcome{}, err
	}
	if waits {
		return e.propose(ctx, actor, tool, call, args)
	}
	result, err := tool.run(ctx, actor, args)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{
		Status: models.CallOK, Summary: result.Summary, Text: result.Text, Result: compact(result.Data), Refs: result.Refs,
		Outside: result.Outside, After: tool.After,
	}, nil
}

// mayUse answers Forbidden unless the actor holds a right that it takes to be offered the tool.
func (e *Executor) mayUse(ctx context.Context, actor models.Actor, tool *Tool) error {
	for _, p := range tool.permissions() {
		grant, err := e.gate.Try(ctx, actor, p)
		if err != nil || grant.Scope() != rbac.ScopeNone {
			return err
		}
	}
	return apperr.Missing(string(tool.Permission))
}

// mustPropose reports whether a call has to wait for a person: the tool never runs by itself, the caller has read what
// somebody else wrote, or an approval rule says so.
func (e *Executor) mustPropose(ctx context.Context, actor models.Actor, tool *Tool, call Call) (bool, error) {
	switch {
	case tool.run == nil:
		return true, nil
	case tool.propose == nil:
		return false, nil
	case call.Outside != nil:
		return true, nil
	default:
		return e.proposals.MustPropose(ctx, actor, tool.Name)
	}
}

func (e *Executor) propose(ctx context.Context, actor models.Actor, tool *Tool, call Call, args json.RawMessage) (Outcome, error) {
	draft, err := e.registry.draft(ctx, actor, tool, args)
	if err != nil {
		return Outcome{}, err
	}
	sees, err := e.gate.SeesPersonal(ctx, actor)
	if err != nil {
		return Outcome{}, err
	}
	if !sees {
		draft.Changes, draft.Items = privateChanges(draft.Changes), privateItems(draft.Items)
	}
	if call.Outside != nil {
		draft.Warnings = append(draft.Warnings, proposals.OutsideWarning(actor.Lang, *call.Outside))
	}
	p, err := e.proposals.Create(ctx, actor, draft, proposals.Origin{
		Tool: tool.Name, ConversationID: call.ConversationID, TurnID: call.TurnID, CallID: call.ID, Channel: call.Channel,
	})
	if err != nil {
		return Outcome{}, err
	}
	if !sees {
		if p, err = privateProposal(p); err != nil {
			return Outcome{}, err
		}
	}
	result := draftResult(actor.Lang, draft, p)
	summary := draftSummary(actor.Lang, draft)
	if p.Approval.Needed() {
		result["needsApproval"] = p.ApprovalReason
		summary += " " + p.ApprovalReason
	}
	return Outcome{
		Status: models.CallProposed, Summary: summary, Text: summary, Proposal: p, Refs: draft.Records(), After: Finish, Result: compact(result),
	}, nil
}

// record audits a call: who, what, with which arguments, and how it ended. A person's call of a tool also counts as use.
func (e *Executor) record(ctx context.Context, actor models.Actor, call Call, o Outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	detail := map[string]any{"callId": call.ID, "turnId": call.TurnID, "args": audit.Mask(call.Args), "status": o.Status}
	entry := audit.Entry{Action: "tool:" + call.Name, Decision: decisionOf(o.Status), Detail: detail}
	if call.Outside != nil {
		detail["outside"] = string(call.Outside.Type) + ":" + call.Outside.ID
	}
	if o.Error != nil {
		entry.Reason = o.Error.Kind
	}
	if len(o.Refs) == 1 {
		entry.Target = o.Refs[0]
	}
	return e.runner.InTx(ctx, func(tx *store.Tx) error {
		tool := e.registry.named(call.Name)
		if err := audit.Write(ctx, tx, actor, e.now(), entry); err != nil || tool == nil {
			return err
		}
		return tx.AddToolRun(ctx, &models.ToolRun{
			ID: models.NewID(), Tool: tool.Name, UserID: actor.UserID, Channel: call.Channel, Status: o.Status,
			StartedAt: e.now(), DurationMS: o.Duration.Milliseconds(),
		})
	})
}

func decisionOf(status models.ToolCallStatus) models.Decision {
	switch status {
	case models.CallOK:
		return models.DecisionAllowed
	case models.CallProposed:
		return models.DecisionProposed
	case models.CallDenied:
		return models.DecisionDenied
	default:
		return models.DecisionFailed
	}
}
