package agent

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptrace"
	"slices"
	"strings"
	"time"

	"countersign/i18n"
	"countersign/llm"
)

// StepName is what a test of a connection looks at.
type StepName string

// The steps, in their order. StepConnect is the name, the connection and its security; StepUsage is whether tokens
// are counted.
const (
	StepConnect    StepName = "connect"
	StepAuth       StepName = "auth"
	StepModel      StepName = "model"
	StepCompletion StepName = "completion"
	StepStreaming  StepName = "streaming"
	StepTools      StepName = "tools"
	StepUsage      StepName = "usage"
)

var steps = []StepName{StepConnect, StepAuth, StepModel, StepCompletion, StepStreaming, StepTools, StepUsage}

// StepStatus is how a step ended. A skipped one could not be tried after what failed before it.
type StepStatus string

// The ends of a step.
const (
	StepOK      StepStatus = "ok"
	StepFailed  StepStatus = "failed"
	StepSkipped StepStatus = "skipped"
)

// Step is one decided step of a test.
type Step struct {
	Name   StepName   `json:"step"`
	Status StepStatus `json:"status"`
	// Millis is the time since the step before.
	Millis int64 `json:"ms,omitempty"`
	// Message says what is wrong, in the person's language and in no words of the endpoint's.
	Message string `json:"message,omitempty"`
}

// The results of a test, for the record.
const (
	resultConnected = "connected"
	resultNoTools   = "no_tools"
	resultFailed    = "failed"
	resultCancelled = "cancelled"
)

// trial is one test in the making.
type trial struct {
	model  llm.Model
	hasKey bool
	lang   string
	yield  func(Step) bool
	cancel context.CancelFunc
	// decided are the steps so far, failed the names of those that failed, lap the time of the last.
	decided []Step
	failed  []StepName
	lap     time.Time
	// counted says that the endpoint has reported tokens; left, that nobody listens any more.
	counted, left bool
}

func newTrial(model llm.Model, hasKey bool, lang string, yield func(Step) bool) *trial {
	return &trial{model: model, hasKey: hasKey, lang: lang, yield: yield, failed: []StepName{}, lap: time.Now()}
}

// run decides all steps, as long as somebody listens.
func (t *trial) run(ctx context.Context, limit time.Duration) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	t.cancel = cancel
	if t.hello(limited) {
		t.callTool(limited)
		t.countTokens()
	}
	for len(t.decided) < len(steps) {
		t.decide(StepSkipped, "")
	}
}

func (t *trial) connected() bool { return t.has(StepCompletion) }

func (t *trial) has(name StepName) bool {
	i := slices.Index(steps, name)
	return i < len(t.decided) && t.decided[i].Status == StepOK
}

func (t *trial) result() string {
	switch {
	case t.left:
		return resultCancelled
	case !t.connected():
		return resultFailed
	case !t.has(StepTools):
		return resultNoTools
	}
	return resultConnected
}

// decide ends the next step and tells it.
func (t *trial) decide(status StepStatus, message string) {
	step := Step{Name: steps[len(t.decided)], Status: status, Message: message}
	if status != StepSkipped {
		now := time.Now()
		step.Millis, t.lap = now.Sub(t.lap).Milliseconds(), now
	}
	t.decided = append(t.decided, step)
	if !t.left && !t.yield(step) {
		t.left = true
		t.cancel()
	}
}

// pass says that everything up to a step works.
func (t *trial) pass(upTo StepName) {
	for len(t.decided) <= slices.Index(steps, upTo) {
		t.decide(StepOK, "")
	}
}

// fail says why a step does not work. Those before it that nothing was learnt of were not tried.
func (t *trial) fail(name StepName, message string) {
	if t.left { // what failed is the listening
		return
	}
	for len(t.decided) < slices.Index(steps, name) {
		t.decide(StepSkipped, "")
	}
	t.failed = append(t.failed, name)
	t.decide(StepFailed, message)
}

func (t *trial) text(key string, args ...any) string { return i18n.T(t.lang, "probe."+key, args...) }

const (
	testPrompt = "This is a test of the connection. Answer as briefly as you can."
	testTool   = "connection_test"
)

// hello is the smallest thing that a model can be asked.
var hello = llm.Request{System: testPrompt, Messages: []llm.Message{{Role: llm.RoleUser, Text: "Reply with the word OK."}}}

// hello asks for one short answer and reports whether one came.
func (t *trial) hello(ctx context.Context) bool {
	// Called while the request is sent, by the goroutine that sends it.
	connected := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { t.pass(StepConnect) }}
	said, err := t.ask(httptrace.WithClientTrace(ctx, connected), hello)
	switch {
	case err != nil:
		t.blame(err)
		return false
	case said.text == "" && said.done.Refusal == "":
		t.fail(StepCompletion, t.text("empty"))
		return false
	}
	t.pass(StepCompletion)
	if said.done.Whole {
		t.fail(StepStreaming, t.text("whole"))
	} else {
		t.pass(StepStreaming)
	}
	return true
}

// blame finds the step that the error of the first call belongs to.
func (t *trial) blame(err error) {
	if len(t.decided) == 0 {
		t.fail(StepConnect, t.reason(err))
		return
	}
	step := StepCompletion
	if failed, ok := errors.AsType[*llm.Error](err); ok {
		switch failed.Kind {
		case llm.Unauthorized:
			step = StepAuth
		case llm.ModelNotFound:
			t.pass(StepAuth)
			step = StepModel
		case llm.Quota, llm.RateLimited: // the endpoint counts by the key, so it knows it
			t.pass(StepAuth)
		}
	}
	t.fail(step, t.reason(err))
}

// callTool asks for a call of a tool and gives it a result, as every turn does.
func (t *trial) callTool(ctx context.Context) {
	request := llm.Request{
		System:   testPrompt,
		Messages: []llm.Message{{Role: llm.RoleUser, Text: "Call the tool " + testTool + " now. Then say what it returned."}},
		Tools: []llm.Tool{{
			Name: testTool, Description: "Tells whether the connection works.", Schema: json.RawMessage(`{"type":"object","properties":{}}`),
		}},
	}
	said, err := t.ask(ctx, request)
	if message := t.noCall(said, err); message != "" {
		t.fail(StepTools, message)
		return
	}
	request.Messages = append(request.Messages, llm.Message{
		Role: llm.RoleAssistant, Text: said.text, Calls: said.calls, Replay: said.done.Replay,
	})
	for _, call := range said.calls {
		request.Messages = append(request.Messages, llm.Message{Role: llm.RoleTool, CallID: call.ID, Text: "It works."})
	}
	if _, err := t.ask(ctx, request); err != nil {
		t.fail(StepTools, t.text("no_replay", "reason", t.reason(err)))
		return
	}
	t.pass(StepTools)
}

// noCall says why there is no call that could be carried out; empty when there is one.
func (t *trial) noCall(said heard, err error) string {
	switch {
	case err != nil:
		return t.toolReason(err)
	case len(said.calls) == 0:
		return t.text("not_called")
	case said.calls[0].Invalid != "":
		return t.text("bad_call")
	}
	return ""
}

func (t *trial) countTokens() {
	if t.counted {
		t.pass(StepUsage)
	} else {
		t.fail(StepUsage, t.text("no_usage"))
	}
}

// heard is one answer of the model.
type heard struct {
	text  string
	calls []llm.ToolCall
	done  llm.Done
}

// ask makes one call of the model. The first event shows that key and model are accepted.
func (t *trial) ask(ctx context.Context, request llm.Request) (said heard, err error) {
	var text strings.Builder
	for event, err := range t.model.Stream(ctx, request) {
		if err != nil {
			t.left = t.left || errors.Is(err, context.Canceled)
			return said, err
		}
		t.pass(StepModel)
		switch e := event.(type) {
		case llm.TextDelta:
			text.WriteString(e.Text)
		case llm.TextReset:
			text.Reset()
		case llm.ToolCall:
			said.calls = append(said.calls, e)
		case llm.Usage:
			t.counted = true
		case llm.Done:
			said.done = e
		}
	}
	said.text = text.String()
	return said, nil
}
