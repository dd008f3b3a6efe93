package secrets

import (
	"encoding/base64"
	"strings"
)

const (
	version   = "v1"
	nonceSize = 12
	tagSize   = 16
)

// encode writes an envelope; sealed is the nonce followed by the ciphertext, as the cipher gives it.
func encode(keyID string, sealed []byte) string {
	b64 := base64.RawStdEncoding
	return strings.Join([]string{version, keyID, b64.EncodeToString(sealed[:nonceSize]), b64.EncodeToString(sealed[nonceSize:])}, "|")
}

// decode is the inverse of encode. It accepts nothing but what encode writes: base64 decoders overlook
// line breaks and stray bits, which would let two envelopes mean the same.
func decode(envelope string) (keyID string, sealed []byte, err error) {
	fields := strings.Split(envelope, "|")
	if len(fields) != 4 || fields[0] != version {
		return "", nil, ErrTampered
	}
	for _, field := range fields[2:] {
		part, err := base64.RawStdEncoding.DecodeString(field)
		if err != nil {
			return "", nil, ErrTampered
		}
		sealed = append(sealed, part...)
	}
	if len(sealed) < nonceSize+tagSize || encode(fields[1], sealed) != envelope {
		return "", nil, ErrTampered
	}
	return fields[1], sealed, nil
}
