package llm_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
)

// TestEnvironmentIsNotRead sets every variable that an SDK or net/http would follow.
func TestEnvironmentIsNotRead(t *testing.T) {
	var strayed atomic.Int32
	stray := llmtest.Start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-from-env", "OPENAI_ADMIN_KEY": "sk-admin-from-env", "OPENAI_ORG_ID": "org-from-env",
		"OPENAI_PROJECT_ID": "project-from-env", "OPENAI_WEBHOOK_SECRET": "secret-from-env", "OPENAI_BASE_URL": stray,
		"OPENAI_CUSTOM_HEADERS": "X-Stray: header-from-env", "OPENAI_LOG": "debug",
		"ANTHROPIC_API_KEY": "sk-from-env", "ANTHROPIC_AUTH_TOKEN": "token-from-env", "ANTHROPIC_BASE_URL": stray,
		"ANTHROPIC_CUSTOM_HEADERS": "X-Stray: header-from-env", "ANTHROPIC_PROFILE": "profile-from-env",
		"ANTHROPIC_CONFIG_DIR": t.TempDir(), "ANTHROPIC_IDENTITY_TOKEN": "identity-from-env", "ANTHROPIC_LOG": "debug",
		"HTTP_PROXY": stray, "HTTPS_PROXY": stray, "ALL_PROXY": stray,
	} {
		t.Setenv(name, value)
	}
	for _, d := range dialects {
		endpoint := llmtest.Script(llmtest.Say("Hi"), llmtest.Say("Hi"))
		base := llmtest.Start(t, endpoint)
		require.NoError(t, llmtest.Collect(t, d.model(t, base), llmtest.Offer()).Err)
		require.NoError(t, llmtest.Collect(t, d.model(t, base, func(o *llm.Options) { o.Key = "" }), llmtest.Offer()).Err)

		requests := endpoint.Requests()
		require.Equal(t, d.keyPrefix+key, requests[0].Header.Get(d.keyHeader))
		require.NotContains(t, fmt.Sprint(requests[1].Header), key)
		require.Empty(t, requests[1].Header.Get(d.keyHeader), "no key in the row is no key at all")
		for _, request := range requests {
			require.NotContains(t, fmt.Sprint(request.Header)+string(request.Raw), "from-env")
		}
	}
	require.Zero(t, strayed.Load())
}

func TestOneAttempt(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		for _, status := range []int{408, 409, 429, 500, 503, 529} {
			reply := llmtest.Refuse(status, `{"error":{"message":"no"}}`)
			reply.Header["Retry-After"] = "3600"
			endpoint := llmtest.NewEndpoint(reply)
			failure := llmtest.Collect(t, d.model(t, llmtest.Start(t, endpoint)), llmtest.Offer()).Failure(t)
			require.True(t, failure.Retryable, status)
			require.Equal(t, status, failure.Status)
			require.Equal(t, time.Hour, failure.RetryAfter, "told, and not slept through")
			require.Len(t, endpoint.Requests(), 1)
		}
	})
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var strayed atomic.Int32
	stray := llmtest.Start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	t.Cleanup(func() { require.Zero(t, strayed.Load()) })
	eachDialect(t, func(t *testing.T, d dialect) {
		for _, status := range []int{301, 302, 303, 307, 308} {
			reply := llmtest.Reply{Status: status, Header: map[string]string{"Location": stray}}
			failure := d.play(t, reply).Failure(t)
			require.Equal(t, llm.CodeRedirected, failure.Code)
			require.False(t, failure.Retryable)
		}
	})
}

func TestRefusedAddress(t *testing.T) {
	t.Parallel()
	refuse := func(_, address string, _ syscall.RawConn) error { return errors.New("not allowed: " + address) }
	eachDialect(t, func(t *testing.T, d dialect) {
		endpoint := llmtest.NewEndpoint()
		model := d.model(t, llmtest.Start(t, endpoint), func(o *llm.Options) { o.Client = llm.NewHTTPClient(refuse) })
		failure := llmtest.Collect(t, model, llmtest.Offer()).Failure(t)
		require.Equal(t, llm.CodeBlockedAddress, failure.Code)
		require.False(t, failure.Retryable)
		require.Empty(t, endpoint.Requests())
	})
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		failure := llmtest.Collect(t, d.model(t, "http://127.0.0.1:1/v1"), llmtest.Offer()).Failure(t)
		require.Equal(t, llm.Unavailable, failure.Kind)
		require.Equal(t, llm.CodeConnect, failure.Code)
		require.True(t, failure.Retryable)

		plain := llmtest.Start(t, llmtest.NewEndpoint())
		failure = llmtest.Collect(t, d.model(t, strings.Replace(plain, "http:", "https:", 1)), llmtest.Offer()).Failure(t)
		require.Equal(t, llm.CodeTLS, failure.Code)
		require.False(t, failure.Retryable)
	})
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	const short = 150 * time.Millisecond
	hi := llmtest.Say("Hi")
	unfinished := func(end llmtest.End) llmtest.Reply { return llmtest.Reply{Answer: &hi, Omit: 2, End: end} }
	finished := func(end llmtest.End) llmtest.Reply { return llmtest.Reply{Answer: &hi, Omit: 1, End: end} }
	for name, test := range map[string]struct {
		reply  llmtest.Reply
		limits func(*llm.Limits)
		want   string
	}{
		"no headers": {
			llmtest.Reply{Delay: time.Minute, Answer: &hi},
			func(l *llm.Limits) { l.Header = short },
			"ERROR timeout/header_timeout",
		},
		"headers, then silence": {
			llmtest.Reply{End: llmtest.EndSilence}, func(l *llm.Limits) { l.Idle = short }, "ERROR timeout/idle_timeout",
		},
		"silence after text": {
			unfinished(llmtest.EndSilence),
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
			finished(llmtest.EndSilence),
			func(l *llm.Limits) { l.Tail = short }, "Hi | stop",
		},
		"silence after the end mark": {
			llmtest.Reply{Answer: &hi, End: llmtest.EndSilence}, func(*llm.Limits) {}, "Hi | stop",
		},
		"reset after the finish": {
			finished(llmtest.EndCut),
			func(*llm.Limits) {}, "Hi | stop",
		},
		"reset before it": {
			unfinished(llmtest.EndCut), func(*llm.Limits) {}, "Hi | ERROR cut_stream",
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
			eachDialect(t, func(t *testing.T, d dialect) {
				o := d.play(t, test.reply, func(o *llm.Options) { test.limits(&o.Limits) })
				require.Equal(t, test.want, o.Brief())
			})
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
	hi := llmtest.Say("Hi")
	for name, leave := range map[string]func(context.CancelFunc) bool{
		"break":  func(context.CancelFunc) bool { return true },
		"cancel": func(cancel context.CancelFunc) bool { cancel(); return false },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachDialect(t, func(t *testing.T, d dialect) {
				endpoint := llmtest.NewEndpoint(llmtest.Reply{Answer: &hi, Omit: 2, End: llmtest.EndSilence})
				gone := make(chan struct{})
				base := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					endpoint.ServeHTTP(w, r) // until the client has left
					close(gone)
				}))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var last error
				for _, err := range d.model(t, base).Stream(ctx, llmtest.Offer()) {
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
		})
	}
}

func TestErrorsKeepTheProvidersWordsApart(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		failure := d.play(t, llmtest.Refuse(401, `{"error":{"message":"Bad key `+key+` of org-77, also `+key[:12]+`"}}`)).Failure(t)
		require.Equal(t, "llm: unauthorized (status 401)", failure.Error())
		require.Contains(t, failure.Detail, "Bad key")
		require.NotContains(t, failure.Detail, key[:6])
	})
}

// TestAConnectionIsUsedAgain: an answer that has ended leaves its connection to the next one, also where the server
// closes the stream a moment after the end mark. On a busy machine the moment is sometimes too long.
func TestAConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d dialect) {
		var callers sync.Map
		const calls = 10
		endpoint := llmtest.Script(slices.Repeat([]llmtest.Answer{llmtest.Say("Hi")}, calls)...)
		base := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			callers.Store(r.RemoteAddr, true)
			endpoint.ServeHTTP(w, r)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond)
		}))
		model := d.model(t, base)
		for range calls {
			require.NoError(t, llmtest.Collect(t, model, llmtest.Offer()).Err)
		}
		connections := 0
		callers.Range(func(any, any) bool { connections++; return true })
		require.LessOrEqual(t, connections, calls/2)
	})
}
