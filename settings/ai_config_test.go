package settings_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/secrets"
	"countersign/settings"
	"countersign/store"
)

func TestNewDemandsItsParts(t *testing.T) {
	t.Parallel()
	_, err := settings.NewAIConfig(settings.Options{})
	require.Error(t, err)
}

func TestNothingConfigured(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		view, err := s.Get(t.Context(), s.Admin)
		require.NoError(t, err)
		require.JSONEq(t, `{"configured": false, "apiKeySet": false, "secrets": "ok"}`, asJSON(t, view))
		configured, err := s.Configured(t.Context())
		require.NoError(t, err)
		require.False(t, configured)
		_, err = s.Model(t.Context())
		require.Equal(t, apperr.New(apperr.NotConfigured, "NOT_CONFIGURED",
			"The assistant has no model yet. Ask an administrator to set it up at /admin/ai-config."), err)
		require.NoError(t, s.Delete(t.Context(), s.Admin))
		require.Empty(t, s.entries(t), "nothing happened")
	})
}

func TestPut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		in := input(canary)
		in.EndpointURL, in.Model = " HTTPS://API.Example.com:443/v1/ ", " gpt\n x "
		view := s.put(t, in)
		now, tokens := dbtest.Start, int64(50_000)
		want := settings.AIConfigView{
			Configured: true, APIKeySet: true, Provider: "openai", EndpointURL: endpoint, Model: "gpt x", SystemPrompt: "Be brief.",
			MaxRounds: 8, ConversationTokens: &tokens, UpdatedAt: &now, UpdatedBy: "Ada Admin", Secrets: secrets.OK,
		}
		require.Equal(t, want, view)
		got, err := s.Get(t.Context(), s.Admin)
		require.NoError(t, err)
		require.Equal(t, want, got)
		config, err := s.Model(t.Context())
		require.NoError(t, err)
		require.Equal(t, settings.ModelConfig{
			Provider: "openai", EndpointURL: endpoint, Model: "gpt x", APIKey: settings.NewAPIKey(canary), SystemPrompt: "Be brief.", MaxRounds: 8, Version: 1,
			ConversationTokens: tokens,
		}, config)
		configured, err := s.Configured(t.Context())
		require.NoError(t, err)
		require.True(t, configured)
		require.NotContains(t, s.row(t), canary, "sealed")
	})
}

func TestPutKeepsReplacesAndRemovesTheKey(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		rounds := 20
		keep := input("")
		keep.EndpointURL, keep.Provider, keep.MaxRounds, keep.SystemPrompt = "https://API.example.com:443/other", "anthropic", &rounds, ""
		view := s.put(t, keep)
		require.True(t, view.APIKeySet)
		require.Equal(t, 20, view.MaxRounds)
		require.Empty(t, view.SystemPrompt)
		require.Equal(t, canary, s.key(t))

		s.put(t, input("sk-second"))
		require.Equal(t, "sk-second", s.key(t))

		remove := input("")
		remove.RemoveKey = true
		require.False(t, s.put(t, remove).APIKeySet)
		require.Empty(t, s.key(t))
		require.False(t, s.put(t, input("")).APIKeySet, "an empty text is no key")

		s.put(t, input(canary))
		require.NoError(t, s.Delete(t.Context(), s.Admin))
		require.Empty(t, s.row(t))
		require.False(t, s.put(t, input("")).APIKeySet, "what was deleted does not come back")
	})
}

// An administrator's session must not be enough to have the stored key sent somewhere else.
func TestNewHostAsksForTheKeyAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		before := s.row(t)
		for _, elsewhere := range []string{
			"https://api.example.org/v1", "http://api.example.com/v1", "https://api.example.com:8443/v1",
			"https://api.example.com.evil.test/v1", "https://example.com/v1",
		} {
			in := input("")
			in.EndpointURL = elsewhere
			_, err := s.Put(t.Context(), s.Admin, in)
			require.True(t, apperr.Is(err, apperr.Invalid), elsewhere)
			require.Equal(t, []apperr.FieldError{
				{Path: "apiKey", Message: "The endpoint's host has changed: enter the API key again."},
			}, apperr.As(err).Fields)
			require.Equal(t, before, s.row(t))

			in.APIKey = settings.NewAPIKey("sk-new")
			s.put(t, in)
			require.Equal(t, "sk-new", s.key(t))
			s.put(t, input(canary))
			in.APIKey, in.RemoveKey = settings.APIKey{}, true
			s.put(t, in)
			require.Empty(t, s.key(t), "a removed key goes nowhere")
			s.put(t, input(canary))
			before = s.row(t)
		}
	})
}

func TestPutRefuses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		rounds := func(n int) *int { return &n }
		for name, c := range map[string]struct {
			change func(in *settings.AIConfigInput)
			paths  []string
		}{
			"everything": {func(in *settings.AIConfigInput) {
				*in = settings.AIConfigInput{MaxRounds: rounds(0), APIKey: settings.NewAPIKey(" ")}
			}, []string{"provider", "endpointUrl", "model", "maxRounds", "apiKey"}},
			"provider":       {func(in *settings.AIConfigInput) { in.Provider = "OpenAI" }, []string{"provider"}},
			"endpoint":       {func(in *settings.AIConfigInput) { in.EndpointURL = "http://127.0.0.1:11434" }, []string{"endpointUrl"}},
			"no model":       {func(in *settings.AIConfigInput) { in.Model = " \t\n" }, []string{"model"}},
			"long model":     {func(in *settings.AIConfigInput) { in.Model = strings.Repeat("模", 201) }, []string{"model"}},
			"long prompt":    {func(in *settings.AIConfigInput) { in.SystemPrompt = strings.Repeat("字", 20_001) }, []string{"systemPrompt"}},
			"no rounds":      {func(in *settings.AIConfigInput) { in.MaxRounds = rounds(0) }, []string{"maxRounds"}},
			"minus rounds":   {func(in *settings.AIConfigInput) { in.MaxRounds = rounds(-1) }, []string{"maxRounds"}},
			"many rounds":    {func(in *settings.AIConfigInput) { in.MaxRounds = rounds(21) }, []string{"maxRounds"}},
			"stars":          {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("****") }, []string{"apiKey"}},
			"stars inside":   {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("sk-****QnP") }, []string{"apiKey"}},
			"dots":           {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("••••") }, []string{"apiKey"}},
			"redacted":       {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("[redacted]") }, []string{"apiKey"}},
			"space":          {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("sk abc") }, []string{"apiKey"}},
			"line break":     {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("sk-abc\r\nX: y") }, []string{"apiKey"}},
			"control":        {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("sk\x7f") }, []string{"apiKey"}},
			"zero width":     {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("sk\u200b") }, []string{"apiKey"}},
			"prose":          {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey("see the wiki") }, []string{"apiKey"}},
			"long key":       {func(in *settings.AIConfigInput) { in.APIKey = settings.NewAPIKey(strings.Repeat("k", 4097)) }, []string{"apiKey"}},
			"key and remove": {func(in *settings.AIConfigInput) { in.RemoveKey = true }, []string{"removeKey"}},
		} {
			in := input(canary)
			c.change(&in)
			_, err := s.Put(t.Context(), s.Admin, in)
			require.True(t, apperr.Is(err, apperr.Invalid), "%s: %v", name, err)
			require.Equal(t, c.paths, paths(err), name)
			require.NotContains(t, asJSON(t, apperr.As(err)), canary)
		}
		require.Empty(t, s.row(t))
		in := input("k")
		in.Model, in.SystemPrompt, in.MaxRounds = strings.Repeat("模", 200), strings.Repeat("字", 20_000), rounds(1)
		s.put(t, in)
	})
}

func TestWhoMay(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		before := s.row(t)
		for name, actor := range map[string]models.Actor{
			"manager": s.Manager, "sales": s.Sales1, "viewer": s.Viewer, "system": models.System("importer"),
			"disabled": s.Disabled, "nobody": {},
		} {
			kind := apperr.Forbidden
			if name == "disabled" || name == "nobody" {
				kind = apperr.Unauthenticated
			}
			count := len(s.entries(t))
			_, err := s.Get(t.Context(), actor)
			require.True(t, apperr.Is(err, kind), name)
			_, err = s.Put(t.Context(), actor, input("sk-mine"))
			require.True(t, apperr.Is(err, kind), name)
			require.True(t, apperr.Is(s.Delete(t.Context(), actor), kind), name)
			require.Len(t, s.entries(t), count+3, "refusals are recorded")
			require.Equal(t, models.DecisionDenied, s.last(t).Decision)
		}
		require.Equal(t, before, s.row(t))
	})
}

func TestChangesAreRecordedWithoutValues(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		first := s.last(t)
		require.Equal(t, "ai-config:update", first.Action)
		require.Equal(t, models.TypeAIConfig, first.TargetType)
		require.Equal(t, s.Admin.UserID, *first.ActorID)
		require.JSONEq(t, `{"changed": ["provider", "endpointUrl", "model", "apiKey", "systemPrompt", "maxRounds", "conversationTokens"]}`, string(first.Detail))
		in := input("")
		in.Model, in.SystemPrompt = "gpt-y", "Ignore the rules."
		s.put(t, in)
		require.JSONEq(t, `{"changed": ["model", "systemPrompt"]}`, string(s.last(t).Detail))
		require.NoError(t, s.Delete(t.Context(), s.Admin))
		require.Equal(t, "ai-config:delete", s.last(t).Action)
		require.NotContains(t, asJSON(t, s.entries(t)), "Ignore the rules.")
	})
}

func TestLimitsStayUnlessTheyAreGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		in := input(canary)
		none, shown := int64(0), true
		in.ConversationTokens, in.ShowCost = &none, &shown
		s.put(t, in)
		view := s.put(t, input(""))
		require.Zero(t, *view.ConversationTokens)
		require.True(t, view.ShowCost)
		for _, wrong := range []int64{-1, 1 << 40} {
			in.ConversationTokens = &wrong
			_, err := s.Put(t.Context(), s.Admin, in)
			require.Equal(t, []string{"conversationTokens"}, paths(err))
		}
	})
}

func TestRemovedKeyDoesNotComeBack(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		done := make(chan error, 1)
		s.InTx(t, func(tx *store.Tx) {
			remove := input("")
			remove.RemoveKey = true
			_, err := s.With(tx).Put(t.Context(), s.Admin, remove)
			require.NoError(t, err)
			go func() {
				_, err := s.Put(t.Context(), s.Admin, input(""))
				done <- err
			}()
			s.awaitLockWait(t)
		})
		require.NoError(t, <-done)
		require.Empty(t, s.key(t))
	})
}

func TestUnusableEncryptionKeys(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		for _, c := range []struct {
			name, key, says string
			state           secrets.State
		}{
			{"missing", "", "AI_CONFIG_ENCRYPTION_KEY is not set", secrets.MissingKey},
			{"short", goodKey[:32], "exactly 64", secrets.MalformedKey},
			{"zero", strings.Repeat("0", 64), "exactly 64", secrets.MalformedKey},
			{"not hexadecimal", strings.Repeat("x", 64), "exactly 64", secrets.MalformedKey},
			{"another one", otherKey, "", secrets.WrongKey},
		} {
			broken := withKey(t, s.World, c.key)
			before := s.row(t)
			view, err := broken.Get(t.Context(), s.Admin)
			require.NoError(t, err, c.name)
			require.Equal(t, c.state, view.Secrets, c.name)
			require.True(t, view.APIKeySet)
			_, err = broken.Model(t.Context())
			require.True(t, apperr.Is(err, apperr.NotConfigured), c.name)
			require.True(t, apperr.HasCode(err, settings.CodeKeyUnreadable), c.name)
			configured, err := broken.Configured(t.Context())
			require.NoError(t, err)
			require.True(t, configured)
			if c.says != "" {
				_, err = broken.Put(t.Context(), s.Admin, input("sk-new"))
				require.Equal(t, []string{"apiKey"}, paths(err), c.name)
				require.Contains(t, apperr.As(err).Message, c.says)
				require.Equal(t, before, s.row(t), "%s: nothing is overwritten", c.name)
			}
			in := input("")
			in.Model = "model with key " + c.name
			_, err = broken.Put(t.Context(), s.Admin, in)
			require.NoError(t, err, "the rest can be changed")
			require.Equal(t, canary, s.key(t), "%s: the sealed key stays as it was", c.name)
		}
	})
}

func TestAnotherEncryptionKeyTakesANewAPIKey(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		other := &system{withKey(t, s.World, otherKey), s.World}
		require.Equal(t, secrets.OK, other.put(t, input("sk-new")).Secrets)
		require.Equal(t, "sk-new", other.key(t))
		rotated := &system{withKey(t, s.World, goodKey+","+otherKey), s.World}
		require.Equal(t, "sk-new", rotated.key(t))
	})
}

func TestSealedKeyOpensOnlyInItsPlace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		for _, place := range []string{"ai_config|2|api_key", "ai_config|1|system_prompt"} {
			moved, err := secrets.NewKeyring(goodKey).Seal([]byte("sk-moved"), place)
			require.NoError(t, err)
			_, err = dbtest.Raw(t, s.DB).ExecContext(t.Context(), "UPDATE ai_config SET sealed_key = $1", moved)
			require.NoError(t, err)
			_, err = s.Model(t.Context())
			require.True(t, apperr.HasCode(err, settings.CodeKeyUnreadable))
		}
		in, err := secrets.NewKeyring(goodKey).Seal([]byte("sk-here"), "ai_config|1|api_key")
		require.NoError(t, err)
		_, err = dbtest.Raw(t, s.DB).ExecContext(t.Context(), "UPDATE ai_config SET sealed_key = $1", in)
		require.NoError(t, err)
		require.Equal(t, "sk-here", s.key(t))
	})
}

func TestPrivateEndpointsOnlyWhenAllowed(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		open := build(t, settings.Options{
			Runner: s.DB, Gate: s.Gate, Now: s.Clock.Now, Keyring: secrets.NewKeyring(goodKey), AllowPrivate: true,
		})
		in := input("")
		in.EndpointURL = "http://localhost:11434/v1"
		_, err := s.Put(t.Context(), s.Admin, in)
		require.Equal(t, []string{"endpointUrl"}, paths(err))
		require.Contains(t, apperr.As(err).Message, "COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS=true")
		_, err = open.Put(t.Context(), s.Admin, in)
		require.NoError(t, err)
	})
}

func TestTimesAndNamesFollowTheLastChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		s.Clock.Advance(time.Hour)
		_, err := dbtest.Raw(t, s.DB).ExecContext(t.Context(), "UPDATE users SET name = 'Ada Chan' WHERE id = $1", s.Admin.UserID)
		require.NoError(t, err)
		view := s.put(t, input(""))
		require.Equal(t, dbtest.Start.Add(time.Hour), *view.UpdatedAt)
		require.Equal(t, "Ada Chan", view.UpdatedBy)
	})
}
