//go:build race

package agent_test

// raced says that the race detector runs, under which everything takes ten times as long.
const raced = true
