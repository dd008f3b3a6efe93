package secrets

import "errors"

// State says whether sealed values can be used.
type State string

// The states. A keyring itself is OK, MissingKey or MalformedKey; only a stored value shows WrongKey.
const (
	OK           State = "ok"
	MissingKey   State = "missing_key"
	MalformedKey State = "malformed_key"
	WrongKey     State = "wrong_key"
)

// The errors of [Keyring.Seal], [Keyring.Open] and [Keyring.Reseal]. Each text says what to do.
var (
	ErrMissingKey = errors.New("AI_CONFIG_ENCRYPTION_KEY is not set: " +
		"set it to 64 hexadecimal digits (openssl rand -hex 32 makes some) and restart")
	ErrMalformedKey = errors.New("AI_CONFIG_ENCRYPTION_KEY is not usable: " +
		"set it to exactly 64 random hexadecimal digits (openssl rand -hex 32 makes some) and restart")
	ErrWrongKey = errors.New("AI_CONFIG_ENCRYPTION_KEY is not the key that sealed the stored value: " +
		"restore the former key, or enter the value again")
	// ErrTampered means that the envelope was changed or belongs to another place.
	ErrTampered = errors.New("the stored value was changed or moved: enter it again")
)

// Err is the error that belongs to a state; nil for OK.
func (s State) Err() error {
	switch s {
	case OK:
		return nil
	case MissingKey:
		return ErrMissingKey
	case WrongKey:
		return ErrWrongKey
	default:
		return ErrMalformedKey
	}
}
