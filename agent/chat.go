package agent

import (
	"context"
	"fmt"
	"slices"

	"countersign/i18n"
	"countersign/llm"
	"countersign/models"
	"countersign/rbac"
	"countersign/tools"
)

// The reasons of a done event that only a model's turn has.
const (
	ReasonMaxRounds = "max_rounds"
	ReasonLength    = "length"
)

// maxCalls bounds the tool calls of one turn, and maxRepeats how often the same failing call is made.
const (
	maxCalls   = 20
	maxRepeats = 3
)

// chat is a turn that a model answers.
type chat struct {
	*turn
	assistant Assistant
	request   llm.Request
	// made counts the calls of the turn, failed the failing ones by name and arguments.
	made int
	// read is how much of results the model was given in this turn, in bytes.
	read   int
	failed map[string]int
	// taught says that the endpoint has taught something that is not stored yet.
	taught bool
	usage  Usage
	bill   bill
	// warned are the budgets of which the person has been told in this turn.
	warned map[string]bool
	// waiting says that a proposal of the conversation waited when the turn began.
	waiting bool
	// past is what was said before, the message that is being answered included.
	past []models.Message
}

// chat lets the model answer: it speaks, calls tools, sees their results, and speaks again, until it is done,
// a person must act, or its rounds are used up.
func (t *turn) chat(ctx context.Context) (reason string, err error) {
	assistant, err := t.service.Assistants.Assistant(ctx)
	if err != nil {
		return "", err
	}
	t.actor = t.actor.As(models.ViaAssistant)
	t.actor.Model = assistant.Name
	c := &chat{turn: t, assistant: assistant, failed: map[string]int{}, warned: map[string]bool{}, usage: Usage{Known: true}}
	defer func() { t.usage = c.usage }()
	if full, err := c.full(ctx); err != nil || full {
		return ReasonStop, err
	}
	if c.request, err = c.firstRequest(ctx); err != nil {
		return "", err
	}
	if assistant.Learned.Set[learnedNoTools] == true && len(c.request.Tools) > 0 {
		c.withoutTools()
	}
	for round := 1; ; round++ {
		last := round > assistant.MaxRounds
		if last {
			c.forceAnswer()
		}
		answer, err := c.ask(ctx)
		if err != nil {
			return c.overBudget(ctx, err)
		}
		if len(answer.calls) == 0 || last {
			if answer, err = c.checked(ctx, answer); err != nil {
				return "", err
			}
			return c.end(ctx, answer, last)
		}
		reason, err := c.act(ctx, answer)
		if err != nil || reason != "" {
			return reason, err
		}
	}
}

// firstRequest is what the model is asked first: who it works for, what was said before, what it may use.
func (c *chat) firstRequest(ctx context.Context) (llm.Request, error) {
	ctx = rbac.AtOnce(ctx)
	thread, err := c.service.Conversations.Get(ctx, c.actor, c.ConversationID)
	if err != nil {
		return llm.Request{}, err
	}
	c.past = thread.Messages
	if err := thread.Outside.Into(&c.outside); err != nil {
		return llm.Request{}, err
	}
	request, err := c.service.blank(ctx, c.actor, c.assistant, smallTalk(c.turn.request.Message))
	if err != nil {
		return llm.Request{}, err
	}
	proposals, err := c.service.Proposals.OfConversation(ctx, c.actor, c.ConversationID)
	if err != nil {
		return llm.Request{}, err
	}
	c.waiting = slices.ContainsFunc(proposals, func(p models.Proposal) bool { return p.Status == models.ProposalPending })
	if c.sighted, err = c.service.Gate.SeesPersonal(ctx, c.actor); err != nil {
		return llm.Request{}, err
	}
	var outgrown int64
	request.Messages, outgrown = history(thread, proposals, c.sighted)
	if err := tellStanding(proposals, request.Messages, c.sighted); err != nil {
		return llm.Request{}, err
	}
	return request, c.summarised(ctx, thread.Summary, outgrown)
}

// blank is what every request of an actor's turns has: instructions and, but for small talk, tools.
func (s *Service) blank(ctx context.Context, actor models.Actor, a Assistant, small bool) (llm.Request, error) {
	me, err := s.Prompter.Subject(ctx, actor)
	if err != nil {
		return llm.Request{}, err
	}
	request := llm.Request{System: systemPrompt(me, a, s.Now())}
	if small {
		return request, nil
	}
	offers, err := s.Executor.Registry().Offered(ctx, s.Gate, actor)
	for _, o := range offers {
		request.Tools = append(request.Tools, llm.Tool{Name: o.Name, Description: o.Description, Schema: o.Flat})
	}
	return request, err
}

// forceAnswer makes the next model call the last one: no tools, and the instruction in words.
func (c *chat) forceAnswer() {
	c.request.ToolChoice = llm.ToolsForbidden
	c.request.Messages = append(c.request.Messages, llm.Message{Role: llm.RoleUser, Text: lastRoundInstruction})
}

// end says why a turn is over whose last answer called no tool, or could not any more.
func (c *chat) end(ctx context.Context, answer answer, last bool) (reason string, err error) {
	switch {
	case answer.done.Finish == llm.FinishPause:
		return "", llm.Fail(llm.Malformed, llm.CodePaused)
	case answer.done.Finish == llm.FinishRefusal:
		return ReasonStop, c.say(ctx, c.refusal(answer))
	case last:
		return ReasonMaxRounds, c.note(ctx, "CUT_SHORT", "notice.cut_short", "⚠️ ")
	case answer.done.ContextFull:
		return ReasonLength, c.note(ctx, "LENGTH", "model.context_too_long", "")
	case answer.done.Finish == llm.FinishLength:
		return ReasonLength, c.note(ctx, "LENGTH", "notice.length", "")
	case c.assistant.Learned.Set[learnedNoTools] == true && !smallTalk(c.turn.request.Message):
		return ReasonStop, c.note(ctx, "NO_TOOLS", "notice.no_tools", "")
	case answer.text == "":
		return ReasonStop, c.say(ctx, i18n.T(c.actor.Lang, "chat.nothing_to_say"))
	}
	return ReasonStop, nil
}

// refusal is what the model says instead of an answer, or what we say where it has no words for it.
func (c *chat) refusal(answer answer) string {
	switch {
	case answer.done.Refusal != "":
		return answer.done.Refusal
	case answer.text != "":
		return "\n\n" + i18n.T(c.actor.Lang, "model.content_filter")
	}
	return i18n.T(c.actor.Lang, "model.content_filter")
}

// note emits a notice, and with a mark also keeps it in the text.
func (c *chat) note(ctx context.Context, code, key, mark string) error {
	text := i18n.T(c.actor.Lang, key)
	if mark != "" {
		c.text.WriteString("\n\n" + mark + text)
	}
	return c.tell(ctx, models.Notice{Code: code, Text: mark + text})
}

// act carries out the calls of one round and says whether the turn is over.
func (c *chat) act(ctx context.Context, answer answer) (reason string, err error) {
	outcomes, err := c.callAll(ctx, answer.calls)
	if err != nil {
		return "", err
	}
	c.remember(answer, outcomes)
	round := judge(c.service.Executor, answer.calls, outcomes)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case round.repeated(c):
		return ReasonStop, c.say(ctx, i18n.T(c.actor.Lang, "chat.gave_up"))
	case round.proposed && !round.lookedUp:
		return ReasonAwaiting, c.sayAll(ctx, outcomes)
	case round.finished:
		return ReasonFinishTool, c.sayAll(ctx, outcomes)
	}
	return "", nil
}

// sayAll adds the server's own texts of calls to the reply.
func (c *chat) sayAll(ctx context.Context, outcomes []tools.Outcome) error {
	for i, o := range outcomes {
		text := o.Text
		if i > 0 {
			text = "\n\n" + text
		}
		if err := c.say(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// remember puts a round into the request: the model's calls and, for each, its one result.
func (c *chat) remember(answer answer, outcomes []tools.Outcome) {
	c.request.Messages = append(c.request.Messages, llm.Message{
		Role: llm.RoleAssistant, Text: answer.text, Calls: answer.calls, Replay: answer.done.Replay,
	})
	for i, call := range answer.calls {
		c.request.Messages = append(c.request.Messages, llm.Message{Role: llm.RoleTool, CallID: call.ID, Text: c.resultText(outcomes[i])})
	}
}

// verdict is what a round of calls means for the turn.
type verdict struct {
	proposed, lookedUp, finished bool
	failing                      []string
}

func judge(executor *tools.Executor, calls []llm.ToolCall, outcomes []tools.Outcome) verdict {
	v := verdict{finished: true}
	for i, o := range outcomes {
		effect := executor.Effect(calls[i].Name)
		v.proposed = v.proposed || o.Status == models.CallProposed
		v.lookedUp = v.lookedUp || effect == tools.Read
		v.finished = v.finished && o.Status == models.CallOK && o.After == tools.Finish
		if o.Error != nil {
			v.failing = append(v.failing, fmt.Sprintf("%s %s", calls[i].Name, calls[i].Arguments))
		}
	}
	return v
}

// repeated reports whether the same failing call has now been made too often.
func (v verdict) repeated(c *chat) bool {
	for _, call := range v.failing {
		if c.failed[call]++; c.failed[call] >= maxRepeats {
			return true
		}
	}
	return false
}
