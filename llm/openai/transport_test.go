package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
)

func counts(u *llm.Usage) string {
	return fmt.Sprintf("%d/%d/%d", u.InputTokens, u.OutputTokens, u.CachedTokens)
}

// TestEnvironmentIsNotRead sets every variable that the SDK or net/http would follow.
func TestEnvironmentIsNotRead(t *testing.T) {
	var strayed atomic.Int32
	stray := llmtest.Start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-from-env", "OPENAI_ADMIN_KEY": "sk-admin-from-env", "OPENAI_ORG_ID": "org-from-env",
		"OPENAI_PROJECT_ID": "project-from-env", "OPENAI_WEBHOOK_SECRET": "secret-from-env", "OPENAI_BASE_URL": stray,
		"OPENAI_CUSTOM_HEADERS": "X-Stray: header-from-env", "OPENAI_LOG": "debug",
		"HTTP_PROXY": stray, "HTTPS_PROXY": stray, "ALL_PROXY": stray,
	} {
		t.Setenv(name, value)
	}
	endpoint := llmtest.Script(llmtest.Say("Hi"), llmtest.Say("Hi"))
	base := llmtest.Start(t, endpoint)
	require.NoError(t, stream(t, newModel(base), offer()).err)
	require.NoError(t, stream(t, newModel(base, func(o *openai.Options) { o.Key = "" }), offer()).err)

	requests := endpoint.Requests()
	require.Equal(t, "Bearer "+key, requests[0].Header.Get("Authorization"))
	require.Empty(t, requests[1].Header.Get("Authorization"), "no key in the row is no key at all")
	for _, request := range requests {
		require.NotContains(t, fmt.Sprint(request.Header)+string(request.Raw), "from-env")
	}
	require.Zero(t, strayed.Load())
}

func TestOneAttempt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{408, 409, 429, 500, 503} {
		endpoint := llmtest.NewEndpoint(llmtest.Refuse(status, `{"error":{"message":"no"}}`))
		o := stream(t, newModel(llmtest.Start(t, endpoint)), offer())
		require.True(t, o.failure(t).Retryable, status)
		require.Equal(t, status, o.failure(t).Status)
		require.Len(t, endpoint.Requests(), 1)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var strayed atomic.Int32
	stray := llmtest.Start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	for _, status := range []int{301, 302, 303, 307, 308} {
		reply := llmtest.Reply{Status: status, Header: map[string]string{"Location": stray}}
		failure := play(t, reply).failure(t)
		require.Equal(t, llm.CodeRedirected, failure.Code)
		require.False(t, failure.Retryable)
	}
	require.Zero(t, strayed.Load())
}

func TestRefusedAddress(t *testing.T) {
	t.Parallel()
	endpoint := llmtest.NewEndpoint()
	refuse := func(_, address string, _ syscall.RawConn) error { return errors.New("not allowed: " + address) }
	model := newModel(llmtest.Start(t, endpoint), func(o *openai.Options) { o.Client = llm.NewHTTPClient(refuse) })
	failure := stream(t, model, offer()).failure(t)
	require.Equal(t, llm.CodeBlockedAddress, failure.Code)
	require.False(t, failure.Retryable)
	require.Empty(t, endpoint.Requests())
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	failure := stream(t, newModel("http://127.0.0.1:1/v1"), offer()).failure(t)
	require.Equal(t, llm.Unavailable, failure.Kind)
	require.Equal(t, llm.CodeConnect, failure.Code)
	require.True(t, failure.Retryable)

	plain := llmtest.Start(t, llmtest.NewEndpoint())
	failure = stream(t, newModel(strings.Replace(plain, "http:", "https:", 1)), offer()).failure(t)
	require.Equal(t, llm.CodeTLS, failure.Code)
	require.False(t, failure.Retryable)
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	const short = 150 * time.Millisecond
	hi := []byte("data: " + said("Hi") + "\n\n")
	for name, test := range map[string]struct {
		reply  llmtest.Reply
		limits func(*llm.Limits)
		want   string
	}{
		"no headers": {
			llmtest.Reply{Delay: time.Minute, Chunks: [][]byte{hi}},
			func(l *llm.Limits) { l.Header = short },
			"ERROR timeout/header_timeout",
		},
		"headers, then silence": {
			llmtest.Reply{End: llmtest.EndSilence}, func(l *llm.Limits) { l.Idle = short }, "ERROR timeout/idle_timeout",
		},
		"silence after text": {
			llmtest.Reply{Chunks: [][]byte{hi}, End: llmtest.EndSilence},
			func(l *llm.Limits) { l.Idle = short },
			"Hi | ERROR timeout/idle_timeout",
		},
		"signs of life without end": {
			llmtest.Reply{Chunks: manyOf(": ping\n\n", 2000), Delay: 5 * time.Millisecond},
			func(l *llm.Limits) { l.Total = short }, "ERROR timeout/total_timeout",
		},
		"silence of an error page": {
			llmtest.Reply{Status: 500, Chunks: [][]byte{[]byte("{")}, End: llmtest.EndSilence},
			func(l *llm.Limits) { l.Idle = short }, "ERROR timeout/idle_timeout",
		},
		"silence after the finish": {
			llmtest.Reply{Chunks: [][]byte{hi, []byte("data: " + finish("stop") + "\n\n")}, End: llmtest.EndSilence},
			func(l *llm.Limits) { l.Tail = short }, "Hi | stop",
		},
		"reset after the finish": {
			llmtest.Reply{Chunks: [][]byte{hi, []byte("data: " + finish("stop") + "\n\n")}, End: llmtest.EndCut},
			func(*llm.Limits) {}, "Hi | stop",
		},
		"reset before it": {
			llmtest.Reply{Chunks: [][]byte{hi}, End: llmtest.EndCut}, func(*llm.Limits) {}, "Hi | ERROR cut_stream",
		},
		"reset before anything": {
			llmtest.Reply{End: llmtest.EndCut}, func(*llm.Limits) {}, "ERROR cut_stream",
		},
		"too much": {
			llmtest.Reply{Chunks: manyOf(": ping\n\n", 100)}, func(l *llm.Limits) { l.Body = 100 }, "ERROR malformed/too_large",
		},
		"too long a line": {
			llmtest.Reply{Chunks: manyOf("data: ", 100_000)}, func(l *llm.Limits) { l.Line = 1000 }, "ERROR malformed/too_large",
		},
		"too long an error page": {
			llmtest.Refuse(503, `{"error":{"message":"no"}}`+strings.Repeat(" ", 1<<20)), func(l *llm.Limits) { l.ErrorBody = 64 },
			"ERROR unavailable",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := newModel(llmtest.Start(t, llmtest.NewEndpoint(test.reply)), func(o *openai.Options) { test.limits(&o.Limits) })
			require.Equal(t, test.want, stream(t, model, offer()).brief())
		})
	}
}

func manyOf(piece string, n int) [][]byte {
	pieces := make([][]byte, n)
	for i := range pieces {
		pieces[i] = []byte(piece)
	}
	return pieces
}

// TestLeavingClosesTheConnection: the server learns at once that no one listens, when the loop is left and when
// the caller's context ends.
func TestLeavingClosesTheConnection(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(context.CancelFunc) bool{
		"break":  func(context.CancelFunc) bool { return true },
		"cancel": func(cancel context.CancelFunc) bool { cancel(); return false },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{})
			base := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write([]byte("data: " + said("Hi") + "\n\n"))
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				close(gone)
			}))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var last error
			for _, err := range newModel(base).Stream(ctx, offer()) {
				last = err
				if err == nil && leave(cancel) {
					break
				}
			}
			if name == "cancel" {
				require.ErrorIs(t, last, context.Canceled, "the caller's own end is no failure of the model")
			}
			select {
			case <-gone:
			case <-time.After(10 * time.Second):
				t.Fatal("the server still waits")
			}
		})
	}
}

func TestErrorsKeepTheProvidersWordsApart(t *testing.T) {
	t.Parallel()
	failure := play(t, llmtest.Refuse(401, `{"error":{"message":"Bad key `+key+` of org-77, also `+key[:12]+`"}}`)).failure(t)
	require.Equal(t, "llm: unauthorized (status 401)", failure.Error())
	require.Contains(t, failure.Detail, "Bad key")
	require.NotContains(t, failure.Detail, key[:6])
}
