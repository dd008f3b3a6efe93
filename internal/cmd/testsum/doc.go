// Command testsum reads what "go test -json" writes and prints what a person wants to know: a line per package,
// the output of each test that failed, the reason of each skipped one, and in the end the counts.
//
//	go test -json ./... | go run ./internal/cmd/testsum
//
// It ends with 1 when anything failed or nothing ran.
package main
