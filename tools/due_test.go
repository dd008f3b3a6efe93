package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/tools"
)

// What is said on Wednesday, 4 March 2026, at half past midnight in Hong Kong, when it is still Tuesday in UTC (SEC-46).
func TestParseDue(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 3, 16, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-11-29":                "2026-11-29 23:59",
		"2026-11-29 15:00":          "2026-11-29 15:00",
		"2026-11-29T15:00:00+08:00": "2026-11-29 15:00",
		"2026-11-29T15:00:00Z":      "2026-11-29 23:00",
		"2026-11-29T15:00:00":       "2026-11-29 15:00",
		"2026-11-29T15:00":          "2026-11-29 15:00",
		"today":                     "2026-03-04 23:59",
		" Tomorrow ":                "2026-03-05 23:59",
		"tomorrow 3pm":              "2026-03-05 15:00",
		"tomorrow at 9:30 am":       "2026-03-05 09:30",
		"tomorrow, 12am":            "2026-03-05 00:00",
		"12pm":                      "2026-03-04 12:00",
		"18:30":                     "2026-03-04 18:30",
		"the day after tomorrow":    "2026-03-06 23:59",
		"in 3 days":                 "2026-03-07 23:59",
		"in a week":                 "2026-03-11 23:59",
		"2 weeks from now":          "2026-03-18 23:59",
		"Friday":                    "2026-03-06 23:59",
		"on thurs":                  "2026-03-05 23:59",
		"Wednesday":                 "2026-03-11 23:59",
		"this Wednesday":            "2026-03-04 23:59",
		"this sunday":               "2026-03-08 23:59",
		"Tuesday":                   "2026-03-10 23:59",
		"next Wednesday":            "2026-03-11 23:59",
		"next Friday":               "2026-03-13 23:59",
		"NEXT FRIDAY 10:00":         "2026-03-13 10:00",
		"next week":                 "2026-03-09 23:59",
		"今日":                        "2026-03-04 23:59",
		"聽日":                        "2026-03-05 23:59",
		"明天 15:00":                  "2026-03-05 15:00",
		"後日":                        "2026-03-06 23:59",
		"星期五":                       "2026-03-06 23:59",
		"週日":                        "2026-03-08 23:59",
		"今個星期三":                     "2026-03-04 23:59",
		"下星期三":                      "2026-03-11 23:59",
		"下個禮拜一":                     "2026-03-09 23:59",
		"下周日":                       "2026-03-15 23:59",
		"下下星期三":                     "2026-03-18 23:59",
		"下星期":                       "2026-03-09 23:59",
		"三日後":                       "2026-03-07 23:59",
		"10天後":                      "2026-03-14 23:59",
		"兩個星期後":                     "2026-03-18 23:59",
		"下星期三15:00":                 "2026-03-11 15:00",
		"聽日下晝三點":                    "2026-03-05 15:00",
		"明天下午3點半":                   "2026-03-05 15:30",
		"下星期五早上十點十五分":               "2026-03-13 10:15",
		"星期五 晚上8時":                  "2026-03-06 20:00",
		"聽日中午12點":                   "2026-03-05 12:00",
		"後日 15點":                    "2026-03-06 15:00",
		"十五日後":                      "2026-03-19 23:59",
		"今日晚上十二點":                   "2026-03-05 00:00",
		"上午十一點":                     "2026-03-04 11:00",
	} {
		due, ok := tools.ParseDue(text, now)
		require.True(t, ok, text)
		require.Equal(t, want, due.In(models.Zone()).Format("2006-01-02 15:04"), text)
	}
	for _, text := range []string{
		"soon", "yesterday", "2026-02-30", "31/12/2026", "this Tuesday", "25:00", "13pm", "next", "in days", "星期八", "下下下星期三", "三日", "聽日下晝二十五點", "聽日下晝三四點", "聽日三點", "聽日三點六十一分", "聽日下晝", "2026-11-29T15:00:00+08:00 or so",
	} {
		due, ok := tools.ParseDue(text, now)
		require.False(t, ok, "%s: %s", text, due)
	}
}

// The week begins on Monday: on a Sunday, the next one begins tomorrow.
func TestParseDueOnEveryDayOfTheWeek(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, time.March, 2, 12, 0, 0, 0, models.Zone())
	for days := range 7 {
		for _, text := range []string{"next wednesday", "下星期三", "下個星期三"} {
			due, ok := tools.ParseDue(text, monday.AddDate(0, 0, days))
			require.True(t, ok)
			require.Equal(t, "2026-03-11", due.In(models.Zone()).Format(time.DateOnly), "%s on day %d", text, days)
		}
	}
}
