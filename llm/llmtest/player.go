package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
)

// Recording is what a model answered to one message of a person, round by round. As a JSON file:
//
//	{
//	  "match": {"user": "How much is open at Acme?", "offers": ["list_deals"], "system": "role Sales"},
//	  "rounds": [
//	    {"calls": [{"name": "list_deals", "arguments": {"company": "Acme"}}], "usage": {"input": 900, "output": 20}},
//	    {"text": ["HK$1,200 ", "is open at Acme."], "usage": {"input": 1100, "output": 12}}
//	  ]
//	}
//
// A file holds one recording or a list of them. Round n answers the request in which n assistant messages
// follow the person's message.
type Recording struct {
	Match  Match    `json:"match"`
	Rounds []Answer `json:"rounds"`
}

// Match says which requests a recording answers.
type Match struct {
	// User is the exact text of the last user message.
	User string `json:"user"`
	// Offers are tools that the request must offer; more may be offered.
	Offers []string `json:"offers,omitempty"`
	// System is a part of the system prompt, such as who asks.
	System string `json:"system,omitempty"`
}

// Player answers from recordings. The first that matches is played; a request that none matches is refused
// with status 404 and code no_recording.
type Player struct{ recordings []Recording }

// Load reads all *.json files of a folder, in the order of their names.
func Load(folder fs.FS) (*Player, error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	p := &Player{}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		recordings, err := parseRecordings(data)
		if err != nil {
			return nil, fmt.Errorf("llmtest: recording %s: %w", name, err)
		}
		p.recordings = append(p.recordings, recordings...)
	}
	return p, nil
}

// parseRecordings reads one or a list. A field that does not exist is an error: what it says would not be played.
func parseRecordings(data []byte) ([]Recording, error) {
	if data = bytes.TrimSpace(data); bytes.HasPrefix(data, []byte("{")) {
		data = slices.Concat([]byte("["), data, []byte("]"))
	}
	var list []Recording
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&list)
	return list, err
}

// ServeHTTP implements http.Handler.
func (p *Player) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	request, err := readRequest(w, req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, ok := p.find(request)
	if !ok {
		Refuse(http.StatusNotFound, `{"error":{"code":"no_recording","message":"no recording matches"}}`).send(w, req)
		return
	}
	answer.Reply().send(w, req)
}

func (p *Player) find(request Request) (Answer, bool) {
	user, round := position(request)
	for _, recording := range p.recordings {
		if recording.Match.User == user && round < len(recording.Rounds) && recording.Match.fits(request) {
			answer := recording.Rounds[round]
			answer.Calls = slices.Clone(answer.Calls)
			for i := range answer.Calls {
				if answer.Calls[i].ID == "" {
					answer.Calls[i].ID = newCallID(round, i)
				}
			}
			return answer, true
		}
	}
	return Answer{}, false
}

// newCallID makes an id that is unique within a conversation.
func newCallID(round, index int) string { return fmt.Sprintf("call_%d_%d", round, index+1) }

// position is the last user message, and how many assistant messages follow it.
func position(request Request) (user string, round int) {
	for _, message := range request.Messages {
		switch message.Role {
		case "user":
			user, round = message.Content, 0
		case "assistant":
			round++
		}
	}
	return user, round
}

// fits reports whether the request offers and says what it must beside the user's message.
func (m Match) fits(request Request) bool {
	offered := request.Offers()
	for _, name := range m.Offers {
		if !slices.Contains(offered, name) {
			return false
		}
	}
	return m.System == "" || slices.ContainsFunc(request.Messages, func(message Message) bool {
		return message.Role == "system" && strings.Contains(message.Content, m.System)
	})
}

// Knows reports whether there is a recording that answers a message, whatever the request offers.
func (p *Player) Knows(user string) bool {
	return slices.ContainsFunc(p.recordings, func(r Recording) bool { return r.Match.User == user })
}
