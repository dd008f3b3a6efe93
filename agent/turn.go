package agent

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"countersign/apperr"
	"countersign/events"
	"countersign/i18n"
	"countersign/models"
	"countersign/tools"
)

// turn is one turn while it runs.
type turn struct {
	models.Turn
	service *Service
	actor   models.Actor
	request Request
	mode    mode
	lease   events.Lease
	out     emitter
	reply   models.Message
	calls   []models.MadeCall
	refs    []models.Ref
	notices []models.Notice
	// outside is the record with which text from outside came into the conversation, nil while none has.
	outside *models.Ref
	// sighted says that the model may see personal data: the person did when the turn began.
	sighted bool
	text    strings.Builder
	usage   Usage
}

// run works a turn off, in a goroutine of its own.
func (s *Service) run(ctx context.Context, cancel context.CancelFunc, t *turn) {
	defer s.turns.Done()
	defer s.unregister(t.ID)
	defer cancel()
	s.watched.begin(t.ID, time.Now())
	defer s.watched.end(t.ID)
	var beside sync.WaitGroup
	beside.Go(func() { t.keepLease(ctx, cancel) })
	beside.Go(func() { s.whileWatched(ctx, t.ID, cancel) })
	reason, err := t.contained(ctx)
	stopped := ctx.Err() != nil
	cancel()
	beside.Wait()
	t.finish(reason, stopped, err)
}

// keepLease renews the conversation's lock until ctx ends, and ends the turn when it is lost.
func (t *turn) keepLease(ctx context.Context, lost context.CancelFunc) {
	ticker := time.NewTicker(leaseRenew)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := t.lease.Renew(ctx, leaseTTL); apperr.HasCode(err, events.CodeLockLost) {
				slog.WarnContext(ctx, "conversation lock lost, turn stopped", "turn_id", t.ID)
				lost()
				return
			}
		}
	}
}

// contained turns a panic into an error.
func (t *turn) contained(ctx context.Context) (reason string, err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.ErrorContext(ctx, "turn panicked", "turn_id", t.ID, "request_id", t.actor.RequestID, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("agent: turn %s panicked", t.ID)
		}
	}()
	switch t.mode {
	case modeCommand:
		return t.command(ctx)
	case modeSearch:
		return t.search(ctx)
	default:
		return t.chat(ctx)
	}
}

// finish stores how the turn ended, then frees the conversation, then emits the terminal event: whoever has
// read the end can send the next message at once.
func (t *turn) finish(reason string, stopped bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), saveTimeout)
	defer cancel()
	t.Status, t.Reason, t.reply.Status = models.TurnDone, reason, models.MessageComplete
	switch {
	case stopped:
		t.Status, t.Reason, t.reply.Status = models.TurnStopped, ReasonStopped, models.MessageStopped
		err = nil
	case err != nil:
		t.Status, t.Reason, t.reply.Status, t.Code = models.TurnFailed, "error", models.MessageFailed, failureOf(t.actor.Lang, err).Code
	}
	t.fill()
	if failed := t.service.Conversations.End(ctx, &t.Turn, &t.reply); failed != nil && err == nil {
		err = failed
	}
	if failed := t.lease.Release(ctx); failed != nil {
		slog.WarnContext(ctx, "conversation lock not released, it ends by itself", "turn_id", t.ID, "error", failed)
	}
	if failed := t.emitEnd(ctx, err); failed != nil {
		slog.ErrorContext(ctx, "turn's end not emitted", "turn_id", t.ID, "error", failed)
	}
}

func (t *turn) emitEnd(ctx context.Context, err error) error {
	if err == nil {
		return t.out.end(ctx, "done", doneEvent{Type: "done", Reason: t.Reason, MessageID: t.reply.ID, Usage: t.usage})
	}
	slog.ErrorContext(ctx, "turn failed", "turn_id", t.ID, "request_id", t.actor.RequestID, "error", err)
	if failed := t.alert(ctx, err); failed != nil {
		slog.ErrorContext(ctx, "failed model call not recorded", "turn_id", t.ID, "error", failed)
	}
	told := failureOf(t.actor.Lang, err)
	return t.out.end(ctx, "error", errorEvent{
		Type: "error", Code: told.Code, Message: told.Message, RequestID: t.actor.RequestID, Retryable: told.Retryable,
	})
}

// command runs a slash command.
func (t *turn) command(ctx context.Context) (reason string, err error) {
	registry := t.service.Executor.Registry()
	command, err := registry.ParseCommand(t.actor.Lang, t.request.Message)
	switch {
	case command.Help:
		return t.help(ctx, registry)
	case apperr.HasCode(err, tools.CodeUnknownCommand):
		return ReasonStop, t.say(ctx, apperr.As(err).Message)
	case err != nil:
		return ReasonFinishTool, t.refused(ctx, command.Tool, err)
	}
	outcome, err := t.call(ctx, t.actor.As(models.ViaCommand), command.Tool, command.Args)
	if err != nil {
		return "", err
	}
	if outcome.Proposal != nil {
		return ReasonAwaiting, nil
	}
	return ReasonFinishTool, nil
}

// search answers text without a model, and says so.
func (t *turn) search(ctx context.Context) (reason string, err error) {
	notice := models.Notice{Code: "NO_MODEL", Text: i18n.T(t.actor.Lang, "notice.no_model")}
	if t.request.Search {
		notice = models.Notice{Code: "MODEL_DOWN", Text: i18n.T(t.actor.Lang, "notice.model_down")}
	}
	if err := t.tell(ctx, notice); err != nil {
		return "", err
	}
	args := models.ToJSON(map[string]any{"query": cutQuery(t.request.Message)})
	_, err = t.call(ctx, t.actor.As(models.ViaCommand), "search_records", []byte(args))
	return ReasonFinishTool, err
}

// maxQuery is how many characters of a text are searched for.
const maxQuery = 300

func cutQuery(text string) string {
	runes := []rune(models.CleanLine(text))
	return string(runes[:min(len(runes), maxQuery)])
}

// help lists the commands that the person may use.
func (t *turn) help(ctx context.Context, registry *tools.Registry) (reason string, err error) {
	offers, err := registry.Offered(ctx, t.service.Gate, t.actor)
	if err != nil {
		return "", err
	}
	lines := []string{i18n.T(t.actor.Lang, "command.help")}
	for _, o := range offers {
		lines = append(lines, "- "+o.Example)
	}
	return ReasonStop, t.say(ctx, strings.Join(lines, "\n"))
}

// refused shows a command that could not be read as a failed call.
func (t *turn) refused(ctx context.Context, tool string, cause error) error {
	message := apperr.As(cause).Message
	return t.show(ctx, models.NewID(), tool, []byte("{}"), func() tools.Outcome {
		return tools.Outcome{
			Status: models.CallFailed, Summary: message, Text: message,
			Error: &tools.CallError{Kind: "invalid", Message: message, Retry: true},
		}
	})
}

// call runs a tool and shows it.
func (t *turn) call(ctx context.Context, actor models.Actor, name string, args []byte) (outcome tools.Outcome, err error) {
	id := models.NewID()
	err = t.show(ctx, id, name, args, func() tools.Outcome {
		outcome = t.service.Executor.Call(ctx, actor, tools.Call{
			ID: id, Name: name, Args: args, ConversationID: t.ConversationID, TurnID: t.ID, Channel: t.request.Channel,
		})
		return outcome
	})
	return outcome, err
}
