package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strings"
)

// ErrLineTooLong is a line of an event stream beyond the limit.
var ErrLineTooLong = errors.New("llm: line of the event stream is too long")

// Frame is one server-sent event.
type Frame struct {
	// Event is the event's name, or "error" for the bare error field that some servers send.
	Event string
	// Data is the data lines, joined by line feeds.
	Data string
	// Cut says that the stream ended inside the last line.
	Cut bool
}

// Frames decodes an event stream. It accepts LF, CRLF and CR, one byte order mark, fields without the space,
// and a last event without its blank line. A broken connection yields the pending event, then the error.
func Frames(r io.Reader, maxLine int) iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		lines := lineReader{r: bufio.NewReader(r), max: maxLine}
		var pending frameBuilder
		for first := true; ; first = false {
			line, err := lines.next()
			if err != nil {
				frame, ok := pending.take()
				frame.Cut = lines.cut
				if ok && !yield(frame, nil) {
					return
				}
				if !errors.Is(err, io.EOF) {
					yield(Frame{}, err)
				}
				return
			}
			if first {
				line = bytes.TrimPrefix(line, byteOrderMark)
			}
			if len(line) > 0 {
				pending.add(line)
			} else if frame, ok := pending.take(); ok && !yield(frame, nil) {
				return
			}
		}
	}
}

// Payloads gives what a frame carries, without keep-alives. Servers that forget the blank line between events
// make one frame of several; each line is then a payload.
func (f Frame) Payloads() []string {
	if isKeepAlive(f.Data) {
		return nil
	}
	if !strings.Contains(f.Data, "\n") || json.Valid([]byte(f.Data)) {
		return []string{f.Data}
	}
	var out []string
	for line := range strings.SplitSeq(f.Data, "\n") {
		if !isKeepAlive(line) {
			out = append(out, line)
		}
	}
	return out
}

func isKeepAlive(data string) bool {
	data = strings.TrimSpace(data)
	return data == "" || data == "null" || data[0] == ':'
}

type frameBuilder struct {
	event   string
	data    strings.Builder
	hasData bool
}

func (b *frameBuilder) add(line []byte) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		b.event = string(value)
	case "error":
		b.event = "error"
		b.addData(value)
	case "data":
		b.addData(value)
	}
}

func (b *frameBuilder) addData(value []byte) {
	if b.hasData {
		b.data.WriteByte('\n')
	}
	b.hasData = true
	b.data.Write(value)
}

func (b *frameBuilder) take() (Frame, bool) {
	frame, ok := Frame{Event: b.event, Data: b.data.String()}, b.hasData
	*b = frameBuilder{}
	return frame, ok
}

// lineReader gives lines without their end. A CR ends a line at once; a LF right after it is skipped.
type lineReader struct {
	r      *bufio.Reader
	max    int
	line   []byte
	skipLF bool
	// cut says that the last line had no end.
	cut bool
}

func (l *lineReader) next() ([]byte, error) {
	l.line = l.line[:0]
	for {
		if _, err := l.r.Peek(1); err != nil {
			if errors.Is(err, io.EOF) && len(l.line) > 0 {
				l.cut = true
				return l.line, nil
			}
			return nil, err
		}
		buffered, _ := l.r.Peek(l.r.Buffered())
		if l.skipLF {
			l.skipLF = false
			if buffered[0] == '\n' {
				_, _ = l.r.Discard(1)
				continue
			}
		}
		if l.take(buffered) {
			return l.line, nil
		}
		if len(l.line) > l.max {
			return nil, ErrLineTooLong
		}
	}
}

// take moves bytes up to the end of the line, and reports whether the end was there.
func (l *lineReader) take(buffered []byte) bool {
	end := bytes.IndexAny(buffered, "\r\n")
	if end < 0 {
		l.line = append(l.line, buffered...)
		_, _ = l.r.Discard(len(buffered))
		return false
	}
	l.line = append(l.line, buffered[:end]...)
	l.skipLF = buffered[end] == '\r'
	_, _ = l.r.Discard(end + 1)
	return true
}
