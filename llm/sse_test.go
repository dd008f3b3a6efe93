package llm_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"countersign/llm"
)

func frames(t testing.TB, r io.Reader) ([]llm.Frame, error) {
	t.Helper()
	var out []llm.Frame
	for frame, err := range llm.Frames(r, 1<<10) {
		if err != nil {
			return out, err
		}
		out = append(out, frame)
	}
	return out, nil
}

func TestFrames(t *testing.T) {
	t.Parallel()
	one := []llm.Frame{{Data: "a"}, {Data: "b"}}
	for name, test := range map[string]struct {
		body string
		want []llm.Frame
	}{
		"LF":                   {"data: a\n\ndata: b\n\n", one},
		"CRLF":                 {"data: a\r\n\r\ndata: b\r\n\r\n", one},
		"CR":                   {"data: a\r\rdata: b\r\r", one},
		"mixed":                {"data: a\r\n\ndata: b\r\n\r", one},
		"byte order mark":      {"\uFEFFdata: a\n\ndata: b\n\n", one},
		"only the first mark":  {"data: \uFEFFa\n\n", []llm.Frame{{Data: "\uFEFFa"}}},
		"no space":             {"data:a\n\ndata:b\n\n", one},
		"one space only":       {"data:  a\n\n", []llm.Frame{{Data: " a"}}},
		"comments":             {": hi\n\n:\ndata: a\n: there\n\ndata: b\n\n", one},
		"other fields":         {"id: 7\nretry: 5\nfoo: bar\ndata: a\n\nevent: ping\n\ndata: b\n\n", one},
		"event":                {"event: error\ndata: a\n\n", []llm.Frame{{Event: "error", Data: "a"}}},
		"error field":          {"error: a\n\n", []llm.Frame{{Event: "error", Data: "a"}}},
		"several lines":        {"data: a\ndata\ndata: b\n\n", []llm.Frame{{Data: "a\n\nb"}}},
		"no blank line at end": {"data: a\n\ndata: b\n", one},
		"no line end at end":   {"data: a\n\ndata: b", []llm.Frame{{Data: "a"}, {Data: "b", Cut: true}}},
		"empty":                {"", nil},
		"only comments":        {": a\n\n: b\n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, reader := range []io.Reader{
				strings.NewReader(test.body),
				iotest.OneByteReader(strings.NewReader(test.body)),
				iotest.DataErrReader(strings.NewReader(test.body)),
			} {
				got, err := frames(t, reader)
				require.NoError(t, err)
				require.Equal(t, test.want, got)
			}
		})
	}
}

func TestFramesGivesWhatCameBeforeTheBreak(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	got, err := frames(t, io.MultiReader(strings.NewReader("data: a\n\ndata: b\ndata: c"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Equal(t, []llm.Frame{{Data: "a"}, {Data: "b"}}, got, "a line without its end is not read")
}

func TestFramesBoundsLines(t *testing.T) {
	t.Parallel()
	_, err := frames(t, strings.NewReader("data: "+strings.Repeat("x", 9<<10)))
	require.ErrorIs(t, err, llm.ErrLineTooLong)
}

// A server that has sent a CR must not wait for us to see the next byte.
func TestFramesDoesNotWaitAfterCR(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	t.Cleanup(func() { _ = writer.Close() })
	go func() { _, _ = writer.Write([]byte("data: a\r\r")) }()
	for frame, err := range llm.Frames(reader, 64) {
		require.NoError(t, err)
		require.Equal(t, "a", frame.Data)
		return
	}
	t.Fatal("no frame")
}

func TestPayloads(t *testing.T) {
	t.Parallel()
	for data, want := range map[string][]string{
		`{"a":1}`:                {`{"a":1}`},
		"{\"a\":\n1}":            {"{\"a\":\n1}"},
		"{\"a\":1}\n{\"b\":2}":   {`{"a":1}`, `{"b":2}`},
		"{\"a\":1}\n\n[DONE]":    {`{"a":1}`, `[DONE]`},
		"{\"a\":1}\nnull\n: x\n": {`{"a":1}`},
		"":                       nil,
		" ":                      nil,
		"null":                   nil,
		": keep-alive":           nil,
		"broken {":               {"broken {"},
	} {
		require.Equal(t, want, llm.Frame{Data: data}.Payloads(), data)
	}
}

// FuzzFrames holds that a stream decodes to the same frames however its bytes arrive, and that nothing that
// stood in a data line is invented.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "\uFEFFdata:a\r\rdata: b", ":\r\n\r\ndata\ndata: x\nevent: e\n\n", "error: {}\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		whole, wholeErr := frames(t, strings.NewReader(body))
		bytewise, bytewiseErr := frames(t, iotest.OneByteReader(strings.NewReader(body)))
		if wholeErr == nil && bytewiseErr == nil {
			require.Equal(t, whole, bytewise)
		}
		for _, frame := range whole {
			for line := range strings.SplitSeq(frame.Data, "\n") {
				require.Contains(t, body, line)
			}
			frame.Payloads()
		}
	})
}
