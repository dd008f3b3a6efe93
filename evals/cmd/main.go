package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"countersign/evals"
)

// Exit codes: 0 every judged case passed, 1 one failed or the run broke off, 2 it was asked for wrongly.
const (
	exitFailed = 1
	exitUsage  = 2
)

// errFailed says that cases have failed, which the report has told already.
var errFailed = errors.New("some cases failed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// flags are what the command line says.
type flags struct {
	endpoint, model, keyFile, provider string
	cases, recordings, data, json      string
	runs, parallel                     int
	verbose                            bool
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	var f flags
	usage := true
	cmd := &cobra.Command{
		Use: "evals", Short: "Score the assistant by real questions on the Maven data set",
		Long: "Asks every case of the assistant, each on an installation of its own, and judges tools, arguments, proposals,\n" +
			"records written and facts in the answer. Without --endpoint the answers of the model are recorded ones.",
		Example:      "  evals\n  evals --endpoint https://api.example.com/v1 --model NAME --key-file key.txt --runs 3 --json report.json",
		Args:         cobra.NoArgs,
		SilenceUsage: true, SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			usage = false
			return f.run(cmd.Context(), out, errOut)
		},
	}
	f.declare(cmd)
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return exitFailed
	}
	fmt.Fprintln(errOut, "Error:", err)
	if usage {
		return exitUsage
	}
	return exitFailed
}

func (f *flags) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.endpoint, "endpoint", "", "address of a live endpoint; without it recorded answers are played")
	flags.StringVar(&f.model, "model", "", "the model's name there")
	flags.StringVar(&f.keyFile, "key-file", "", "file that holds the API key; without it none is sent")
	flags.StringVar(&f.provider, "provider", "openai", "openai or anthropic")
	flags.StringVar(&f.cases, "cases", "", "file of cases; this project's own when left out")
	flags.StringVar(&f.recordings, "recordings", "", "folder of recorded answers; this project's own when left out")
	flags.StringVar(&f.data, "data", evals.DataFolder("."), "folder of the Maven data set")
	flags.StringVar(&f.json, "json", "", "also write the report to this file as JSON")
	flags.IntVar(&f.runs, "runs", 1, "how often each case runs: it passes when all of its runs do")
	flags.IntVar(&f.parallel, "parallel", 2, "how many cases run at a time")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "show the product's own log")
	cmd.MarkFlagsRequiredTogether("endpoint", "model")
	cmd.MarkFlagsMutuallyExclusive("endpoint", "recordings")
}

func (f *flags) run(ctx context.Context, out, errOut io.Writer) error {
	if !f.verbose {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	options, err := f.options(errOut)
	if err != nil {
		return err
	}
	report, err := evals.Run(ctx, options)
	if errors.Is(err, evals.ErrNoData) {
		return fmt.Errorf("%w. Give its folder with --data", err)
	}
	if err != nil {
		return err
	}
	if err := report.Write(out); err != nil {
		return err
	}
	if f.json != "" {
		if err := writeJSON(f.json, report); err != nil {
			return err
		}
	}
	if report.Total().Counts[evals.Failed] > 0 {
		return errFailed
	}
	return nil
}

func (f *flags) options(progress io.Writer) (o evals.Options, err error) {
	o = evals.Options{
		Data: f.data, Runs: f.runs, Parallel: f.parallel,
		Progress: func(r evals.Result) { fmt.Fprintf(progress, "%s %s\n", r.ID, r.Status) },
	}
	if o.Cases, err = f.readCases(); err != nil {
		return o, err
	}
	switch {
	case f.endpoint != "":
		o.Endpoint = evals.Endpoint{Provider: f.provider, URL: f.endpoint, Model: f.model}
		o.Endpoint.Key, err = f.readKey()
	case f.recordings != "":
		o.Recordings = os.DirFS(f.recordings)
	default:
		o.Recordings, err = evals.OwnRecordings()
	}
	return o, err
}

func (f *flags) readCases() ([]evals.Case, error) {
	if f.cases == "" {
		return evals.OwnCases()
	}
	data, err := os.ReadFile(f.cases)
	if err != nil {
		return nil, err
	}
	return evals.ParseCases(data)
}

func (f *flags) readKey() (string, error) {
	if f.keyFile == "" {
		return "", nil
	}
	key, err := os.ReadFile(f.keyFile)
	return strings.TrimSpace(string(key)), err
}

func writeJSON(path string, report *evals.Report) error {
	data, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Clean(path), append(data, '\n'), 0o600)
}
