// Package conversations keeps conversations, their messages and the turns that answer them. A conversation
// belongs to one user; another person's does not exist.
package conversations
