package settings_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/models"
	"countersign/settings"
)

// TestDraftLendsTheStoredKey only to the scheme, host and port that it was entered for.
func TestDraftLendsTheStoredKey(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		draft := func(url, key string) (settings.ModelConfig, error) {
			in := input(key)
			in.EndpointURL, in.Model = url, "typed"
			return s.Draft(t.Context(), s.Admin, in)
		}
		config, err := draft(endpoint, "")
		require.NoError(t, err, "an endpoint may want no key")
		require.False(t, config.APIKey.IsSet())

		s.put(t, input(canary))
		before, entries := s.row(t), len(s.entries(t))
		for _, near := range []string{endpoint, " HTTPS://API.example.com:443/v2/ "} {
			config, err = draft(near, "")
			require.NoError(t, err, near)
			require.Equal(t, []string{canary, "typed"}, []string{config.APIKey.Reveal(), config.Model})
		}
		for _, far := range []string{
			"https://evil.example/v1", "http://api.example.com/v1", "https://api.example.com:8443/v1", "https://api.example.com.evil.example/v1",
		} {
			config, err = draft(far, "")
			require.Equal(t, []string{"apiKey"}, paths(err), far)
			require.False(t, config.APIKey.IsSet(), far)
			config, err = draft(far, "sk-typed")
			require.NoError(t, err)
			require.Equal(t, "sk-typed", config.APIKey.Reveal())
		}
		in := input("")
		in.RemoveKey = true
		config, err = s.Draft(t.Context(), s.Admin, in)
		require.NoError(t, err)
		require.False(t, config.APIKey.IsSet())
		require.Equal(t, before, s.row(t), "nothing is saved")
		require.Len(t, s.entries(t), entries)
	})
}

func TestDraftRefuses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		_, err := s.Draft(t.Context(), s.Admin, settings.AIConfigInput{
			Provider: "other", EndpointURL: "http://127.0.0.1/v1", APIKey: settings.NewAPIKey(strings.Repeat("*", 8)),
		})
		require.Equal(t, []string{"provider", "endpointUrl", "model", "apiKey"}, paths(err))
		for _, who := range []models.Actor{s.Manager, s.Sales1, s.Viewer, {}} {
			_, err := s.Draft(t.Context(), who, input("sk-typed"))
			require.Error(t, err)
			require.Contains(t, []apperr.Kind{apperr.Forbidden, apperr.Unauthenticated}, apperr.As(err).Kind)
		}
		s.put(t, input(canary))
		_, err = withKey(t, s.World, otherKey).Draft(t.Context(), s.Admin, input(""))
		require.Equal(t, []string{"apiKey"}, paths(err), "a key that cannot be opened is entered again")
		config, err := withKey(t, s.World, "").Draft(t.Context(), s.Admin, input("sk-typed"))
		require.NoError(t, err, "a try keeps no key, so it needs no encryption")
		require.Equal(t, "sk-typed", config.APIKey.Reveal())
	})
}
