//go:build race

package proposals_test

// machineSteps is how far the state machine is walked on each dialect. The race detector makes everything slow.
const machineSteps = 500
