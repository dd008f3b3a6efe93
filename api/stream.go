package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"countersign/events"
)

// streamWrite is how long one write of a stream may take before its reader counts as gone.
const streamWrite = 10 * time.Second

// stream answers with the frames of a turn or of other work. Those of a turn can be had again at again, which the answer
// says: a reader whose connection breaks before the first event knows by that which turn has begun. An error just closes
// the connection: whoever reads comes back and asks again.
//
// Readers wait for long, and there may be thousands. So the router only begins the answer, and its frames are written
// where the router's own calls no longer take room on the stack.
func (s *server) stream(ctx context.Context, again string, frames iter.Seq2[events.Frame, error]) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		if again != "" {
			hc.SetHeader("Content-Location", again)
		}
		hc.SetHeader("Content-Type", "text/event-stream")
		hc.SetHeader("Cache-Control", "no-cache, no-transform")
		hc.SetHeader("X-Accel-Buffering", "no")
		hc.SetStatus(http.StatusOK)
		requestOf(ctx).rest = func(w http.ResponseWriter) {
			e := &eventWriter{w: w, control: http.NewResponseController(w), heartbeat: s.Heartbeat}
			if err := e.run(frames); err != nil && ctx.Err() == nil {
				s.Logger.WarnContext(ctx, "stream broke off", slog.String("request_id", requestOf(ctx).id), slog.Any("error", err))
			}
		}
	}}
}

// eventWriter writes frames as server-sent events, and heartbeats between them.
type eventWriter struct {
	w         http.ResponseWriter
	control   *http.ResponseController
	heartbeat time.Duration

	mu    sync.Mutex
	buf   bytes.Buffer
	next  *time.Timer
	ended bool
}

// run writes frames until their source or the reader ends.
func (e *eventWriter) run(frames iter.Seq2[events.Frame, error]) error {
	defer e.end()
	if err := e.write(events.Frame{}); err != nil {
		return err
	}
	for f, err := range frames {
		if err != nil {
			return errors.Join(err, e.write(events.Frame{}))
		}
		if err := e.write(f); err != nil {
			return err
		}
	}
	return nil
}

// beat shows that the connection lives. Of one that does not, the request ends by itself.
func (e *eventWriter) beat() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return
	}
	e.buf.WriteString(": heartbeat\n\n")
	if e.flush() == nil {
		e.next.Reset(e.heartbeat)
	}
}

// end lets no heartbeat through any more: the connection may be another request's soon.
func (e *eventWriter) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	e.next.Stop()
}

// write adds a frame, and sends what there is unless more follows at once.
func (e *eventWriter) write(f events.Frame) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.next == nil {
		e.next = time.AfterFunc(e.heartbeat, e.beat)
	}
	if f.Type != "" {
		fmt.Fprintf(&e.buf, "id: %d\nevent: %s\ndata: %s\n\n", f.Seq, f.Type, f.Data)
	}
	if f.More {
		return nil
	}
	return e.flush()
}

// flush sends what has been added. The server's deadline is for ordinary answers; here every write has its own.
func (e *eventWriter) flush() error {
	if err := e.control.SetWriteDeadline(time.Now().Add(streamWrite)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := e.buf.WriteTo(e.w); err != nil {
		return err
	}
	return e.control.Flush()
}
