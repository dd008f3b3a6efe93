package evals_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"countersign/evals"
	"countersign/llm/llmtest"
)

// small is a data set of the Maven layout, invented here.
var small = map[string]string{
	"sales_teams.csv":    "sales_agent,manager,regional_office\nAnn Ho,Mona Boss,East\nBen Lee,Mona Boss,East\n",
	"products.csv":       "product,series,sales_price\nAlpha Pro,A,100\n",
	"accounts.csv":       "account,sector,year_established,revenue,employees,office_location,subsidiary_of\nMother Inc,retail,1990,1100.04,2822,United States,\n",
	"sales_pipeline.csv": "opportunity_id,sales_agent,product,account,deal_stage,engage_date,close_date,close_value\nD1,Ann Ho,Alpha Pro,Mother Inc,Won,2016-10-20,2017-03-01,1054\nD2,Ann Ho,Alpha Pro,Mother Inc,Engaging,2017-01-02,,\n",
}

const smallCases = `[
 {"id": "right", "actor": {"role": "sales", "name": "Ann Ho"}, "lang": "en", "question": "won?", "tools": ["summarize_deals"], "answer_has": ["1,054"], "no_invented_figures": true},
 {"id": "wrong figure", "actor": {"role": "sales", "name": "Ann Ho"}, "lang": "en", "question": "won, wrongly?", "tools": ["summarize_deals"], "answer_has": ["1,054"], "no_invented_figures": true},
 {"id": "out of scope", "actor": {"role": "sales", "name": "Ben Lee"}, "lang": "en", "question": "won?", "tools": ["summarize_deals"], "answer_has": ["none"]},
 {"id": "proposal", "actor": {"role": "sales", "name": "Ann Ho"}, "lang": "zh-Hant", "question": "win D2", "proposal": {"tool": "update_deal_stage", "target": "D2", "before": "Engaging", "after": "Won"}, "writes": 0},
 {"id": "unwanted proposal", "actor": {"role": "manager", "name": "Mona Boss"}, "lang": "en", "question": "win D2", "proposal": null},
 {"id": "missing proposal", "actor": {"role": "admin"}, "lang": "en", "question": "say that D2 is won", "proposal": {"tool": "update_deal_stage"}},
 {"id": "write", "actor": {"role": "sales", "name": "Ann Ho"}, "lang": "en", "question": "note it", "tools": ["log_activity"], "writes": 1},
 {"id": "extra write", "actor": {"role": "sales", "name": "Ann Ho"}, "lang": "en", "question": "note it twice", "tools": ["log_activity"], "writes": 1},
 {"id": "link", "actor": {"role": "admin"}, "lang": "en", "question": "delete D2", "tools": ["delete_record"], "writes": 0, "answer_has_link": "D2"},
 {"id": "offline", "actor": {"role": "admin"}, "lang": "en", "question": "two rounds", "tools": ["get_deal"]},
 {"id": "not yet", "actor": {"role": "viewer"}, "lang": "en", "question": "won?", "tools": ["read_minds"]},
 {"id": "not recorded", "actor": {"role": "viewer"}, "lang": "en", "question": "what else?"}
]`

const smallRecordings = `[
 {"match": {"user": "won?", "system": "Ann Ho"}, "rounds": [{"calls": [{"name": "summarize_deals", "arguments": {"owner": "me"}}], "usage": {"input": 10, "output": 2}}, {"text": ["US$1,054"], "usage": {"input": 20, "output": 3}}]},
 {"match": {"user": "won?"}, "rounds": [{"calls": [{"name": "summarize_deals", "arguments": {"owner": "me"}}]}, {"text": ["none"]}]},
 {"match": {"user": "won, wrongly?"}, "rounds": [{"calls": [{"name": "summarize_deals", "arguments": {"owner": "me"}}]}, {"text": ["US$1,045"]}]},
 {"match": {"user": "win D2"}, "rounds": [{"calls": [{"name": "update_deal_stage", "arguments": {"deal": "D2", "stage": "Won"}}]}]},
 {"match": {"user": "say that D2 is won"}, "rounds": [{"text": ["D2 is won now."]}]},
 {"match": {"user": "note it"}, "rounds": [{"calls": [{"name": "log_activity", "arguments": {"kind": "NOTE", "subject": "it", "deal": "D2"}}]}, {"text": ["Noted."]}]},
 {"match": {"user": "note it twice"}, "rounds": [{"calls": [{"name": "log_activity", "arguments": {"kind": "NOTE", "subject": "it", "deal": "D2"}}, {"name": "log_activity", "arguments": {"kind": "NOTE", "subject": "it", "deal": "D1"}}]}, {"text": ["Noted once."]}]},
 {"match": {"user": "delete D2"}, "rounds": [{"calls": [{"name": "delete_record", "arguments": {"type": "deal", "record": "D2"}}]}]},
 {"match": {"user": "two rounds"}, "rounds": [{"calls": [{"name": "get_deal", "arguments": {"deal": "D2"}}]}]}
]`

// smallOptions runs the small cases.
func smallOptions(t *testing.T) evals.Options {
	t.Helper()
	dir := t.TempDir()
	for name, text := range small {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cases, err := evals.ParseCases([]byte(smallCases))
	require.NoError(t, err)
	return evals.Options{
		Cases: cases, Data: dir, Parallel: 2, Recordings: fstest.MapFS{"small.json": {Data: []byte(smallRecordings)}},
	}
}

func TestTheProductIsJudgedByWhatItDid(t *testing.T) {
	t.Parallel()
	o := smallOptions(t)
	o.Runs = 2
	report, err := evals.Run(t.Context(), o)
	require.NoError(t, err)
	wrong := map[string][]string{}
	statuses := map[evals.Status][]string{}
	for _, r := range report.Cases {
		statuses[r.Status] = append(statuses[r.Status], r.ID)
		if r.Status == evals.Failed {
			require.Len(t, r.Runs, 2)
			wrong[r.ID] = fields(r.Runs[1].Findings)
		}
	}
	require.Equal(t, map[evals.Status][]string{
		evals.Passed:      {"right", "out of scope", "proposal", "write", "link"},
		evals.Failed:      slices.DeleteFunc(ids(o.Cases), func(id string) bool { return wrong[id] == nil }),
		evals.NotYet:      {"not yet"},
		evals.NotRecorded: {"not recorded"},
	}, statuses)
	require.Equal(t, map[string][]string{
		"wrong figure": {"answer_has", "no_invented_figures"}, "unwanted proposal": {"proposal"}, "missing proposal": {"proposal"},
		"extra write": {"writes"}, "offline": {"turn"},
	}, wrong)

	total := report.Total()
	require.Equal(t, 20, total.Trials)
	require.Equal(t, 10, total.TrialsPassed)
	require.EqualValues(t, 2*30, report.Spent.PromptTokens)
	require.Equal(t, report.Spent.Turns, report.Spent.CostUnknown, "there is no price")
	var text bytes.Buffer
	require.NoError(t, report.Write(&text))
	for _, part := range []string{"pass^2", "not yet: tool read_minds missing", `answer_has: want 1,054, got "US$1,045"`, "Cost: unknown", "2 of 2 runs failed", "no recorded round answers this request"} {
		require.Contains(t, text.String(), part)
	}
}

func ids(cases []evals.Case) (list []string) {
	for _, c := range cases {
		list = append(list, c.ID)
	}
	return list
}

// TestALiveEndpoint runs a case against an endpoint that wants its key and gives a model's name.
func TestALiveEndpoint(t *testing.T) {
	t.Parallel()
	o := smallOptions(t)
	player, err := llmtest.Load(o.Recordings)
	require.NoError(t, err)
	var refused atomic.Int32
	o.Endpoint = evals.Endpoint{Provider: "openai", Model: "some-model", Key: "a-key-of-mine", URL: llmtest.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer a-key-of-mine" {
			refused.Add(1)
		}
		player.ServeHTTP(w, r)
	}))}
	o.Recordings = nil
	o.Cases = slices.DeleteFunc(o.Cases, func(c evals.Case) bool { return c.ID != "right" && c.ID != "not recorded" })
	report, err := evals.Run(t.Context(), o)
	require.NoError(t, err)
	require.Zero(t, refused.Load())
	require.Equal(t, "some-model", report.Model)
	require.Equal(t, evals.Passed, report.Cases[0].Status)
	require.Equal(t, evals.Failed, report.Cases[1].Status, "a live endpoint that does not answer has failed")
}

func TestWhoIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		`{"role": "sales", "name": "Nobody Known"}`: "nobody.known@maven.example",
		`{"role": "manager", "name": "Ann Ho"}`:     "is sales Ann Ho",
		`{"role": "king"}`:                          "nobody holds that role",
	} {
		o := smallOptions(t)
		var err error
		o.Cases, err = evals.ParseCases([]byte(`[{"id": "1", "question": "Q", "actor": ` + name + `}]`))
		require.NoError(t, err)
		_, err = evals.Run(t.Context(), o)
		require.ErrorContains(t, err, want)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	o := smallOptions(t)
	o.Data = t.TempDir()
	_, err := evals.Run(t.Context(), o)
	require.ErrorIs(t, err, evals.ErrNoData)
	o = smallOptions(t)
	o.Endpoint.URL = "http://127.0.0.1:1"
	_, err = evals.Run(t.Context(), o)
	require.Error(t, err, "either recordings or an endpoint")
}

// TestRecordings runs this project's cases on the real data set against recorded answers.
func TestRecordings(t *testing.T) {
	t.Parallel()
	o := evals.Options{Data: evals.DataFolder(".."), Parallel: 2}
	if _, err := os.Stat(o.Data); err != nil {
		t.Skipf("the data set is not in %s: set COUNTERSIGN_SHARED to the folder that holds data/maven_crm", o.Data)
	}
	var err error
	o.Cases, err = evals.OwnCases()
	require.NoError(t, err)
	o.Recordings, err = evals.OwnRecordings()
	require.NoError(t, err)
	report, err := evals.Run(t.Context(), o)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, report.Write(&text))
	t.Log("\n" + text.String())
	require.Zero(t, report.Total().Counts[evals.Failed], text.String())
	require.Zero(t, report.Total().Counts[evals.NotRecorded], "every case for which there are tools has a recording")
	for _, r := range report.Cases {
		for _, trial := range r.Runs {
			require.Empty(t, trial.Untraced, "%s: a recorded answer has figures that no tool gave", r.ID)
		}
	}
}

func TestEveryRecordingAnswersACase(t *testing.T) {
	t.Parallel()
	cases, err := evals.OwnCases()
	require.NoError(t, err)
	asked := map[string]bool{}
	for _, c := range cases {
		asked[c.Question] = true
	}
	recordings, err := evals.OwnRecordings()
	require.NoError(t, err)
	answered := recordedQuestions(t, recordings)
	require.NotEmpty(t, answered)
	for _, question := range slices.Sorted(maps.Keys(answered)) {
		require.True(t, asked[question], "no case asks %q", question)
	}
}

func recordedQuestions(t *testing.T, folder fs.FS) map[string]bool {
	t.Helper()
	questions := map[string]bool{}
	names, err := fs.Glob(folder, "*.json")
	require.NoError(t, err)
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		var list []llmtest.Recording
		require.NoError(t, json.Unmarshal(data, &list), name)
		for _, r := range list {
			questions[r.Match.User] = true
		}
	}
	return questions
}
