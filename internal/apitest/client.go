package apitest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"countersign/models"
	"countersign/store"
)

// Client sends requests, as somebody or as a stranger.
type Client struct {
	t testing.TB
	// Base is the address of the server, Header what every request carries.
	Base   string
	Header http.Header
}

// As gives a client that is signed in as an actor of the world.
func (s *Server) As(t testing.TB, a models.Actor) *Client {
	t.Helper()
	token := models.NewID() + models.NewID()
	sum := sha256.Sum256([]byte(token))
	now := s.Clock.Now()
	s.InTx(t, func(tx *store.Tx) {
		must(t, tx.InsertSession(t.Context(), &models.Session{
			TokenHash: hex.EncodeToString(sum[:]), UserID: a.UserID, CreatedAt: now, LastSeenAt: now, ExpiresAt: now.Add(time.Hour),
		}))
	})
	return s.Stranger(t).With("Cookie", Cookie+"="+token)
}

// Stranger gives a client that is not signed in.
func (s *Server) Stranger(t testing.TB) *Client {
	return &Client{t: t, Base: s.URL, Header: http.Header{}}
}

// With gives a client whose requests carry one more header, or another value of it.
func (c *Client) With(name, value string) *Client {
	other := *c
	other.Header = c.Header.Clone()
	other.Header.Set(name, value)
	return &other
}

// Answer is a response that has been read.
type Answer struct {
	t testing.TB
	*http.Response
	Text string
}

// Do sends a request. A body that is a string goes out as it is, anything else as JSON, nil as none.
func (c *Client) Do(method, path string, body any) *Answer {
	c.t.Helper()
	res := c.Open(method, path, body)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return &Answer{c.t, res, string(text)}
}

// Open sends a request and gives the response unread.
func (c *Client) Open(method, path string, body any) *http.Response {
	c.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		must(c.t, err)
		content = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.Base+path, content)
	must(c.t, err)
	req.Header = c.Header.Clone()
	if content != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	must(c.t, err)
	return res
}

// Get, Post, Patch and Delete are Do with that method.
func (c *Client) Get(path string) *Answer { c.t.Helper(); return c.Do(http.MethodGet, path, nil) }

func (c *Client) Post(path string, body any) *Answer {
	c.t.Helper()
	return c.Do(http.MethodPost, path, body)
}

func (c *Client) Patch(path string, body any) *Answer {
	c.t.Helper()
	return c.Do(http.MethodPatch, path, body)
}

func (c *Client) Delete(path string) *Answer { c.t.Helper(); return c.Do(http.MethodDelete, path, nil) }

// Want fails the test unless the answer has a status.
func (a *Answer) Want(status int) *Answer {
	a.t.Helper()
	if a.StatusCode != status {
		a.t.Fatalf("%s %s: status %d, want %d: %s", a.Request.Method, a.Request.URL, a.StatusCode, status, a.Text)
	}
	return a
}

// Refused fails the test unless the answer is a problem document with a status and code.
func (a *Answer) Refused(status int, code string) Object {
	a.t.Helper()
	o := a.Want(status).JSON()
	if o["code"] != code || !strings.HasPrefix(a.Header.Get("Content-Type"), "application/problem+json") {
		a.t.Fatalf("%s %s: no problem %s: %s", a.Request.Method, a.Request.URL, code, a.Text)
	}
	return o
}

// JSON is the answer as an object.
func (a *Answer) JSON() Object {
	a.t.Helper()
	var o Object
	if err := json.Unmarshal([]byte(a.Text), &o); err != nil {
		a.t.Fatalf("%s %s: %v: %s", a.Request.Method, a.Request.URL, err, a.Text)
	}
	return o
}

// Object is a JSON object.
type Object map[string]any

// At follows names and indexes, such as At("items", 0, "id"); nil where there is nothing.
func (o Object) At(path ...any) any {
	var v any = map[string]any(o)
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

// Text is At for a text; empty where there is none.
func (o Object) Text(path ...any) string { s, _ := o.At(path...).(string); return s }

// Items are the items of a list.
func (o Object) Items() []Object {
	list, _ := o["items"].([]any)
	items := make([]Object, len(list))
	for i := range list {
		object, _ := list[i].(map[string]any)
		items[i] = object
	}
	return items
}
