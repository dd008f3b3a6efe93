package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"

	"countersign/internal/pgtest"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "testenv: name the command to run, for instance: testenv -- go test ./...")
		return 2
	}
	// Ctrl-C reaches the command as well; this process has to stay until the command has ended.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	cluster, err := pgtest.Launch()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testenv:", err)
		return execute(args)
	}
	defer cluster.Stop() //nolint:errcheck // its end decides nothing
	return execute(args, pgtest.EnvURL+"="+cluster.URL)
}

func execute(args []string, env ...string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode()
	default:
		fmt.Fprintln(os.Stderr, "testenv:", err)
		return 1
	}
}
