// Package evals measures the assistant: it asks real questions of the product as it is, and judges what came of
// them by rows, not by what the model says.
//
// A case is a question of a person in a role, and what is expected: tools, arguments, a proposal, records
// written, facts in the answer. Each runs on an installation of its own, a copy of one into which the Maven data
// set was imported, through the HTTP API: sign in, POST /api/chat, follow the stream, then read the conversation,
// the proposals and the records. So cases cannot influence each other, and nothing is bypassed.
//
// The model is either a live endpoint, or recorded answers that llmtest.Player plays over HTTP. A recording holds
// what the model said and nothing else: tools run for real, and a recording with a wrong figure fails.
//
// README.md describes the format of cases and recordings.
package evals
