package conversations_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/conversations"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/store"
)

// room is the World with conversations.
type room struct {
	*dbtest.World
	*conversations.Service
}

func each(t *testing.T, fn func(t *testing.T, r *room)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		w := dbtest.NewWorld(t, db)
		fn(t, &room{w, conversations.NewService(db, w.Clock.Now)})
	})
}

// start begins a turn; conversation "" begins a new one.
func (r *room) start(t testing.TB, actor models.Actor, conversation, message string) *conversations.Started {
	t.Helper()
	started, err := r.Start(t.Context(), actor, opening(conversation, message))
	require.NoError(t, err)
	return started
}

func opening(conversation, message string) conversations.Opening {
	return conversations.Opening{ConversationID: conversation, NewID: models.NewID(), Message: message, Channel: models.ViaWeb, Fence: 7}
}

func (r *room) end(t testing.TB, s *conversations.Started, text string) {
	t.Helper()
	s.Turn.Status, s.Turn.Reason = models.TurnDone, "stop"
	s.Reply.Content, s.Reply.Status = text, models.MessageComplete
	require.NoError(t, r.End(t.Context(), &s.Turn, &s.Reply))
}

func (r *room) thread(t testing.TB, actor models.Actor, id string) *conversations.Thread {
	t.Helper()
	thread, err := r.Get(t.Context(), actor, id)
	require.NoError(t, err)
	return thread
}

func missing(t testing.TB, err error) {
	t.Helper()
	require.True(t, apperr.Is(err, apperr.NotFound), "%v", err)
}

func TestATurn(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		s := r.start(t, r.Sales1, "", " /find Acme\x00\nmore ")
		id := s.Turn.ConversationID
		require.Equal(t, models.Turn{
			ID: s.Turn.ID, ConversationID: id, UserID: r.Sales1.UserID, UserMessageID: s.Turn.UserMessageID, ReplyMessageID: s.Reply.ID,
			Status: models.TurnRunning, Fence: 7, StartedAt: r.Clock.Now(),
		}, s.Turn)
		thread := r.thread(t, r.Sales1, id)
		require.Equal(t, "/find Acme", thread.Title)
		require.Len(t, thread.Messages, 2)
		question, reply := thread.Messages[0], thread.Messages[1]
		require.Equal(t, []any{int64(1), models.RoleUser, " /find Acme\nmore ", models.MessageComplete}, []any{question.Seq, question.Role, question.Content, question.Status})
		require.Equal(t, []any{int64(2), models.RoleAssistant, "", models.MessageRunning}, []any{reply.Seq, reply.Role, reply.Content, reply.Status})
		require.Equal(t, s.Turn.ID, *question.TurnID)
		require.Equal(t, s.Reply, reply)

		r.Clock.Advance(time.Minute)
		s.Reply.Content = "so far\x00\xff"
		require.NoError(t, r.SaveReply(t.Context(), &s.Reply))
		require.Equal(t, "so far\uFFFD", r.thread(t, r.Sales1, id).Messages[1].Content, "whatever a model says can be kept")

		s.Reply.ToolCalls = models.ToJSON([]models.ToolCall{{CallID: "c", Name: "find", Args: models.JSON(`{}`), Status: models.CallOK}})
		s.Reply.Refs = models.ToJSON([]models.Ref{{Type: models.TypeDeal, ID: "x", Name: "X"}})
		r.end(t, s, "done")
		stored := r.thread(t, r.Sales1, id).Messages[1]
		require.Equal(t, "done", stored.Content)
		require.Equal(t, models.MessageComplete, stored.Status)
		require.Equal(t, s.Reply, stored)
		turn, err := r.Turn(t.Context(), r.Sales1, s.Turn.ID)
		require.NoError(t, err)
		require.Equal(t, s.Turn, *turn)
		require.Equal(t, r.Clock.Now(), *turn.EndedAt)

		s.Reply.Content = "twice"
		require.True(t, apperr.Is(r.End(t.Context(), &s.Turn, &s.Reply), apperr.Conflict), "a turn ends once")
		require.Equal(t, "done", r.thread(t, r.Sales1, id).Messages[1].Content)

		next := r.start(t, r.Sales1, id, "and then?")
		require.Equal(t, int64(4), next.Reply.Seq)
		require.Equal(t, "/find Acme", r.thread(t, r.Sales1, id).Title, "the first message gives the title")
	})
}

func TestTitles(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		for message, want := range map[string]string{
			"hello":                             "hello",
			"\n  first line \nsecond":           "first line",
			"a\tb\u0007c":                       "a bc",
			strings.Repeat("x", 80):             strings.Repeat("x", 80),
			strings.Repeat("海", 81):             strings.Repeat("海", 79) + "…",
			strings.Repeat("海", 200) + "\nmore": strings.Repeat("海", 79) + "…",
		} {
			s := r.start(t, r.Sales1, "", message)
			require.Equal(t, want, r.thread(t, r.Sales1, s.Turn.ConversationID).Title)
		}
	})
}

func TestAnotherPersonsConversationDoesNotExist(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		s := r.start(t, r.Sales1, "", "private")
		id := s.Turn.ConversationID
		for _, other := range []models.Actor{r.Sales2, r.Manager, r.Admin, {}} {
			for _, wanted := range []string{id, models.NewID(), "", "%"} {
				if wanted != "" {
					_, err := r.Start(t.Context(), other, opening(wanted, "hello"))
					missing(t, err)
				}
				_, err := r.Get(t.Context(), other, wanted)
				missing(t, err)
				missing(t, r.Owned(t.Context(), other, wanted))
				_, err = r.Rename(t.Context(), other, wanted, "mine")
				missing(t, err)
				missing(t, r.Delete(t.Context(), other, wanted))
			}
			_, err := r.Turn(t.Context(), other, s.Turn.ID)
			missing(t, err)
			list, err := r.List(t.Context(), other, "", store.Page{Limit: 10})
			require.NoError(t, err)
			require.Empty(t, list.Items)
			require.Zero(t, list.Total)
		}
		require.NoError(t, r.Owned(t.Context(), r.Sales1, id))
		require.Len(t, r.thread(t, r.Sales1, id).Messages, 2)
	})
}

func TestListComesByActivity(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		ids := make([]string, 3)
		for i := range ids {
			r.Clock.Advance(time.Minute)
			ids[i] = r.start(t, r.Sales1, "", fmt.Sprint("conversation ", i)).Turn.ConversationID
		}
		r.Clock.Advance(time.Minute)
		r.start(t, r.Sales1, ids[0], "again")
		r.Clock.Advance(time.Minute)
		renamed, err := r.Rename(t.Context(), r.Sales1, ids[1], "  Another\n name ")
		require.NoError(t, err)
		require.Equal(t, "Another name", renamed.Title)

		list, err := r.List(t.Context(), r.Sales1, "", store.Page{Limit: 2})
		require.NoError(t, err)
		require.Equal(t, []string{ids[0], ids[2]}, []string{list.Items[0].ID, list.Items[1].ID}, "a new name is no activity")
		require.Equal(t, int64(3), list.Total)
		list, err = r.List(t.Context(), r.Sales1, "", store.Page{Limit: 2, Cursor: list.Next})
		require.NoError(t, err)
		require.Equal(t, "Another name", list.Items[0].Title)
	})
}

func TestRenameRefuses(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		id := r.start(t, r.Sales1, "", "hello").Turn.ConversationID
		for _, title := range []string{"", " \n", "\x00", strings.Repeat("海", 81)} {
			_, err := r.Rename(t.Context(), r.Sales1, id, title)
			require.True(t, apperr.Is(err, apperr.Invalid), "%q", title)
			require.Equal(t, "title", apperr.As(err).Fields[0].Path)
		}
		require.Equal(t, "hello", r.thread(t, r.Sales1, id).Title)
		_, err := r.Rename(t.Context(), r.Sales1, id, strings.Repeat("海", 80))
		require.NoError(t, err)
	})
}

func TestADeletedConversation(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		s := r.start(t, r.Sales1, "", "hello")
		id := s.Turn.ConversationID
		require.NoError(t, r.Delete(t.Context(), r.Sales1, id))
		_, err := r.Get(t.Context(), r.Sales1, id)
		missing(t, err)
		missing(t, r.Owned(t.Context(), r.Sales1, id))
		missing(t, r.Delete(t.Context(), r.Sales1, id))
		_, err = r.Rename(t.Context(), r.Sales1, id, "back")
		missing(t, err)
		_, err = r.Start(t.Context(), r.Sales1, opening(id, "hello"))
		missing(t, err)
		list, err := r.List(t.Context(), r.Sales1, "", store.Page{Limit: 10})
		require.NoError(t, err)
		require.Empty(t, list.Items)

		r.InTx(t, func(tx *store.Tx) {
			require.NoError(t, r.Tell(t.Context(), tx, id, "an outcome"), "what is told of a change is no reason to lose it")
		})
		r.end(t, s, "the running turn ends as any other")
	})
}

func TestTell(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		s := r.start(t, r.Sales1, "", "hello")
		id := s.Turn.ConversationID
		r.Clock.Advance(time.Minute)
		r.InTx(t, func(tx *store.Tx) { require.NoError(t, r.Tell(t.Context(), tx, id, "told")) })
		r.end(t, s, "the reply")
		messages := r.thread(t, r.Sales1, id).Messages
		require.Len(t, messages, 3)
		require.Equal(t, "the reply", messages[1].Content)
		told := messages[2]
		require.Equal(t, []any{int64(3), "told", models.RoleAssistant, models.MessageComplete}, []any{told.Seq, told.Content, told.Role, told.Status})
		require.Nil(t, told.TurnID)

		err := r.DB.InTx(t.Context(), func(tx *store.Tx) error {
			require.NoError(t, r.Tell(t.Context(), tx, id, "never"))
			return apperr.New(apperr.Conflict, "UNDONE", "x")
		})
		require.Error(t, err)
		require.Len(t, r.thread(t, r.Sales1, id).Messages, 3, "what is told goes with its transaction")
	})
}

// HIS-03: messages are ordered by their numbers, whatever the clock says.
func TestHIS03OrderIsBySequence(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		s := r.start(t, r.Sales1, "", "first")
		r.end(t, s, "second")
		r.Clock.Advance(-time.Hour)
		s = r.start(t, r.Sales1, s.Turn.ConversationID, "third")
		r.end(t, s, "fourth")
		var contents []string
		for _, m := range r.thread(t, r.Sales1, s.Turn.ConversationID).Messages {
			contents = append(contents, m.Content)
		}
		require.Equal(t, []string{"first", "second", "third", "fourth"}, contents)
	})
}

// However many write at once, numbers have no gap and no twin, and a question stands right before its reply (CON-05).
func TestCON05WritersAtOnce(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		replica := conversations.NewService(dbtest.Again(t, r.DB), r.Clock.Now)
		id := r.start(t, r.Sales1, "", "hello").Turn.ConversationID
		errs := make([]error, 16)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() {
				service := []*conversations.Service{r.Service, replica}[i%2]
				if i%4 < 2 {
					_, errs[i] = service.Start(t.Context(), r.Sales1, opening(id, "question"))
					return
				}
				errs[i] = r.DB.InTx(t.Context(), func(tx *store.Tx) error { return service.Tell(t.Context(), tx, id, "told") })
			})
		}
		all.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		messages := r.thread(t, r.Sales1, id).Messages
		require.Len(t, messages, 2+8*2+8)
		for i, m := range messages {
			require.Equal(t, int64(i+1), m.Seq)
			if m.Role == models.RoleUser {
				require.Equal(t, *m.TurnID, *messages[i+1].TurnID)
			}
		}
	})
}

func TestAbandonedTurnsAreClosed(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		ended, abandoned := r.start(t, r.Sales1, "", "ended"), r.start(t, r.Sales1, "", "abandoned")
		r.end(t, ended, "done")
		abandoned.Reply.Content = "half of it"
		require.NoError(t, r.SaveReply(t.Context(), &abandoned.Reply))
		r.Clock.Advance(time.Minute)
		running := r.start(t, r.Sales2, "", "still running")

		n, err := r.CloseAbandoned(t.Context(), r.Clock.Now())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		turn, err := r.Turn(t.Context(), r.Sales1, abandoned.Turn.ID)
		require.NoError(t, err)
		require.Equal(t, []any{models.TurnStopped, "interrupted", r.Clock.Now()}, []any{turn.Status, turn.Reason, *turn.EndedAt})
		reply := r.thread(t, r.Sales1, abandoned.Turn.ConversationID).Messages[1]
		require.Equal(t, []any{models.MessageStopped, "half of it"}, []any{reply.Status, reply.Content}, "what was said is kept")
		require.Equal(t, models.MessageComplete, r.thread(t, r.Sales1, ended.Turn.ConversationID).Messages[1].Status)
		require.Equal(t, models.MessageRunning, r.thread(t, r.Sales2, running.Turn.ConversationID).Messages[1].Status)

		n, err = r.CloseAbandoned(t.Context(), r.Clock.Now())
		require.NoError(t, err)
		require.Zero(t, n)
	})
}

// Turns that end while abandoned ones are closed: each ends once, in one way, and nobody waits for ever.
func TestEndingAndClosingAtOnce(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		replica := conversations.NewService(dbtest.Again(t, r.DB), r.Clock.Now)
		turns := make([]*conversations.Started, 12)
		for i := range turns {
			turns[i] = r.start(t, r.Sales1, "", fmt.Sprint("turn ", i))
		}
		r.Clock.Advance(time.Second)
		var all sync.WaitGroup
		var closed [2]int
		var closing [2]error
		ending := make([]error, len(turns))
		for i := range closed {
			all.Go(func() {
				closed[i], closing[i] = []*conversations.Service{r.Service, replica}[i].CloseAbandoned(t.Context(), r.Clock.Now())
			})
		}
		for i, s := range turns {
			all.Go(func() {
				s.Turn.Status, s.Reply.Status, s.Reply.Content = models.TurnDone, models.MessageComplete, "done"
				ending[i] = r.End(t.Context(), &s.Turn, &s.Reply)
			})
		}
		all.Wait()
		require.NoError(t, closing[0])
		require.NoError(t, closing[1])
		ended := 0
		for i, s := range turns {
			reply := r.thread(t, r.Sales1, s.Turn.ConversationID).Messages[1]
			if ending[i] == nil {
				ended++
				require.Equal(t, models.MessageComplete, reply.Status)
				continue
			}
			require.True(t, apperr.Is(ending[i], apperr.Conflict), "%v", ending[i])
			require.Equal(t, models.MessageStopped, reply.Status)
		}
		require.Equal(t, len(turns), ended+closed[0]+closed[1])
	})
}

func TestSearch(t *testing.T) {
	each(t, func(t *testing.T, r *room) {
		say := func(actor models.Actor, message, reply string) string {
			s := r.start(t, actor, "", message)
			r.Clock.Advance(time.Minute)
			s.Reply.Content = "on its way: " + reply
			require.NoError(t, r.SaveReply(t.Context(), &s.Reply))
			r.end(t, s, reply)
			return s.Turn.ConversationID
		}
		chinese := say(r.Sales1, "永明商機如何？", "一切順利，下星期簽約。")
		latin := say(r.Sales1, "How is ＡＣＭＥ?", "The Renewal is 100% on track.")
		say(r.Sales2, "永明 Acme renewal", "Somebody else's.")
		gone := say(r.Sales1, "永明 of yesterday", "Gone.")
		require.NoError(t, r.Delete(t.Context(), r.Sales1, gone))
		renamed := say(r.Sales1, "first name", "nothing")
		_, err := r.Rename(t.Context(), r.Sales1, renamed, "Straße 9")
		require.NoError(t, err)

		for text, want := range map[string][]string{
			"永明": {chinese}, "簽約": {chinese}, "下星": {chinese}, "acme": {latin}, "Ａｃｍｅ": {latin}, "RENEWAL IS": {latin},
			"100%": {latin}, "1_0": nil, "on its way": nil, "strasse": {renamed}, "first  NAME": {renamed},
			"i": {renamed, latin}, " ": {renamed, latin, chinese}, "nobody said this": nil,
		} {
			list, err := r.List(t.Context(), r.Sales1, text, store.Page{Limit: 10})
			require.NoError(t, err)
			var found []string
			for _, c := range list.Items {
				found = append(found, c.ID)
			}
			require.Equal(t, want, found, text)
			require.Equal(t, int64(len(want)), list.Total, text)
		}
	})
}
