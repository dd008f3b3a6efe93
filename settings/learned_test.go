package settings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/secrets"
	"countersign/settings"
	"countersign/store"
)

func TestWhatWasLearnedIsKeptWithItsModel(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		require.NoError(t, s.Learn(t.Context(), s.Sales1, 1, "lesson"), "without a configuration there is nothing to keep")
		s.put(t, input(canary))
		learned := func() string {
			config, err := s.Model(t.Context())
			require.NoError(t, err)
			return config.Learned
		}
		require.NoError(t, s.Learn(t.Context(), s.Sales1, 7, "of another version"))
		require.Empty(t, learned())
		require.NoError(t, s.Learn(t.Context(), s.Sales1, 1, "lesson"))
		require.Equal(t, "lesson", learned())

		other := input("")
		other.SystemPrompt = "Be kind."
		s.put(t, other)
		require.Equal(t, "lesson", learned(), "it is the endpoint's, whatever else changes")
		other.Model = "gpt-y"
		s.put(t, other)
		require.Empty(t, learned(), "another model is another endpoint's matter")
	})
}

func TestAddressesAreNormalised(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		s := &system{build(t, settings.Options{
			Runner: db, Gate: w.Gate, Now: w.Clock.Now, Keyring: secrets.NewKeyring(goodKey),
			Normalize: func(provider, typed string) (string, string, error) {
				if typed == "nonsense" {
					return "", "", apperr.InvalidField("endpointUrl", "That is nonsense.")
				}
				return strings.TrimSuffix(typed, "/") + "/" + provider, "added_version", nil
			},
		}), w}
		in := input(canary)
		in.EndpointURL = "https://api.example.com/"
		view := s.put(t, in)
		require.Equal(t, []string{"https://api.example.com/openai", "added_version"}, []string{view.EndpointURL, view.EndpointHint})
		view, err := s.Get(t.Context(), s.Admin)
		require.NoError(t, err)
		require.Empty(t, view.EndpointHint, "the hint is of one save")
		in.EndpointURL = "nonsense"
		_, err = s.Put(t.Context(), s.Admin, in)
		require.True(t, apperr.Is(err, apperr.Invalid))
		require.Contains(t, apperr.As(err).Fields[0].Message, "nonsense")
	})
}
