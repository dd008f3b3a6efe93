// Package llmtest is the other end of a model connection, for tests: HTTP handlers that answer without a model, in
// the dialect in which they are asked.
//
//   - Endpoint plays a script: any bytes with any status, delays, cuts and silence, and checks of each request.
//   - Victim is the worst model there could be: it obeys every instruction that it finds in any message.
//   - Player answers from recordings.
//
// Collect is the near end: it takes everything out of one stream of a model.
//
// Start serves one of them for the length of a test. Each is a plain http.Handler, so that a program under
// test in a browser can use it as well.
package llmtest
