package events

// Sizes counts what a Memory holds: limit logs, leases and turns.
func (m *Memory) Sizes() (limits, leases, turns int) {
	return len(m.memoryLimiter.logs), len(m.memoryLocker.held), len(m.memoryTurns.logs)
}
