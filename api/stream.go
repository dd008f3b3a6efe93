package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"countersign/events"
)

const (
	// streamWrite is how long one write of a stream may take before its reader counts as gone.
	streamWrite = 10 * time.Second
	// firstFrame is how long a stream waits for a refusal before it begins without an event.
	firstFrame = time.Second
	// framesAhead bounds how many frames are taken from the log before they are written.
	framesAhead = 16
)

// arrival is a frame, or why there are no more.
type arrival struct {
	frame events.Frame
	err   error
}

// stream answers with the frames of a turn or of other work. Those of a turn can be had again at again, which the answer
// says: a reader whose connection breaks before the first event knows by that which turn has begun. An error that comes
// before the first frame, such as NotFound, is the answer itself. A later one just closes the connection: whoever reads
// comes back and asks again. The request ends after frames has.
func (s *server) stream(ctx context.Context, again string, frames iter.Seq2[events.Frame, error]) (*huma.StreamResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	arrivals := s.pump(ctx, frames)
	w := &eventWriter{heartbeat: s.Heartbeat}
	patience := time.NewTimer(firstFrame)
	defer patience.Stop()
	select {
	case first, open := <-arrivals:
		if first.err != nil {
			cancel()
			return nil, first.err
		}
		if open {
			w.add(first.frame)
		}
	case <-patience.C:
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		defer func() {
			cancel()
			for range arrivals { // only the end is waited for
			}
		}()
		if again != "" {
			hc.SetHeader("Content-Location", again)
		}
		w.to(humagin.Unwrap(hc).Writer)
		if err := w.run(ctx, arrivals); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "stream broke off", slog.String("request_id", requestOf(ctx).id), slog.Any("error", err))
		}
	}}, nil
}

// pump takes frames until they end or ctx does, so that the writer can wait for other things, too.
func (s *server) pump(ctx context.Context, frames iter.Seq2[events.Frame, error]) <-chan arrival {
	arrivals := make(chan arrival, framesAhead)
	go func() {
		defer close(arrivals)
		defer func() {
			if p := recover(); p != nil {
				s.Logger.ErrorContext(ctx, "source of a stream panicked", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
			}
		}()
		for frame, err := range frames {
			select {
			case arrivals <- arrival{frame, err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return arrivals
}

// eventWriter writes frames as server-sent events.
type eventWriter struct {
	w         http.ResponseWriter
	control   *http.ResponseController
	buf       bytes.Buffer
	heartbeat time.Duration
}

// to begins the answer.
func (e *eventWriter) to(w http.ResponseWriter) {
	e.w, e.control = w, http.NewResponseController(w)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

// run writes what arrives until its source or the reader ends.
func (e *eventWriter) run(ctx context.Context, arrivals <-chan arrival) error {
	beat := time.NewTicker(e.heartbeat)
	defer beat.Stop()
	if err := e.flush(); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beat.C:
			e.buf.WriteString(": heartbeat\n\n")
		case a, open := <-arrivals:
			more, err := e.take(a, open, arrivals)
			if !more || err != nil {
				return errors.Join(err, e.flush())
			}
		}
		if err := e.flush(); err != nil {
			return err
		}
	}
}

// take adds a frame and all others that are there already, so that they go out together.
func (e *eventWriter) take(a arrival, open bool, arrivals <-chan arrival) (more bool, err error) {
	for {
		if !open || a.err != nil {
			return false, a.err
		}
		e.add(a.frame)
		select {
		case a, open = <-arrivals:
		default:
			return true, nil
		}
	}
}

func (e *eventWriter) add(f events.Frame) {
	fmt.Fprintf(&e.buf, "id: %d\nevent: %s\ndata: %s\n\n", f.Seq, f.Type, f.Data)
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
