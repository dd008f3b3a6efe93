package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/evals"
)

// command runs a command line and gives its exit code and what it printed.
func command(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// write makes files in a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func dataSet(t *testing.T) string {
	t.Helper()
	return write(t, map[string]string{
		"sales_teams.csv":    "sales_agent,manager,regional_office\nAnn Ho,Mona Boss,East\n",
		"products.csv":       "product,series,sales_price\nAlpha Pro,A,100\n",
		"accounts.csv":       "account,sector,year_established,revenue,employees,office_location,subsidiary_of\nMother Inc,retail,1990,1100.04,2822,United States,\n",
		"sales_pipeline.csv": "opportunity_id,sales_agent,product,account,deal_stage,engage_date,close_date,close_value\nD1,Ann Ho,Alpha Pro,Mother Inc,Won,2016-10-20,2017-03-01,1054\n",
	})
}

func TestWrongCommandLines(t *testing.T) {
	for _, args := range [][]string{
		{"--nonsense"}, {"something"}, {"--endpoint", "http://127.0.0.1:1/v1"}, {"--endpoint", "x", "--model", "y", "--recordings", "z"},
	} {
		code, _, errOut := command(t, args...)
		require.Equal(t, exitUsage, code, args)
		require.NotEmpty(t, errOut)
	}
}

func TestMissingFilesAreNamed(t *testing.T) {
	code, _, errOut := command(t, "--data", t.TempDir())
	require.Equal(t, exitFailed, code)
	require.Contains(t, errOut, "Give its folder with --data")
	code, _, errOut = command(t, "--cases", "/no/cases.json")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errOut, "/no/cases.json")
	code, _, errOut = command(t, "--endpoint", "http://127.0.0.1:1/v1", "--model", "m", "--key-file", "/no/key")
	require.Equal(t, exitFailed, code)
	require.Contains(t, errOut, "/no/key")
}

func TestScoresAndExitCodes(t *testing.T) {
	data := dataSet(t)
	files := write(t, map[string]string{
		"good.json": `[{"id": "1", "actor": {"role": "viewer"}, "lang": "en", "question": "hello", "tools": [], "answer_has": ["hi"]}]`,
		"bad.json":  `[{"id": "1", "actor": {"role": "viewer"}, "lang": "en", "question": "hello", "tools": [], "answer_has": ["bye"]}]`,
	})
	recordings := write(t, map[string]string{"r.json": `[{"match": {"user": "hello"}, "rounds": [{"text": ["Hi!"]}]}]`})
	report := filepath.Join(t.TempDir(), "report.json")
	code, out, errOut := command(t, "--data", data, "--recordings", recordings, "--cases", filepath.Join(files, "good.json"))
	require.Zero(t, code, errOut)
	require.Contains(t, out, "small talk")
	code, out, errOut = command(t, "--data", data, "--recordings", recordings, "--cases", filepath.Join(files, "bad.json"), "--json", report, "--runs", "2")
	require.Equal(t, exitFailed, code, errOut)
	require.Contains(t, out, "answer_has: want bye")
	require.Contains(t, errOut, "1 failed")
	written, err := os.ReadFile(report)
	require.NoError(t, err)
	var told evals.Report
	require.NoError(t, json.Unmarshal(written, &told))
	require.Equal(t, 2, told.K)
	require.Equal(t, "Hi!", told.Cases[0].Runs[1].Answer)
}
