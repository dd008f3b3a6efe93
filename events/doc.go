// Package events lets replicas act as one system in what the database is too slow for: limits, locks,
// the event log of a running turn, and messages between processes.
//
// [Limiter], [Locker], [TurnLog] and [Bus] say what each part promises. [Memory] keeps them in the process, which
// is enough for one replica; [Redis] shares them between replicas. Both hold the same promises under one
// conformance suite. [Fallback] wraps a shared limiter, so that a limit holds while Redis is away.
//
// Nothing here is a record: everything expires, and all of it may be lost. What must last is written to the
// database first. This is the only package that knows Redis.
package events
