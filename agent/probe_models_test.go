package agent_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/apperr"
	"countersign/i18n"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/store"
)

// configure stores an endpoint for the bench.
func (b *bench) configure(t *testing.T, url, key string) {
	t.Helper()
	b.Clock.Advance(time.Second) // a change has a time of its own
	_, err := b.config.Put(t.Context(), b.Admin, typed(url, key))
	require.NoError(t, err)
}

// TestModels: the list is sorted, each name once, and asked for once a minute and configuration.
func TestModels(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		b := newBench(t, db, 0)
		none, err := b.Models(t.Context(), b.Admin)
		require.NoError(t, err)
		require.Equal(t, []string{}, none, "nothing is configured")

		var asked atomic.Int32
		url := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if r.Method != http.MethodGet || r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer "+probeKey {
				http.Error(w, "{}", http.StatusUnauthorized)
				return
			}
			_, _ = fmt.Fprintf(w, `{"object":"list","data":[{"id":"b"},{"id":"a","x":1},{"id":"b"},{"id":""},{"id":"odd\nname"},{"id":"%s"}]}`, strings.Repeat("x", 300))
		}))
		list := func() []string {
			names, err := b.Models(t.Context(), b.Admin)
			require.NoError(t, err)
			return names
		}
		b.configure(t, url, probeKey)
		require.Equal(t, []string{"a", "b"}, list())
		list()[0] = "changed"
		b.Clock.Advance(59 * time.Second)
		require.Equal(t, []string{"a", "b"}, list())
		require.EqualValues(t, 1, asked.Load())
		b.Clock.Advance(time.Second)
		list()
		require.EqualValues(t, 2, asked.Load(), "a minute later")
		b.configure(t, url+"/", "")
		list()
		require.EqualValues(t, 3, asked.Load(), "after a change")
	})
}

// TestModelsAreNotToBeHad: in words of our own, with a code.
func TestModelsAreNotToBeHad(t *testing.T) {
	t.Parallel()
	for text, reply := range map[string]llmtest.Reply{
		"key_refused": llmtest.Refuse(401, `{"error":{"message":"PROVIDER-WORDS"}}`),
		"no_list":     llmtest.Refuse(404, `{"error":{"message":"PROVIDER-WORDS"}}`),
		"trouble":     llmtest.Refuse(500, `PROVIDER-WORDS`),
		"redirected":  {Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:1/"}},
	} {
		b := light(t)
		b.configure(t, llmtest.Start(t, plainReply(reply)), probeKey)
		_, err := b.Models(t.Context(), b.Admin)
		require.True(t, apperr.Is(err, apperr.Unavailable), text)
		require.Equal(t, agent.CodeNoModelList, apperr.As(err).Code)
		require.Equal(t, i18n.T(i18n.EN, "probe."+text), apperr.As(err).Message)
		require.NotContains(t, err.Error(), "PROVIDER-WORDS")
	}
	b := light(t)
	b.configure(t, llmtest.Start(t, plainReply(page(200, "<html>"))), "")
	b.Admin.Lang = "zh-HK"
	_, err := b.Models(t.Context(), b.Admin)
	require.Equal(t, "端點沒有提供模型列表。", apperr.As(err).Message)
}

// plainReply answers requests without a body.
func plainReply(reply llmtest.Reply) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range reply.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(reply.Status)
		for _, chunk := range reply.Chunks {
			_, _ = w.Write(chunk)
		}
	})
}
