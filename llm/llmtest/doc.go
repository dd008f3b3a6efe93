// Package llmtest is the other end of a model connection, for tests: HTTP handlers in the chat-completions
// dialect that answer without a model.
//
//   - Endpoint plays a script: any bytes with any status, delays, cuts and silence, and checks of each request.
//   - Victim is the worst model there could be: it obeys every instruction that it finds in any message.
//   - Player answers from recordings.
//
// Start serves one of them for the length of a test. Each is a plain http.Handler, so that a program under
// test in a browser can use it as well.
package llmtest
