// Package apitest serves the whole product to tests: the real services over a database of package dbtest with its
// world of people and records, the in-process backend, and the HTTP API on a local port.
//
// [Server.As] gives a client that is signed in as somebody of the world; its methods speak JSON.
package apitest
