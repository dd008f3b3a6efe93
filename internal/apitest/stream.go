package apitest

import (
	"encoding/json"
	"strings"
)

// Event is an event of a stream.
type Event struct {
	ID, Type string
	Data     Object
}

// Events reads the answer as server-sent events. Comments are left out.
func (a *Answer) Events() []Event {
	a.t.Helper()
	var events []Event
	for block := range strings.SplitSeq(strings.TrimSuffix(a.Text, "\n\n"), "\n\n") {
		if strings.HasPrefix(block, ":") || block == "" {
			continue
		}
		lines := strings.Split(block, "\n")
		if len(lines) != 3 {
			a.t.Fatalf("an event of %d lines: %q", len(lines), block)
		}
		e := Event{ID: strings.TrimPrefix(lines[0], "id: "), Type: strings.TrimPrefix(lines[1], "event: ")}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[2], "data: ")), &e.Data); err != nil {
			a.t.Fatalf("%v: %q", err, block)
		}
		events = append(events, e)
	}
	return events
}

// Event is the first event of a type; the test fails when there is none.
func (a *Answer) Event(name string) Object {
	a.t.Helper()
	for _, e := range a.Events() {
		if e.Type == name {
			return e.Data
		}
	}
	a.t.Fatalf("no event %q in %s", name, a.Text)
	return nil
}

// Say sends a message and gives the stream of its turn.
func (c *Client) Say(message string) *Answer {
	c.t.Helper()
	return c.Post("/api/chat", map[string]any{"message": message}).Want(200)
}

// Propose sends a command that proposes and gives the proposal.
func (c *Client) Propose(command string) Object {
	c.t.Helper()
	p, _ := c.Say(command).Event("proposal")["proposal"].(map[string]any)
	return p
}
