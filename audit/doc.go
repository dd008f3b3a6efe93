// Package audit keeps the record of who did what: entries written in the transaction of what they record,
// the field history of records, refusals, and the hash chain that makes tampering visible.
//
// [Gate] wraps the authorizer, so that a refusal cannot go unrecorded. The chain is made by a [Sealer]
// apart from the writing transactions, which therefore never wait for each other.
package audit
