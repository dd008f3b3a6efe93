package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// options say what to measure, and for how long.
type options struct {
	binary, endpoint, database string
	people                     int
	warmUp, duration           time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/countersign", "the built product")
	flag.StringVar(&o.endpoint, "endpoint", "http://127.0.0.1:18080/v1", "base URL of the model")
	flag.StringVar(&o.database, "database", "", "postgres:// address of an empty database; SQLite when empty")
	flag.IntVar(&o.people, "people", 1000, "how many people there are; each sends ten messages")
	flag.DurationVar(&o.warmUp, "warm-up", 3*time.Second, "how long turns run before they are measured")
	flag.DurationVar(&o.duration, "duration", 10*time.Second, "how long turns are measured")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "countersign:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, o options) (err error) {
	dir, err := os.MkdirTemp("", "countersign-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	env := []string{
		"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_DATA_DIR=" + dir, "COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS=true", "DATABASE_URL=" + o.database,
	}
	emails, err := addPeople(ctx, env, o.people)
	if err != nil {
		return fmt.Errorf("add people: %w", err)
	}
	s, err := start(ctx, o.binary, env)
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := s.stop(); err == nil {
			err = stopErr
		}
	}()
	if err := s.configure(ctx, o.endpoint); err != nil {
		return err
	}
	people, err := s.signIn(ctx, emails)
	if err != nil {
		return err
	}
	m := meter{out: out, peer: "Countersign, " + o.databaseName(), version: s.version, process: process(s.cmd.Process.Pid)}
	turns := newQueue(people)
	return m.measure(o, func() error { return s.turn(ctx, turns) })
}

func (o options) databaseName() string {
	if o.database == "" {
		return "SQLite"
	}
	return "PostgreSQL"
}
