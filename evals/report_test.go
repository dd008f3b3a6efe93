package evals_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/evals"
)

func TestARecordThatHasGoneIsAWrite(t *testing.T) {
	t.Parallel()
	since := time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	made := evals.Record{Path: "deals/1", Fields: map[string]any{"createdAt": "2026-01-31T09:00:01.5Z"}}
	changed := evals.Record{Path: "deals/2", Fields: map[string]any{"createdAt": "2026-01-30T09:00:00Z"}}
	stock := func(deals, tasks int64) map[string]int64 { return map[string]int64{"deals": deals, "tasks": tasks} }
	require.Len(t, evals.WithGone([]evals.Record{made, changed}, stock(10, 5), stock(11, 5), since), 2)
	require.Len(t, evals.WithGone([]evals.Record{changed}, stock(10, 5), stock(10, 3), since), 3)
	all := evals.WithGone([]evals.Record{made}, stock(10, 5), stock(10, 5), since)
	require.Len(t, all, 2, "one made and one gone")
	require.Equal(t, "deals/(gone)", all[1].Path)
}

func TestCostIsSummedPerCurrencyAndNeverGuessed(t *testing.T) {
	t.Parallel()
	var spent evals.Spent
	for _, event := range []string{
		`{"promptTokens": 100, "completionTokens": 10, "known": true, "cost": "0.25", "currency": "USD"}`,
		`{"promptTokens": 1, "completionTokens": 1, "known": true, "cost": 5e-1, "currency": "USD"}`,
		`{"known": false, "cost": null}`,
	} {
		var u evals.Usage
		require.NoError(t, json.Unmarshal([]byte(event), &u))
		spent.Add(u)
	}
	require.Equal(t, "Tokens: 101 in, 11 out, unknown for 1 of 3 turns. Cost: USD 0.750000; unknown for 1 of 3 turns.", spent.String())
}
