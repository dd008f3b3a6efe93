// Command testenv runs a command with a private PostgreSQL beside it:
//
//	go run ./internal/cmd/testenv -- go test ./...
//
// It starts one cluster for all test processes, names it in COUNTERSIGN_TEST_POSTGRES, and ends with the exit code
// of the command. Without PostgreSQL on the machine it says so and runs the command all the same.
package main
