package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	s := summary{out: os.Stdout, output: map[string][]string{}, perPackage: map[string]int{}}
	if err := s.read(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	if !s.close() {
		os.Exit(1)
	}
}

// event is one line of "go test -json"; see "go doc test2json".
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

func (e event) key() string { return e.Package + " " + e.Test }

type summary struct {
	out                     io.Writer
	output                  map[string][]string // of tests and packages that still run
	perPackage              map[string]int      // tests that passed
	passed, failed, skipped int
	broken                  int // packages that failed
}

func (s *summary) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			s.take(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *summary) take(line string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil {
		fmt.Fprint(s.out, line) // the go command itself speaks, for instance of a download
		return
	}
	switch e.Action {
	case "output":
		s.output[e.key()] = append(s.output[e.key()], e.Output)
	case "build-output":
		fmt.Fprint(s.out, e.Output)
	case "pass", "fail", "skip":
		s.finish(e)
		delete(s.output, e.key())
	}
}

func (s *summary) finish(e event) {
	text := strings.Join(s.output[e.key()], "")
	if e.Test == "" {
		s.finishPackage(e, text)
		return
	}
	switch e.Action {
	case "pass":
		s.passed++
		s.perPackage[e.Package]++
	case "skip":
		s.skipped++
		fmt.Fprintf(s.out, "SKIP  %s %s\n%s", e.Package, e.Test, withoutFrames(text))
	case "fail":
		s.failed++
		fmt.Fprintf(s.out, "FAIL  %s %s\n%s", e.Package, e.Test, withoutFrames(text))
	}
}

func (s *summary) finishPackage(e event, text string) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(s.out, "ok    %s  %.1fs  %d passed\n", e.Package, e.Elapsed, s.perPackage[e.Package])
	case "fail":
		s.broken++
		fmt.Fprintf(s.out, "FAIL  %s  %.1fs\n%s", e.Package, e.Elapsed, text)
	}
}

// close prints the counts and reports whether all is well.
func (s *summary) close() bool {
	fmt.Fprintf(s.out, "\n%d passed, %d failed, %d skipped", s.passed, s.failed, s.skipped)
	if s.broken > 0 {
		fmt.Fprintf(s.out, "; failed packages: %d", s.broken)
	}
	fmt.Fprintln(s.out)
	return s.failed == 0 && s.broken == 0 && s.passed > 0
}

// withoutFrames drops the lines that say only that a test started, paused or went on.
func withoutFrames(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "=== ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
