package evals

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
)

// client sends requests to the product's HTTP API without a network between.
type client struct {
	handler http.Handler
	// cookie is the session's; empty for a stranger.
	cookie string
	lang   string
}

// as is the client of another session.
func (c client) as(cookie string) client {
	c.cookie = cookie
	return c
}

func (c client) send(ctx context.Context, method, path string, body any) (*httptest.ResponseRecorder, error) {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return nil, err
		}
	}
	request := httptest.NewRequestWithContext(ctx, method, path, &content)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept-Language", c.lang)
	if c.cookie != "" {
		request.Header.Set("Cookie", c.cookie)
	}
	response := httptest.NewRecorder()
	c.handler.ServeHTTP(response, request)
	return response, ctx.Err()
}

// call sends a request, which must succeed, and decodes the answer.
func (c client) call(ctx context.Context, method, path string, body, into any) error {
	response, err := c.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	if err := decode(response, into); err != nil {
		return fmt.Errorf("evals: %s %s: %w", method, path, err)
	}
	return nil
}

// decode reads an answer, which must be a success.
func decode(response *httptest.ResponseRecorder, into any) error {
	if response.Code >= http.StatusMultipleChoices {
		return fmt.Errorf("status %d: %s", response.Code, strings.TrimSpace(response.Body.String()))
	}
	return json.Unmarshal(response.Body.Bytes(), into)
}

// signIn gives the session's cookie of a person, who must be the expected one.
func (c client) signIn(ctx context.Context, email, password string, who Actor) (cookie string, err error) {
	response, err := c.send(ctx, http.MethodPost, "/api/auth/login", map[string]string{"email": email, "password": password})
	if err != nil {
		return "", err
	}
	var me struct{ User Actor }
	if response.Code != http.StatusOK || json.Unmarshal(response.Body.Bytes(), &me) != nil {
		return "", fmt.Errorf("evals: there is nobody to be %s: the data set has no %s", who, email)
	}
	if me.User.Role != who.Role || who.Name != "" && me.User.Name != who.Name {
		return "", fmt.Errorf("evals: the case wants %s, but %s is %s", who, email, me.User)
	}
	cookie, _, _ = strings.Cut(response.Header().Get("Set-Cookie"), ";")
	return cookie, nil
}

// said is what the stream of a turn told beyond what is stored.
type said struct {
	conversation string
	usage        Usage
	failure      string
}

// chat sends a message and follows the turn to its end. A refusal before it is a failure, too.
func (c client) chat(ctx context.Context, message string) (said, error) {
	response, err := c.send(ctx, http.MethodPost, "/api/chat", map[string]string{"message": message})
	if err != nil {
		return said{}, err
	}
	if response.Code != http.StatusOK {
		return said{failure: fmt.Sprintf("status %d: %s", response.Code, strings.TrimSpace(response.Body.String()))}, nil
	}
	s := said{failure: "a stream without an end"}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, response.Body.Len()+1)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if err := s.hear([]byte(data)); err != nil {
			return s, err
		}
	}
	return s, lines.Err()
}

// hear takes one event in.
func (s *said) hear(data []byte) error {
	var event struct {
		Type           string
		ConversationID string
		Code, Message  string
		Usage          Usage
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return fmt.Errorf("evals: the stream has an event that is no JSON: %w", err)
	}
	switch event.Type {
	case "start":
		s.conversation = event.ConversationID
	case "usage":
		return json.Unmarshal(data, &s.usage)
	case "done":
		s.usage, s.failure = event.Usage, ""
	case "error":
		s.failure = event.Code + ": " + event.Message
	}
	return nil
}
