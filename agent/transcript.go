package agent

import (
	"slices"
	"strings"

	"countersign/audit"
	"countersign/llm"
	"countersign/models"
)

// maxTranscript bounds, in bytes of text, what is kept of each side of a call.
const maxTranscript = 256 << 10

// spoken is the answer of a call, as far as it came.
type spoken struct {
	text  strings.Builder
	calls []llm.ToolCall
	done  llm.Done
}

func (s *spoken) add(event llm.Event) {
	switch e := event.(type) {
	case llm.TextDelta:
		s.text.WriteString(e.Text)
	case llm.TextReset:
		s.text.Reset()
	case llm.ToolCall:
		s.calls = append(s.calls, e)
	case llm.Done:
		s.done = e
	}
}

// transcriptOf is what is kept of a call for those who inspect turns.
func transcriptOf(r llm.Request, s *spoken) *models.CallTexts {
	return &models.CallTexts{Request: askedIn(r), Answer: s.answer()}
}

// askedIn keeps the newest messages where there is no room for all: they are what the answer is about.
func askedIn(r llm.Request) models.CallRequest {
	left := &room{bytes: maxTranscript}
	kept := models.CallRequest{
		System: left.keep(r.System), Messages: make([]models.CallMessage, len(r.Messages)), Tools: r.ToolNames(), ToolChoice: string(r.ToolChoice),
	}
	for i, m := range slices.Backward(r.Messages) {
		kept.Messages[i] = models.CallMessage{Role: string(m.Role), Text: left.keep(m.Text), Calls: left.keepCalls(m.Calls), CallID: m.CallID}
	}
	kept.Cut = left.cut
	return kept
}

func (s *spoken) answer() models.CallAnswer {
	left := &room{bytes: maxTranscript}
	kept := models.CallAnswer{
		Text: left.keep(s.text.String()), Calls: left.keepCalls(s.calls), Refusal: left.keep(s.done.Refusal),
		Reasoning: left.keep(s.done.Reasoning), Finish: string(s.done.Finish),
	}
	kept.Cut = left.cut
	return kept
}

// room is how much text is still kept, and whether some was cut.
type room struct {
	bytes int
	cut   bool
}

func (r *room) keep(text string) string {
	text = audit.MaskJSON(text)
	if len(text) > r.bytes {
		text, r.cut = strings.ToValidUTF8(text[:r.bytes], ""), true
		r.bytes = len(text)
	}
	r.bytes -= len(text)
	return text
}

func (r *room) keepCalls(calls []llm.ToolCall) []models.SaidCall {
	kept := make([]models.SaidCall, len(calls))
	for i, c := range calls {
		kept[i] = models.SaidCall{ID: c.ID, Name: c.Name, Arguments: r.keep(c.Arguments), Invalid: string(c.Invalid)}
	}
	return kept
}
