// Package agent runs turns: a person's message goes in, a stream of events comes out. It decides whether a
// message is a command, a chat or a search, holds the conversation's lock, counts the message, and keeps
// everything in the conversation before it is shown.
//
// A turn runs apart from the request that started it. Its events go to the turn's log, and every reader,
// the first one too, follows that log: a reader that comes back sees the same bytes. The agent proposes and
// never decides; it does not import package confirm.
package agent
