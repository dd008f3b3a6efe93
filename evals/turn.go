package evals

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"countersign/app"
)

// observeTurn asks a question and reads what came of it: the conversation and proposals as the asker sees them, the
// records with the eyes of an admin.
func observeTurn(ctx context.Context, asker, admin client, question string) (Observation, error) {
	o := Observation{Question: question}
	since := app.Now()
	before, _, err := newest(ctx, admin, since)
	if err != nil {
		return o, err
	}
	told, err := asker.chat(ctx, question)
	if err != nil {
		return o, err
	}
	o.Usage, o.Failure = told.usage, told.failure
	after, written, err := newest(ctx, admin, since)
	if err != nil {
		return o, err
	}
	o.Written = withGone(written, before, after, since)
	if told.conversation == "" {
		return o, nil
	}
	if err := o.readReply(ctx, asker, told.conversation); err != nil {
		return o, err
	}
	err = o.readRecords(ctx, asker, admin)
	return o, err
}

// readReply reads what is stored of the turn.
func (o *Observation) readReply(ctx context.Context, asker client, conversation string) error {
	var thread struct {
		Messages []struct {
			Role, Content string
			ToolCalls     []Call
		}
	}
	if err := asker.call(ctx, http.MethodGet, "/api/conversations/"+conversation, nil, &thread); err != nil {
		return err
	}
	for _, m := range thread.Messages {
		if m.Role == "assistant" {
			o.Answer, o.Calls = m.Content, m.ToolCalls
		}
	}
	return nil
}

// readRecords reads the asker's proposals, and the records that they and the answer's links are about.
func (o *Observation) readRecords(ctx context.Context, asker, admin client) error {
	var waiting struct{ Items []Proposal }
	if err := asker.call(ctx, http.MethodGet, "/api/proposals", nil, &waiting); err != nil {
		return err
	}
	for _, p := range waiting.Items {
		for _, kind := range kinds {
			if kind.name == p.Target.Type {
				p.Record = readRecord(ctx, admin, kind.plural+"/"+p.Target.ID)
			}
		}
		o.Proposals = append(o.Proposals, p)
	}
	for _, path := range linkedPages.FindAllStringSubmatch(o.Answer, -1) {
		if r := readRecord(ctx, admin, path[1]); r.Fields != nil {
			o.Linked = append(o.Linked, r)
		}
	}
	return nil
}

// linkedPages are the paths of records' pages.
var linkedPages = regexp.MustCompile(`/((?:companies|contacts|deals|products|quotations|tasks)/[0-9a-f-]{36})\b`)

// readRecord reads a record; it has no fields where there is none.
func readRecord(ctx context.Context, admin client, path string) Record {
	r := Record{Path: path}
	if admin.call(ctx, http.MethodGet, "/api/"+path, nil, &r.Fields) != nil {
		r.Fields = nil
	}
	return r
}

// kinds are those of the records whose writes count, by the paths of their lists. Only these can be written through the
// product.
var kinds = []struct{ name, plural string }{
	{"company", "companies"},
	{"contact", "contacts"},
	{"deal", "deals"},
	{"activity", "activities"},
	{"task", "tasks"},
	{"quotation", "quotations"},
}

// stock is how many records there are of each kind, by the path of its list.
type stock map[string]int64

// newest reads how many records there are, and those that were written since a moment. Lists begin with the ones
// written last, and a turn writes far fewer than a page.
func newest(ctx context.Context, admin client, since time.Time) (stock, []Record, error) {
	inStock, written := stock{}, []Record(nil)
	for _, kind := range kinds {
		response, err := admin.send(ctx, http.MethodGet, "/api/"+kind.plural+"?limit=50", nil)
		if err != nil {
			return nil, nil, err
		}
		if response.Code == http.StatusNotFound { // a kind that the product does not have
			continue
		}
		var list struct {
			Items []map[string]any
			Total int64
		}
		if err := decode(response, &list); err != nil {
			return nil, nil, err
		}
		inStock[kind.plural] = list.Total
		for _, fields := range list.Items {
			if r := (Record{fmt.Sprintf("%s/%v", kind.plural, fields["id"]), fields}); r.at("updatedAt").Compare(since) >= 0 {
				written = append(written, r)
			}
		}
	}
	return inStock, written, nil
}

// at is a time of the record; zero where it has none.
func (r Record) at(field string) time.Time {
	text, _ := r.Fields[field].(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// withGone adds a record without fields for each that was there before and is no more.
func withGone(written []Record, before, after stock, since time.Time) []Record {
	for _, kind := range kinds {
		gone := before[kind.plural] - after[kind.plural]
		for _, r := range written {
			if strings.HasPrefix(r.Path, kind.plural+"/") && r.at("createdAt").Compare(since) >= 0 {
				gone++
			}
		}
		for range gone {
			written = append(written, Record{Path: kind.plural + "/(gone)"})
		}
	}
	return written
}
