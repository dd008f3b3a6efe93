package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
)

func isStale(err error) bool { return apperr.Is(err, apperr.Stale) }

func requireKind(t *testing.T, err error, kind apperr.Kind) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, kind, apperr.As(err).Kind, "%v", err)
}

func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	require.Error(t, err)
	require.Equal(t, code, apperr.As(err).Code, "%v", err)
}
