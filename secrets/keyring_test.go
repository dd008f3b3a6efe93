package secrets_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/secrets"
)

const (
	keyA  = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	keyB  = "FFeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"
	place = "ai_config|1|api_key"
	plain = "sk-canary-9f3b"
)

func seal(t *testing.T, ring *secrets.Keyring) string {
	t.Helper()
	envelope, err := ring.Seal([]byte(plain), place)
	require.NoError(t, err)
	return envelope
}

func TestSealOpen(t *testing.T) {
	t.Parallel()
	ring := secrets.NewKeyring(keyA)
	require.Equal(t, secrets.OK, ring.State())
	envelope := seal(t, ring)
	require.NotContains(t, envelope, plain)
	require.True(t, strings.HasPrefix(envelope, "v1|"+ring.KeyID()+"|"), envelope)
	require.Len(t, ring.KeyID(), 8)
	got, err := ring.Open(envelope, place)
	require.NoError(t, err)
	require.Equal(t, plain, string(got))
}

func TestSealEmptyValue(t *testing.T) {
	t.Parallel()
	ring := secrets.NewKeyring(keyA)
	envelope, err := ring.Seal(nil, place)
	require.NoError(t, err)
	got, err := ring.Open(envelope, place)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestNonceIsFresh(t *testing.T) {
	t.Parallel()
	ring := secrets.NewKeyring(keyA)
	nonces := map[string]bool{}
	for range 1000 {
		nonces[strings.Split(seal(t, ring), "|")[2]] = true
	}
	require.Len(t, nonces, 1000)
}

func TestEveryChangedByteIsRefused(t *testing.T) {
	t.Parallel()
	ring := secrets.NewKeyring(keyA)
	envelope := seal(t, ring)
	for i := range len(envelope) {
		for _, b := range []byte{envelope[i] ^ 1, 'A', '\n', '|'} {
			changed := []byte(envelope)
			if changed[i] == b {
				continue
			}
			changed[i] = b
			_, err := ring.Open(string(changed), place)
			require.Error(t, err, "byte %d set to %q", i, b)
		}
		_, err := ring.Open(envelope[:i]+"\n"+envelope[i:], place)
		require.Error(t, err, "line break before byte %d", i)
		_, err = ring.Open(envelope[:i], place)
		require.Error(t, err, "cut at byte %d", i)
	}
}

func TestMovedValueDoesNotOpen(t *testing.T) {
	t.Parallel()
	ring := secrets.NewKeyring(keyA)
	envelope := seal(t, ring)
	for _, other := range []string{"ai_config|1|system_prompt", "ai_config|2|api_key", "ai_config|1|api_key|", "x"} {
		_, err := ring.Open(envelope, other)
		require.ErrorIs(t, err, secrets.ErrTampered, other)
	}
	_, err := ring.Open(envelope, "")
	require.Error(t, err)
	_, err = ring.Seal([]byte(plain), "")
	require.Error(t, err, "a value must be bound to a place")
}

func TestOtherKeyIsTold(t *testing.T) {
	t.Parallel()
	_, err := secrets.NewKeyring(keyB).Open(seal(t, secrets.NewKeyring(keyA)), place)
	require.ErrorIs(t, err, secrets.ErrWrongKey)
	require.Contains(t, err.Error(), "restore the former key")
}

func TestBadKeysDegrade(t *testing.T) {
	t.Parallel()
	envelope := seal(t, secrets.NewKeyring(keyA))
	cases := map[string]struct {
		text  string
		state secrets.State
		err   error
	}{
		"missing":       {"", secrets.MissingKey, secrets.ErrMissingKey},
		"white space":   {" \n", secrets.MissingKey, secrets.ErrMissingKey},
		"short":         {keyA[:32], secrets.MalformedKey, secrets.ErrMalformedKey},
		"one digit off": {keyA[:63], secrets.MalformedKey, secrets.ErrMalformedKey},
		"long":          {keyA + "00", secrets.MalformedKey, secrets.ErrMalformedKey},
		"not hex":       {strings.Repeat("z", 64), secrets.MalformedKey, secrets.ErrMalformedKey},
		"all zero":      {strings.Repeat("0", 64), secrets.MalformedKey, secrets.ErrMalformedKey},
		"repeated byte": {strings.Repeat("a7", 32), secrets.MalformedKey, secrets.ErrMalformedKey},
		"bad second":    {keyA + ",short", secrets.MalformedKey, secrets.ErrMalformedKey},
		"empty second":  {keyA + ",", secrets.MalformedKey, secrets.ErrMalformedKey},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ring := secrets.NewKeyring(c.text)
			require.Equal(t, c.state, ring.State())
			require.Equal(t, c.state, ring.Check("anything"))
			require.Empty(t, ring.KeyID())
			_, err := ring.Seal([]byte(plain), place)
			require.ErrorIs(t, err, c.err)
			require.Contains(t, err.Error(), "openssl rand -hex 32")
			_, err = ring.Open(envelope, place)
			require.ErrorIs(t, err, c.err)
			_, _, err = ring.Reseal(envelope, place)
			require.ErrorIs(t, err, c.err)
		})
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	before, during, after := secrets.NewKeyring(keyA), secrets.NewKeyring(keyB+", "+keyA), secrets.NewKeyring(keyB)
	old := seal(t, before)

	got, err := during.Open(old, place)
	require.NoError(t, err)
	require.Equal(t, plain, string(got))

	fresh, changed, err := during.Reseal(old, place)
	require.NoError(t, err)
	require.True(t, changed)
	got, err = after.Open(fresh, place)
	require.NoError(t, err)
	require.Equal(t, plain, string(got))

	again, changed, err := during.Reseal(fresh, place)
	require.NoError(t, err)
	require.False(t, changed)
	require.Equal(t, fresh, again)

	_, _, err = during.Reseal(old, "ai_config|2|api_key")
	require.ErrorIs(t, err, secrets.ErrTampered)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	ring := secrets.NewKeyring(keyA)
	stored, err := ring.NewCheck()
	require.NoError(t, err)
	require.Equal(t, secrets.OK, ring.Check(stored))
	require.Equal(t, secrets.OK, secrets.NewKeyring(keyB+","+keyA).Check(stored), "an older key still opens")
	require.Equal(t, secrets.WrongKey, secrets.NewKeyring(keyB).Check(stored))
	require.Equal(t, secrets.WrongKey, ring.Check("v1|garbage"))
	require.NoError(t, secrets.OK.Err())
	require.ErrorIs(t, secrets.WrongKey.Err(), secrets.ErrWrongKey)
}

func TestKeyringNeverPrintsItsKeys(t *testing.T) {
	t.Parallel()
	ring := secrets.NewKeyring(keyA)
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "keyring", ring)
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "keyring", ring)
	for _, text := range []string{fmt.Sprintf("%v %+v %#v %s %x", ring, ring, ring, ring, ring), log.String()} {
		require.NotContains(t, strings.ToLower(text), keyA[:8])
	}
	require.Equal(t, "keyring ok "+ring.KeyID(), fmt.Sprint(ring))
}
