package apperr_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
)

func TestCauseStaysApart(t *testing.T) {
	t.Parallel()
	cause := errors.New("pq: duplicate key")
	base := apperr.New(apperr.Conflict, "DUPLICATE", "It exists.")
	err := base.WithCause(cause)
	require.ErrorIs(t, err, cause)
	require.Equal(t, "DUPLICATE: It exists.: pq: duplicate key", err.Error())
	require.Equal(t, "It exists.", err.Message, "a person reads no cause")
	require.NotErrorIs(t, base, cause, "the original is untouched")
}

func TestAs(t *testing.T) {
	t.Parallel()
	require.Nil(t, apperr.As(nil))
	service := apperr.NotFoundf("deal")
	require.Same(t, service, apperr.As(fmt.Errorf("load: %w", service)))
	stranger := errors.New("dial tcp 10.0.0.1: refused")
	wrapped := apperr.As(stranger)
	require.Equal(t, apperr.Internal, wrapped.Kind)
	require.NotContains(t, wrapped.Message, "10.0.0.1")
	require.ErrorIs(t, wrapped, stranger)
}

func TestIsAndHasCode(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("outer: %w", apperr.Missing("deal:update"))
	require.True(t, apperr.Is(err, apperr.Forbidden))
	require.False(t, apperr.Is(err, apperr.NotFound))
	require.True(t, apperr.HasCode(err, "FORBIDDEN"))
	for _, other := range []error{nil, errors.New("FORBIDDEN")} {
		require.False(t, apperr.Is(other, apperr.Forbidden))
		require.False(t, apperr.HasCode(other, "FORBIDDEN"))
	}
}

func TestCopiesShareNothing(t *testing.T) {
	t.Parallel()
	base := apperr.InvalidField("amount", "Too large.")
	a := base.WithFields(apperr.FieldError{Path: "a"}).WithExtra("k", 1)
	b := base.WithFields(apperr.FieldError{Path: "b"}).WithExtra("k", 2)
	require.Equal(t, "a", a.Fields[1].Path)
	require.Equal(t, "b", b.Fields[1].Path)
	require.Len(t, base.Fields, 1)
	require.Equal(t, 1, a.Extra["k"])
	require.Equal(t, 3, a.WithExtra("k", 3).Extra["k"], "the latest value counts")
	require.Equal(t, 1, a.Extra["k"])
	require.Nil(t, base.Extra)
}

func TestCommonErrors(t *testing.T) {
	t.Parallel()
	require.NoError(t, apperr.InvalidFields(nil))
	err := apperr.InvalidFields([]apperr.FieldError{{Path: "name", Message: "A name is missing."}, {Path: "amount", Message: "Too large."}})
	require.True(t, apperr.Is(err, apperr.Invalid))
	require.Equal(t, "A name is missing. Too large.", apperr.As(err).Message)
	require.Len(t, apperr.As(err).Fields, 2)

	require.Equal(t, "There is no such deal, or you have no access to it.", apperr.NotFoundf("deal").Message)
	require.Equal(t, "deal:update", apperr.Missing("deal:update").Extra["permission"])
	require.Equal(t, time.Minute, apperr.Limited(time.Minute).RetryAfter)
}
