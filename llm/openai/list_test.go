package openai_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/llm"
	"countersign/llm/llmtest"
	"countersign/llm/openai"
)

const key = "sk-test-of-the-list"

func TestModels(t *testing.T) {
	t.Parallel()
	var path string
	answer := `{"data":[{"id":"b"},{"id":"a"}]}`
	base := llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.RequestURI() + " " + r.Header.Get("Authorization")
		_, _ = w.Write([]byte(answer))
	}))
	list := func(base, key string) ([]string, error) {
		return newModel(base, func(o *openai.Options) { o.Key = key }).Models(t.Context())
	}
	names, err := list(base+"?api-version=1", key)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "a"}, names)
	require.Equal(t, "/v1/models?api-version=1 Bearer "+key, path)

	answer = `[{"id":"bare"}]`
	names, err = list(base, "")
	require.NoError(t, err)
	require.Equal(t, []string{"bare"}, names)
	require.Equal(t, "/v1/models ", path)

	for _, other := range []string{``, `<html>`, `{}`, `{"data":null}`, `"x"`, `{"data":{"id":"x"}}`} {
		answer = other
		_, err = list(base, key)
		failed, ok := errors.AsType[*llm.Error](err)
		require.True(t, ok, other)
		require.Equal(t, llm.CodeNoModelList, failed.Code, other)
	}
	answer = `{"data":[{"id":"` + strings.Repeat("x", 5<<20) + `"}]}`
	_, err = list(base, key)
	failed, ok := errors.AsType[*llm.Error](err)
	require.True(t, ok)
	require.Equal(t, llm.CodeTooLarge, failed.Code)
}

// silence is a connection to a server that never answers.
type silence struct{}

func (silence) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, context.Cause(r.Context())
}

// TestModelsWaitsFiveSecondsAtMost: somebody looks at a form meanwhile.
func TestModelsWaitsFiveSecondsAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		model := newModel("http://api.example.com/v1", func(o *openai.Options) { o.Client = &http.Client{Transport: silence{}} })
		_, err := model.Models(t.Context())
		failed, ok := errors.AsType[*llm.Error](err)
		require.True(t, ok)
		require.Equal(t, llm.Timeout, failed.Kind)
		require.LessOrEqual(t, time.Since(started), 5*time.Second)
	})
}

// TestWholeAnswersSaySo: one JSON document where a stream was asked for, and a stream that is one.
func TestWholeAnswersSaySo(t *testing.T) {
	t.Parallel()
	whole := llmtest.Reply{Chunks: [][]byte{[]byte(`{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`)}}
	require.True(t, play(t, whole).Done.Whole)
	require.False(t, play(t, events(said("Hi"), finish("stop"), doneMark)).Done.Whole)
}
