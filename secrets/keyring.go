package secrets

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	keySize = 32
	// checkContext and checkText make the value that tells a wrong key from the right one.
	checkContext = "key-check"
	checkText    = "countersign"
)

// errNoContext is a mistake of the programmer: a value bound to nothing could be moved anywhere.
var errNoContext = errors.New("secrets: a value needs the place that it is bound to")

// Keyring seals with its first key and opens with any. It is immutable and safe for concurrent use.
type Keyring struct {
	state State
	keys  []key
}

type key struct {
	id   string
	aead cipher.AEAD
}

// NewKeyring reads keys of exactly 64 hexadecimal digits, separated by commas: the first seals, the others only open,
// which is how a key is replaced. It never fails: a text that is no such list gives a keyring with that state.
// A key of one repeated byte, all zeros included, is refused as malformed.
func NewKeyring(text string) *Keyring {
	if strings.TrimSpace(text) == "" {
		return &Keyring{state: MissingKey}
	}
	ring := &Keyring{state: OK}
	for part := range strings.SplitSeq(text, ",") {
		k, err := parseKey(strings.TrimSpace(part))
		if err != nil {
			return &Keyring{state: MalformedKey}
		}
		ring.keys = append(ring.keys, k)
	}
	return ring
}

func parseKey(text string) (key, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != keySize || isRepeated(raw) {
		return key{}, ErrMalformedKey
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return key{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return key{}, err
	}
	return key{id: keyID(raw), aead: aead}, nil
}

func isRepeated(raw []byte) bool {
	for _, b := range raw[1:] {
		if b != raw[0] {
			return false
		}
	}
	return true
}

// keyID names a key without giving anything of it away.
func keyID(raw []byte) string {
	sum := sha256.Sum256(append([]byte("countersign/key-id/v1\x00"), raw...))
	return hex.EncodeToString(sum[:4])
}

// State tells whether the keyring can seal and open.
func (r *Keyring) State() State { return r.state }

// KeyID names the key that seals; empty when there is none.
func (r *Keyring) KeyID() string {
	if r.state != OK {
		return ""
	}
	return r.keys[0].id
}

// Format writes the state and the key id for every verb, never a key.
func (r *Keyring) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, strings.TrimSpace("keyring "+string(r.state)+" "+r.KeyID()))
}

// Seal encrypts plaintext for the place named by context, such as "ai_config|1|api_key".
// It fails with ErrMissingKey or ErrMalformedKey when there is no usable key.
func (r *Keyring) Seal(plaintext []byte, context string) (string, error) {
	if err := r.usable(context); err != nil {
		return "", err
	}
	k := r.keys[0]
	sealed := k.aead.Seal(nil, nil, plaintext, k.bind(context))
	return encode(k.id, sealed), nil
}

// Open decrypts an envelope for the place that it was sealed for. It fails with ErrMissingKey or ErrMalformedKey when
// there is no usable key, ErrWrongKey when another key sealed it, ErrTampered when it was changed or moved.
func (r *Keyring) Open(envelope, context string) ([]byte, error) {
	if err := r.usable(context); err != nil {
		return nil, err
	}
	id, sealed, err := decode(envelope)
	if err != nil {
		return nil, err
	}
	for _, k := range r.keys {
		if k.id != id {
			continue
		}
		plaintext, err := k.aead.Open(nil, nil, sealed, k.bind(context))
		if err != nil {
			return nil, ErrTampered
		}
		return plaintext, nil
	}
	return nil, ErrWrongKey
}

// Reseal gives the envelope under the key that seals now, and whether that differs from the one it came with.
// It fails as [Keyring.Open] does.
func (r *Keyring) Reseal(envelope, context string) (resealed string, changed bool, err error) {
	plaintext, err := r.Open(envelope, context)
	if err != nil {
		return "", false, err
	}
	if id, _, _ := decode(envelope); id == r.KeyID() {
		return envelope, false, nil
	}
	resealed, err = r.Seal(plaintext, context)
	return resealed, err == nil, err
}

// NewCheck gives a value to store beside the sealed ones, for [Keyring.Check]. It fails as [Keyring.Seal] does.
func (r *Keyring) NewCheck() (string, error) { return r.Seal([]byte(checkText), checkContext) }

// Check judges the keyring by a stored value of [Keyring.NewCheck]: WrongKey when none of its keys made it.
func (r *Keyring) Check(stored string) State {
	if r.state != OK {
		return r.state
	}
	if _, err := r.Open(stored, checkContext); err != nil {
		return WrongKey
	}
	return OK
}

func (r *Keyring) usable(context string) error {
	if context == "" {
		return errNoContext
	}
	return r.state.Err()
}

// bind is the additional data of a seal: the place and the key.
func (k key) bind(context string) []byte { return []byte(context + "|" + k.id) }
