package models_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"countersign/models"
)

func TestFoldName(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"ACME Ltd", "acme ltd"},
		{"  Acme \t\n Ltd  ", "acme ltd"},
		{"ＡＣＭＥ　Ｌｔｄ", "acme ltd"},
		{"Straße", "strasse"},
		{"ΣΊΣΥΦΟΣ", "σίσυφοσ"},
		{"Cafe\u0301", "café"},
		{"Caf\u200be\u200d\u0301", "café"},
		{"\ufeffAc\u00adme\u2060", "acme"},
		{"Ac\x00me", "acme"},
		{"❤\ufe0f shop", "❤ shop"},
		{"Acme\u3164", "acme"},
		{"ﬁne ①", "fine 1"},
		{"香港　貿易", "香港 貿易"},
		{"ｶﾀｶﾅ", "カタカナ"},
		{"100% _raw\\", "100% _raw\\"},
		{"\u200b \u3000\u00a0", ""},
		{"", ""},
	} {
		require.Equal(t, c[1], models.FoldName(c[0]), "%+q", c[0])
	}
}

func TestFoldNameProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		key := models.FoldName(s)
		require.Equal(t, key, models.FoldName(key), "folding twice changes nothing")
		require.Equal(t, key, models.FoldName(norm.NFD.String(s)), "however it was composed")
		require.Equal(t, key, models.FoldName(" "+s+"\u3000"))
	})
}

func TestCleanText(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"a\x00b", "ab"},
		{"bad \xff\xfe byte", "bad \uFFFD byte"},
		{"line\r\nnext\ttab\x07\x1b[0m", "line\nnext\ttab[0m"},
		{"Cafe\u0301", "Café"},
		{"ＡＢ 👩‍👩‍👧 海港", "ＡＢ 👩‍👩‍👧 海港"},
	} {
		require.Equal(t, c[1], models.CleanText(c[0]), "%+q", c[0])
	}
	require.Equal(t, "one two three", models.CleanLine("\n one\x00\r\ntwo\u3000 \tthree "))
	rapid.Check(t, func(t *rapid.T) {
		s := models.CleanText(string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")))
		require.True(t, utf8.ValidString(s))
		require.NotContains(t, s, "\x00")
		require.Equal(t, s, models.CleanText(s))
	})
}

func TestNames(t *testing.T) {
	t.Parallel()
	externalID := "D-1"
	require.Equal(t, []string{"A", "甲"}, models.Company{Name: "A", OtherNames: models.Strings{"甲"}}.Names())
	require.Equal(t, []string{"A", "SKU", "甲"}, models.Product{Name: "A", SKU: "SKU", OtherNames: models.Strings{"甲"}}.Names())
	require.Equal(t, []string{"A", "甲"}, models.Stage{Name: "A", OtherNames: models.Strings{"甲"}}.Names())
	require.Equal(t, []string{"A"}, models.Deal{Title: "A"}.Names())
	require.Equal(t, []string{"A", "D-1"}, models.Deal{Title: "A", ExternalID: &externalID}.Names())
}
