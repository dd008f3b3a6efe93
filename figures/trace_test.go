package figures_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/figures"
)

var hongKong = time.FixedZone("UTC+8", 8*60*60)

// deals is a result as tools give it.
const deals = `{"shown":3,"total":312,"items":[
 {"id":"01932f7a-1234-7123-8123-000000000077","title":"Crane GTX 9500 lift","stage":"Proposal","amount":{"amount":"1234567.00","currency":"HKD"},"expectedCloseDate":"2026-11-30","createdAt":"2026-03-02T20:15:00Z"},
 {"id":"01932f7a-1234-7123-8123-000000000078","title":"Pallets","stage":"Proposal","amount":{"amount":"200000.50","currency":"HKD"},"expectedCloseDate":"2026-12-05"},
 {"id":"01932f7a-1234-7123-8123-000000000079","title":"Audit","stage":"New","amount":{"amount":"50000.00","currency":"HKD"}},
 {"id":"01932f7a-1234-7123-8123-000000000080","title":"Foreign","stage":"New","amount":{"amount":"7000.00","currency":"USD"}}]}`

const summary = `{"total":{"deals":560,"open":7,"won":349,"lost":204,"winRatePercent":63.11,"amounts":[{"sum":{"amount":"1200.50","currency":"HKD"}}]}}`

func sources() *figures.Sources {
	s := figures.NewSources(time.Date(2026, time.March, 2, 17, 0, 0, 0, hongKong))
	s.Say("Which of my 20 deals close in October? I think it is HK$1.5 million, on 3 May.")
	s.Period([]byte(`{"closing_from":"2026-10-01","limit":77}`))
	s.Return([]byte(deals))
	s.Return([]byte(summary))
	return s
}

func TestWhatHasASource(t *testing.T) {
	t.Parallel()
	for answer, untraced := range map[string]string{
		// as it stands, in any form
		"HK$1,234,567 and HKD 200,000.50": "",
		"港幣1,234,567元，１，２３４，５６７":          "",
		"$1,234,567; 1234567":             "",
		"349 won, 63.11%":                 "",
		"the Crane GTX 9500 lift":         "",
		"HK$1,500,000, as you say; 150萬":  "",
		"20 deals":                        "",
		"HK$1,234,576":                    "HK$1,234,576",
		"US$1,234,567":                    "US$1,234,567",
		"US$7,000":                        "",
		"77 of them":                      "77",
		"about 42":                        "42",
		// rounded, where it shows
		"HK$1.2M or 123萬 or HK$1.23 million": "",
		"HK$1.3M":                            "HK$1.3M",
		"約 HK$1,230,000":                     "",
		"HK$1,230,000":                       "HK$1,230,000",
		"63%, 63.1%":                         "",
		"44%":                                "44%",
		"63 deals":                           "63",
		"HK$1,200":                           "HK$1,200",
		"超過 1,200,000，nearly 350 won":        "",
		"over HK$1,300,000":                  "HK$1,300,000",
		// in words
		"三百四十九單，百分之六十三":           "",
		"贏咗三百五十單":                 "三百五十",
		"HK$ nine million in all": "nine million",
		"一百五十萬":                   "",
		"30.11.2026, 二零二六年十一月三十日": "",
		"29.11.2026，十一月二十九日":      "29.11.2026 | 十一月二十九日",
		// counts
		"3 shown of 312, 4 in all, 2 in Proposal":        "",
		"These five:\n- a\n- b\n- c\n- d\n- e\n5 in all": "",
		// arithmetic
		"553 decided, 145 more won than lost": "",
		"HK$1,484,567.50 together":            "",
		"HK$1,434,567.50 in Proposal":         "",
		"HK$1,034,566.50 apart":               "",
		"HK$494,855.83 on average":            "",
		"83.2% of the sum":                    "",
		"6.2 times as much as the Pallets":    "",
		"8.1 times":                           "8.1",
		"HK$1,491,567.50":                     "HK$1,491,567.50",
		// dates and times
		"30 November 2026, 30 Nov, 2026年11月30日, 11月30日, 11月": "",
		"closes 2026-11-29": "2026-11-29",
		"31 November":       "31 November",
		"today, 2 March 2026, or tomorrow, 3 March": "",
		"4 March":                           "4 March",
		"6 March":                           "6 March",
		"in 2026":                           "",
		"in 2031":                           "2031",
		"from 1 October 2026, October 2026": "",
		"3 May 2026":                        "",
		"3 May 2031":                        "3 May 2031",
		"made at 04:15 (20:15 UTC)":         "",
		"at 04:16":                          "04:16",
		"now 5pm, 17:00, 下午5時":              "",
		"in 273 days, 273天":                 "",
		"in 271 days":                       "271",
		"273 deals":                         "273",
		"No figures here.":                  "",
	} {
		var got []string
		for _, f := range sources().Untraced(answer) {
			require.Equal(t, f.Text, answer[f.Start:f.End])
			got = append(got, f.Text)
		}
		assert.Equal(t, untraced, strings.Join(got, " | "), "%q", answer)
	}
}

// A name with a number in Chinese characters is a source of it, as one with digits is.
func TestNumbersInNames(t *testing.T) {
	t.Parallel()
	s := figures.NewSources(time.Date(2026, time.March, 2, 17, 0, 0, 0, hongKong))
	s.Return([]byte(`{"name":"三十三酒店"}`))
	require.Empty(t, s.Untraced("三十三酒店係你嘅客戶，33 間"))
	require.Len(t, s.Untraced("三十四酒店"), 1)
}

func TestSourcesThatAreNoJSON(t *testing.T) {
	t.Parallel()
	s := figures.NewSources(time.Date(2026, time.March, 2, 17, 0, 0, 0, hongKong))
	s.Return([]byte(`12 of them {`))
	s.Return(nil)
	s.Period([]byte(`{`))
	require.Empty(t, s.Untraced("12"))
	require.Len(t, s.Untraced("13"), 1)
	s.Say("13")
	require.Empty(t, s.Untraced("13"), "more may be said at any time")
}

// TestAnythingVerbatimIsTraced: whatever a source says is traced in the same words, whoever says it.
func TestAnythingVerbatimIsTraced(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := fmt.Sprintf("%d.%02d", rapid.Int64Range(0, 1e11).Draw(t, "whole"), rapid.IntRange(0, 99).Draw(t, "cents"))
		day := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "day"), 0).UTC()
		currency := rapid.SampledFrom([]string{"HKD", "USD", "TWD"}).Draw(t, "currency")
		data, err := json.Marshal(map[string]any{"amount": map[string]string{"amount": amount, "currency": currency}, "closes": day.Format(time.DateOnly)})
		if err != nil {
			t.Fatal(err)
		}
		said := rapid.SampledFrom([]string{"%s %s on %s", "共%s%s，%s"}).Draw(t, "words")
		said = fmt.Sprintf(said, currency, amount, day.Format(rapid.SampledFrom([]string{
			time.DateOnly, "2 January 2006", "Jan 2, 2006", "2006年1月2日", "2/1/2006",
		}).Draw(t, "form")))
		s := figures.NewSources(time.Date(2026, time.March, 2, 17, 0, 0, 0, hongKong))
		s.Return(data)
		if rest := s.Untraced(said); len(rest) > 0 {
			t.Fatalf("%q of %s: %q", said, data, rest[0].Text)
		}
		if all := figures.Find(said); len(all) != 2 {
			t.Fatalf("%q has %d figures", said, len(all))
		}
	})
}

// TestAnythingElseIsNot: an amount that no source has, and that is not near any of it, is told.
func TestAnythingElseIsNot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(2e7, 1e11).Draw(t, "n")
		text := fmt.Sprintf(rapid.SampledFrom([]string{"HK$%d", "%d", "共%d元", "USD %d"}).Draw(t, "form"), n)
		if len(sources().Untraced("It is "+text+".")) != 1 {
			t.Fatalf("%s passes", text)
		}
	})
}

func FuzzFind(f *testing.F) {
	for _, text := range []string{deals, summary, "1億2,000萬", "3 p.m.", "30th of", "2026年", "+852", "12:", "12/", "2026-", "1,234,", "(](", "第", "5 ", "百分之5%", "二〇二六年三百五十萬零五", "十2百", "three million%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range figures.Find(text) {
			require.GreaterOrEqual(t, found.Start, end)
			require.Greater(t, found.End, found.Start)
			require.Equal(t, text[found.Start:found.End], found.Text)
			end = found.End
		}
		s := figures.NewSources(time.Date(2026, time.March, 2, 17, 0, 0, 0, hongKong))
		s.Return([]byte(text))
		s.Untraced(text)
	})
}

// BenchmarkUntraced judges an answer of 2 kB by results of 20 kB.
func BenchmarkUntraced(b *testing.B) {
	var items []string
	for i := range 75 {
		items = append(items, fmt.Sprintf(`{"id":"01932f7a-1234-7123-8123-%012d","title":"Deal %d of the Crane GTX 9500","company":"Acme","stage":"Proposal","pipeline":"Selling","amount":{"amount":"%d.50","currency":"HKD"},"expectedCloseDate":"2026-11-%02d","owner":"Sam Sales"}`, i, i, i*7919, i%28+1))
	}
	result := []byte(`{"shown":75,"total":312,"items":[` + strings.Join(items, ",") + `]}`)
	answer := strings.Repeat("- Acme renewal: HK$15,838.50, closes 3 November 2026, 12.5% of HK$999,999; 贏 349 單。\n", 22)
	for b.Loop() {
		s := figures.NewSources(time.Date(2026, time.March, 2, 17, 0, 0, 0, hongKong))
		s.Return(result)
		s.Untraced(answer)
	}
	b.ReportMetric(float64(len(result)), "B-results")
	b.ReportMetric(float64(len(answer)), "B-answer")
}
