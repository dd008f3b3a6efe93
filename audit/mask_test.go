package audit_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/audit"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{`{"company":"Acme","phone":"+85221234567"}`, `{"company":"Acme","phone":"(hidden)"}`},
		{`{"contacts":[{"Email":"a@b.test","name":"A"}],"n":9007199254740993}`, `{"contacts":[{"Email":"(hidden)","name":"A"}],"n":9007199254740993}`},
		{`{"apiKey":{"v":"secret"},"PASSWORD":["secret"]}`, `{"apiKey":"(hidden)","PASSWORD":"(hidden)"}`},
		{`"phone"`, `"phone"`},
		{`null`, `null`},
		{`{"a":`, `"(not JSON)"`},
		{`{} {}`, `"(not JSON)"`},
		{``, `"(not JSON)"`},
		{`"` + strings.Repeat("x", 5000) + `"`, `"(too long to record)"`},
	} {
		got, err := json.Marshal(audit.Mask(json.RawMessage(c[0])))
		require.NoError(t, err)
		require.Equal(t, c[1], sorted(t, got, c[1]), "%.60s", c[0])
	}
}

// sorted gives JSON in the order of members that want has, when both hold the same.
func sorted(t *testing.T, got []byte, want string) string {
	t.Helper()
	var a, b map[string]json.RawMessage
	if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil || a == nil {
		return string(got)
	}
	x, err := json.Marshal(a)
	require.NoError(t, err)
	y, err := json.Marshal(b)
	require.NoError(t, err)
	if bytes.Equal(x, y) {
		return want
	}
	return string(got)
}

func TestMaskJSON(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for text, want := range map[string]string{
		`{"data":[{"email":"a@b.test","n":9007199254740993}]}`: `{"data":[{"email":"(hidden)","n":9007199254740993}]}`,
		` [{"apiKey":"secret","a":"` + long + `"}]`:            `[{"a":"` + long + `","apiKey":"(hidden)"}]`,
		`{"phone":"1"`: `{"phone":"1"`,
		"Her phone?":   "Her phone?",
		`"phone"`:      `"phone"`,
		"":             "",
	} {
		require.Equal(t, want, audit.MaskJSON(text))
	}
}
