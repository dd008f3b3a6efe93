package i18n_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/i18n"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]i18n.Lang{
		"":                              i18n.EN,
		"en":                            i18n.EN,
		"en-HK":                         i18n.EN,
		"zh-HK":                         i18n.ZhHK,
		"zh":                            i18n.ZhHK,
		"zh-TW,zh;q=0.9,en;q=0.8":       i18n.ZhHK,
		"ZH-hant-hk":                    i18n.ZhHK,
		"zh-CN":                         i18n.ZhHK,
		"yue-HK":                        i18n.ZhHK,
		"en;q=0.5, zh-HK;q=0.9":         i18n.ZhHK,
		"zh-HK;q=0.1, en-GB;q=0.7":      i18n.EN,
		"fr, zh-HK;q=0.8, en;q=0.5":     i18n.ZhHK,
		"zh;q=0, en;q=0.1":              i18n.EN,
		"de-CH, fr;q=0.9":               i18n.EN,
		"*":                             i18n.EN,
		"zh-HK;q=many":                  i18n.EN,
		"{{.name}}\x00'; DROP TABLE --": i18n.EN,
	} {
		require.Equal(t, want, i18n.Match(header), "%q", header)
	}
}

func TestT(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Searching deals", i18n.T(i18n.EN, "tool.list_deals.label"))
	require.Equal(t, "搜尋商機", i18n.T(i18n.ZhHK, "tool.list_deals.label"))
	require.Equal(t, "搜尋商機", i18n.T("zh-Hant-HK", "tool.list_deals.label"), "a plain string of any form")
	require.Equal(t, "Searching deals", i18n.T("", "tool.list_deals.label"), "no language is English")

	require.Equal(t, "1 company", i18n.T("en", "resolve.count.company", "count", 1))
	require.Equal(t, "2 companies", i18n.T("en", "resolve.count.company", "count", int64(2)))
	require.Equal(t, "1 間公司", i18n.T("zh-HK", "resolve.count.company", "count", 1))
}

func TestTNeverShowsATemplate(t *testing.T) {
	t.Parallel()
	require.Equal(t, "no.such.key", i18n.T("zh-HK", "no.such.key"), "an unknown key")
	require.Equal(t, "No  matches \"\".", i18n.T("en", "resolve.none"), "no values")
	require.Equal(t, "No deal matches \"\".", i18n.T("en", "resolve.none", "kind", "deal", "text"), "a name without a value")
	require.Equal(t, "many companies", i18n.T("en", "resolve.count.company", "count", "many"), "a count that is no number")
	require.Equal(t, `No deal matches "{{.kind}} <b>%s".`, i18n.T("en", "resolve.none", "kind", "deal", "text", "{{.kind}} <b>%s"),
		"values are no templates")
}

func TestTConcurrently(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			if got := i18n.T("en", "resolve.more", "names", "Acme", "count", 3); got != "Acme and 3 more" {
				t.Errorf("got %q", got)
			}
		})
	}
	group.Wait()
}
