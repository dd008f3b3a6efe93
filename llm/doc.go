// Package llm is what the assistant needs of a language model, in terms of no provider: a Request, the events
// of one answer as an iterator, usage, and errors by kind.
//
// The dialects (openai, anthropic) implement Model. A dialect writes requests and reads payloads; what lies
// between is here and the same for all: one HTTP client with its guards, one way from a response to payloads
// (Speak), one decision of what a finished message was (Draft), one reading of calls and their arguments, one
// separation of prose from thinking and leaked markup, and one parser of error bodies.
//
// Two rules hold in every dialect. A call is handed out only when the provider has finished the message that
// holds it. And nothing that a provider writes in an error reaches a person: an Error prints its kind and code.
package llm
