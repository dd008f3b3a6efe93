// Package openai speaks the chat-completions dialect, as OpenAI and everyone compatible with it do more or less.
//
// The SDK encodes requests and carries them; it reads nothing of the answer and nothing of the environment.
// An answer goes through sniffing (stream, JSON, or neither), the stream decoder of package llm, and an answer
// of this package, which assembles calls out of whatever order, index and id the server gives their pieces,
// and decides at the end whether the message was finished at all.
package openai
