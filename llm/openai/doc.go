// Package openai speaks the chat-completions dialect, as OpenAI and everyone compatible with it do more or less.
//
// The SDK encodes requests and carries them; it reads nothing of the answer and nothing of the environment.
// Package llm reads the response and hands its payloads to an answer of this package, which assembles calls out
// of whatever order, index and id the server gives their pieces.
package openai
