//go:build !race

package proposals_test

// machineSteps is how far the state machine is walked on each dialect.
const machineSteps = 10_000
