package figures_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/figures"
)

func found(text string) string {
	var all []string
	for _, f := range figures.Find(text) {
		all = append(all, f.Text)
	}
	return strings.Join(all, " | ")
}

func TestWhatIsAFigure(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"You won 349 deals.":                            "349",
		"HK$1,234,567.50 in all":                        "HK$1,234,567.50",
		"US$1.2 million, NT$3k and ¥500":                "US$1.2 million | NT$3k | ¥500",
		"HKD 1,200 or 1,200 USD":                        "HKD 1,200 | 1,200 USD",
		"usd4821, €12.5m":                               "usd4821 | €12.5m",
		"共 1億2,000萬 港元，即百分之30":                          "1億2,000萬 港元 | 百分之30",
		"港幣120萬元":                                       "港幣120萬元",
		"３４９ 單，１０，００５，５３４ 元":                            "３４９ | １０，００５，５３４ 元",
		"贏349，204輸":                                     "349 | 204",
		"63.6%, 12 percent, 5 percentage points, 20巴仙":  "63.6% | 12 percent | 5 percent | 20巴仙",
		"on 2026-11-30, 2026/1/2 or 30/11/2026":         "2026-11-30 | 2026/1/2 | 30/11/2026",
		"at 2026-11-30T04:05:06.789Z":                   "2026-11-30T04:05:06.789Z",
		"30 November 2026; Nov 30th, 2026; 30th of Nov": "30 November 2026 | Nov 30th, 2026 | 30th of Nov",
		"in November 2026, or Sept. 3":                  "November 2026 | Sept. 3",
		"2026年11月30日、11月30日、11月、30號":                    "2026年11月30日 | 11月30日 | 11月 | 30號",
		"14:30, 2:30 pm, 3pm, 下午2時30分, 下午3點半":           "14:30 | 2:30 pm | 3pm | 2時30分 | 3點半",
		"a 30-day window, 3 times as much, 2.5倍":        "30 | 3 | 2.5",
		"三百萬元，十二單，兩億三千萬，一百二十三萬四千五百六十七":      "三百萬元 | 十二 | 兩億三千萬 | 一百二十三萬四千五百六十七",
		"百分之七十，百分之五，三千五百，三百五，四百零五，十萬":       "百分之七十 | 百分之五 | 三千五百 | 三百五 | 四百零五 | 十萬",
		"二零二六年十一月三十日，三十號":                   "二零二六年十一月三十日 | 三十號",
		"一些人十分滿意，萬一，千萬不要，三四百個，第二十個，下星期三十點見": "四百",
		"三百萬元，十二個月":                                                        "三百萬元 | 十二",
		"three million dollars, twenty thousand HKD, two of them, one mil": "three million | twenty thousand HKD | one mil",
		"30-11-2026, 30.11.2026, 30/11/26, 10-20-30":                       "30-11-2026 | 30.11.2026 | 30/11/26 | 10 | 20 | 30",
		"852-9123-456789":             "852 | 9123 | 456789",
		"852-9123-4567, 415-555-0100": "",
		"in 2026":                     "2026",
		"~~5~~ or **HK$7**":           "5 | HK$7",
		"10~20，30-40":                 "10 | 20 | 30 | 40",
		"the first, three of them, May, march on":                                         "",
		"the 1st, 2nd and 23rd; 第3個":                                                      "",
		"1. One\n2) Two\n  3. Three\n4、四":                                                 "",
		"| 1 | Acme | 5 |\n|---|---|---|":                                                 "5",
		"Ask about #4711, SKU-4711, Q-2026-0001, v1.2.3, GTX500, E511, 83X, I3KQNE9V, q3": "",
		"0192a7c4-1234-7123-8123-000000000077 01932f7a-1234-7123-8123-0000000000aa":       "",
		"[Acme](/deals/0192-77?x=12) and https://a.test/12/34":                            "",
		"+852 2123 4567, 2123 4567, ••••••67":                                             "",
		"12345678901234567890":                                                            "",
		"":                                                                                "",
		"\xff12\x00":                                                                      "12",
	} {
		require.Equal(t, want, found(text), "%q", text)
	}
}

func TestTells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		said, want string
		tells      bool
	}{
		{"HK$1,200.00", "1200", true},
		{"1.2k", "1234", false},
		{"1.200k", "1200", true},
		{"1,000.55萬", "10005534", true},
		{"1億2,000萬", "120000000", true},
		{"63.57%", "63.6", true},
		{"64%", "63.6", false},
		{"349.4", "349", false},
		{"2026-11-30", "2026", false},
	} {
		want, ok := figures.Parse(c.want)
		require.True(t, ok)
		require.Equal(t, c.tells, figures.Find(c.said)[0].Tells(want), "%s as %s", c.said, c.want)
	}
	for _, text := range []string{"", "x", "1 2", "1.", "2026-11-30", "about 3"} {
		_, ok := figures.Parse(text)
		require.False(t, ok, text)
	}
}
