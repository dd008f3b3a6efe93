// Package accounts knows who people are: users, teams, passwords and sessions, and the first administrator.
//
// Doors exchange a session token for the [models.Actor] that every other service takes ([Service.Authenticate]),
// anew for every request. What an actor may do is not decided here but by package rbac.
//
// Passwords are hashed with argon2id, few at a time. Of a token only its SHA-256 is stored. Answers to a failed
// login are the same, and take the same work, whatever was wrong.
//
// Methods under the heading "operator" change accounts without asking for a right: they are for the person at the
// server's console and for the data loaders, and no other door may call them. All of it is audited.
package accounts
