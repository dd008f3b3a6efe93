package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/api"
	"countersign/internal/apitest"
)

// TestDocument: the OpenAPI document lists every operation with its security, and refers to nothing that it lacks.
func TestDocument(t *testing.T) {
	t.Parallel()
	s := serve(t)
	answer := s.Stranger(t).Get("/openapi.json").Want(200)
	doc := answer.JSON()
	require.Equal(t, "3.1.0", doc["openapi"])
	require.Equal(t, "test", doc.Text("info", "version"))
	require.Equal(t, map[string]any{"type": "apiKey", "in": "cookie", "name": apitest.Cookie, "description": "The session, from signing in."},
		doc.At("components", "securitySchemes", "session"))

	ids := map[string]bool{}
	for _, r := range api.Routes() {
		if r.Summary == "" {
			continue
		}
		op, found := doc.At("paths", r.Path, strings.ToLower(r.Method)).(map[string]any)
		require.True(t, found, r.Method+" "+r.Path)
		id := op["operationId"].(string)
		require.False(t, ids[id], id)
		ids[id] = true
		want := any([]any{map[string]any{"session": []any{}}})
		if r.Public {
			want = []any{}
		}
		require.Equal(t, want, op["security"], id)
		if r.Permission != "" {
			require.Equal(t, string(r.Permission), op["x-permission"])
		}
		require.Contains(t, op["responses"], "default")
	}
	paths := 0
	for _, item := range doc["paths"].(map[string]any) {
		paths += len(item.(map[string]any))
	}
	require.Len(t, ids, paths)
	schemas := doc.At("components", "schemas").(map[string]any)
	for part := range strings.SplitSeq(answer.Text, `"$ref":"#/components/schemas/`) {
		if name, _, ok := strings.Cut(part, `"`); ok && !strings.HasPrefix(part, "{") {
			require.Contains(t, schemas, name)
		}
	}
}

// TestDocumentedShapes are those where Go's types do not tell the JSON.
func TestDocumentedShapes(t *testing.T) {
	t.Parallel()
	s := serve(t)
	doc := s.Stranger(t).Get("/openapi.json").JSON()
	schema := func(path ...any) any { return doc.At(append([]any{"components", "schemas"}, path...)...) }
	require.Equal(t, []any{"string", "null"}, schema("DealPatch", "properties", "companyId", "type"), "null clears")
	require.Equal(t, []any{"object", "null"}, schema("DealPatch", "properties", "amount", "type"))
	require.Equal(t, "string", schema("DealPatch", "properties", "title", "type"), "null is refused")
	require.NotContains(t, schema("DealPatch"), "required")
	require.Equal(t, "string", schema("Held", "properties", "scope", "type"))
	require.NotContains(t, schema("HistoryItem", "properties", "before"), "type", "any JSON")
	require.Equal(t, true, schema("AIConfigInput", "properties", "apiKey", "writeOnly"))
	require.Subset(t, schema("Problem", "required"), []any{"status", "code", "detail", "requestId"})
	require.NotNil(t, schema("Proposal", "properties", "digest"))
	require.Contains(t, doc.At("paths", "/api/chat", "post", "responses", "200", "content"), "text/event-stream")
	require.Contains(t, s.Stranger(t).Get("/docs").Want(200).Text, "/api/proposals/{id}/confirm")
}

const documentFile = "testdata/openapi.json"

// TestDocumentFile: the committed document, from which the web client's types are generated, is the one that is served.
func TestDocumentFile(t *testing.T) {
	t.Parallel()
	s := serve(t)
	var served bytes.Buffer
	require.NoError(t, json.Indent(&served, []byte(s.Stranger(t).Get("/openapi.json").Want(200).Text), "", "  "))
	served.WriteByte('\n')
	if *update {
		require.NoError(t, os.WriteFile(documentFile, served.Bytes(), 0o600))
	}
	committed, err := os.ReadFile(documentFile)
	require.NoError(t, err)
	if !bytes.Equal(committed, served.Bytes()) {
		t.Errorf("the API is not what api/%s says; run `make generate`", documentFile)
	}
}
