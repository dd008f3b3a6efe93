package accounts

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"countersign/apperr"
)

const (
	minPassword = 12 // characters
	maxPassword = 256

	// Each hash takes hashParams.Memory, so this many bound the memory that logins can claim.
	parallelHashes = 4
	// waitingHashes bounds the queue: at some 40 ms a hash, who is in it waits for about a second.
	waitingHashes = 64
	busyRetry     = 2 * time.Second
)

// hashParams are the least that OWASP's Password Storage Cheat Sheet asks for; Memory is in KiB.
var hashParams = argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hasher hashes passwords, few at a time: callers hold a place while they do.
type hasher struct {
	waiting chan struct{} // those at work included
	working chan struct{}
	// nobody is a hash that no password has.
	nobody string
}

func newHasher() *hasher {
	return &hasher{
		waiting: make(chan struct{}, parallelHashes+waitingHashes),
		working: make(chan struct{}, parallelHashes),
		nobody:  hashOfNothing(),
	}
}

// hashOfNothing is a hash with a random key in place of a computed one.
func hashOfNothing() string {
	raw := make([]byte, hashParams.SaltLength+hashParams.KeyLength)
	_, _ = rand.Read(raw) // never fails
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", hashParams.Memory, hashParams.Iterations, hashParams.Parallelism,
		b64.EncodeToString(raw[:hashParams.SaltLength]), b64.EncodeToString(raw[hashParams.SaltLength:]))
}

// enter waits for a place. The error is RateLimited when too many wait already, or that of ctx.
func (h *hasher) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h.waiting <- struct{}{}:
	default:
		return nil, errBusy()
	}
	select {
	case h.working <- struct{}{}:
		return func() { <-h.working; <-h.waiting }, nil
	case <-ctx.Done():
		<-h.waiting
		return nil, fmt.Errorf("accounts: wait to hash a password: %w", ctx.Err())
	}
}

// hash makes a hash in PHC string format. The caller holds a place.
func (h *hasher) hash(password string) (string, error) {
	hash, err := argon2id.CreateHash(password, &hashParams)
	if err != nil {
		return "", fmt.Errorf("accounts: hash a password: %w", err)
	}
	return hash, nil
}

// check compares, with the same work for a user without a usable hash as for any other. outdated tells that the hash
// was made with other parameters than today's. The caller holds a place.
func (h *hasher) check(password, hash string) (match, outdated bool) {
	if _, _, _, err := argon2id.DecodeHash(hash); err != nil {
		hash = h.nobody
	}
	match, params, err := argon2id.CheckHash(password, hash)
	return match, err == nil && *params != hashParams
}

// hashNew checks a new password's length, then waits for a place and hashes it.
func (h *hasher) hashNew(ctx context.Context, password string) (string, error) {
	if field := checkPassword(password); field != nil {
		return "", apperr.InvalidFields([]apperr.FieldError{*field})
	}
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return h.hash(password)
}

func checkPassword(password string) *apperr.FieldError {
	if n := utf8.RuneCountInString(password); n >= minPassword && n <= maxPassword {
		return nil
	}
	return &apperr.FieldError{
		Path: "password", Message: fmt.Sprintf("A password needs %d to %d characters.", minPassword, maxPassword),
	}
}
