// Package api is the HTTP door: REST for records, sign-in, the assistant's stream, confirmations, administration,
// health, and the OpenAPI document of all of it.
//
// A request passes, from the outside in: request id, recovery and log line; security headers; the cross-origin
// check; the body limit; gin's router; the session, which every route demands unless it declares itself public;
// the idempotency key of a POST; and then a huma operation, which decodes strictly, validates and calls one
// service with the actor as an explicit argument. No rule of the product lives here: services decide, and
// problem.go translates the kinds of their errors into statuses, once.
package api
