// Package proposals is the confirmation state machine: a change that somebody asked for is stored as a
// proposal, shown as the server's own diff, and carried out exactly once when that person decides.
//
//	pending → executed | failed | cancelled | expired | stale | superseded
//
// Every edge is one conditional UPDATE; nothing leaves a final state. [Service.Decide] owns the transaction
// in which a proposal is locked, authorized again, compared with the record's version, executed and
// finished. What a tool does is behind the [Performer] port. Package confirm is the only caller of Decide.
package proposals
