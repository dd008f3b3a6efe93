package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

var answer = strings.Repeat("word ", 20)

var errUsedUp = errors.New("everyone has sent as many messages as one may; raise -people")

// newQueue gives the sender of each turn: everyone once, then everyone again, and so on.
func newQueue(people []string) chan string {
	queue := make(chan string, messagesEach*len(people))
	for range messagesEach {
		for _, cookie := range people {
			queue <- cookie
		}
	}
	return queue
}

// turn sends a message in a new conversation and reads the stream to its end.
func (s *server) turn(ctx context.Context, queue chan string) error {
	var cookie string
	select {
	case cookie = <-queue:
	default:
		return errUsedUp
	}
	res, err := s.do(ctx, http.MethodPost, "/api/chat", cookie, map[string]string{"message": "How is the Acme renewal going?"})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return readTurn(res.Body)
}

// event is what matters of an event of the stream.
type event struct {
	Type   string
	Delta  string
	Status string
	Reason string
}

// readTurn reads a turn to its end and finds out whether it was the turn that is to be measured.
func readTurn(body io.Reader) error {
	var text, ends strings.Builder
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok {
			continue
		}
		var e event
		if err := json.Unmarshal(data, &e); err != nil {
			return err
		}
		switch e.Type {
		case "token":
			text.WriteString(e.Delta)
		case "tool_end", "done", "error":
			fmt.Fprint(&ends, e.Type, " ", e.Status, e.Reason, "; ")
		}
	}
	if lines.Err() == nil && (strings.TrimSpace(text.String()) != strings.TrimSpace(answer) || ends.String() != "tool_end ok; done stop; ") {
		return fmt.Errorf("the turn went wrong: %s%q", ends.String(), text.String())
	}
	return lines.Err()
}
