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

// Whoever administers the model sees that it fails, until it works again or was changed.
func TestAFailingModelIsTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		s.put(t, input(canary))
		failing := func() *settings.Failing {
			view, err := s.Get(t.Context(), s.Admin)
			require.NoError(t, err)
			return view.Failing
		}
		require.Nil(t, failing())
		turn := s.openTurn(t)
		call := func(kind string) {
			s.Clock.Advance(time.Minute)
			s.InTx(t, func(tx *store.Tx) {
				require.NoError(t, tx.AddModelCall(t.Context(), &models.ModelCall{
					ID: models.NewID(), TurnID: turn.ID, ConversationID: turn.ConversationID, UserID: s.Sales1.UserID, Role: "sales", Channel: models.ViaWeb,
					Provider: "openai", Model: "gpt-x", Round: 1, Attempt: 1, StartedAt: s.Clock.Now(), ErrorKind: kind,
				}))
			})
		}
		call("unauthorized")
		require.Equal(t, &settings.Failing{Code: "MODEL_UNAUTHORIZED", At: s.Clock.Now()}, failing())
		call("content_filter")
		require.Nil(t, failing(), "one message says nothing of the model")
		call("timeout")
		require.Equal(t, "MODEL_TIMEOUT", failing().Code)
		call("")
		require.Nil(t, failing(), "it works again")
		call("timeout")
		s.Clock.Advance(time.Minute)
		s.put(t, input(canary))
		require.Nil(t, failing(), "what was before the change is past")
	})
}

// openTurn stores a turn of a salesperson's.
func (s *system) openTurn(t *testing.T) models.Turn {
	t.Helper()
	now := s.Clock.Now()
	c := models.Conversation{ID: models.NewID(), UserID: s.Sales1.UserID, Channel: models.ViaWeb, Title: "Deals", CreatedAt: now, UpdatedAt: now}
	turn := models.Turn{ID: models.NewID(), ConversationID: c.ID, UserID: c.UserID, Status: models.TurnDone, StartedAt: now}
	s.InTx(t, func(tx *store.Tx) {
		require.NoError(t, tx.InsertConversation(t.Context(), &c))
		for _, m := range []*models.Message{
			{ID: models.NewID(), ConversationID: c.ID, Role: models.RoleUser, Status: models.MessageComplete, CreatedAt: now, UpdatedAt: now},
			{ID: models.NewID(), ConversationID: c.ID, Role: models.RoleAssistant, Status: models.MessageComplete, CreatedAt: now, UpdatedAt: now},
		} {
			require.NoError(t, tx.InsertMessages(t.Context(), m))
			turn.UserMessageID, turn.ReplyMessageID = turn.ReplyMessageID, m.ID
		}
		require.NoError(t, tx.InsertTurn(t.Context(), &turn))
	})
	return turn
}
