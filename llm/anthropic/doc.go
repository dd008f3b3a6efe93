// Package anthropic speaks the Messages dialect, as Anthropic and those compatible with it do.
//
// The SDK encodes requests and carries them; it reads nothing of the answer and nothing of the environment. Its
// accumulator is not used: it takes tool input that it cannot read for an empty object, and would make a call
// without arguments of one that was cut off. Package llm reads the response and hands its payloads to an answer
// of this package, which puts blocks together.
package anthropic
