package confirm_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/confirm"
	"countersign/conversations"
	"countersign/crm"
	"countersign/internal/clock"
	"countersign/models"
	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
	"countersign/tools"
)

// The points of a confirm at which a process can be told to die, in their order.
const (
	claimed       = "claimed"
	effectWritten = "effect written"
	auditWritten  = "audit written"
	beforeCommit  = "before the commit"
	afterCommit   = "after the commit"
	answerSent    = "answer sent"
	never         = ""
)

// asMortal makes a process of this test binary run [TestMortal], and nothing else.
const asMortal = "COUNTERSIGN_TEST_MORTAL"

// errand is what a process of its own is told to do: to confirm cards over a database, and to die at a point.
type errand struct {
	Database store.Options
	Now      time.Time
	Actor    models.Actor
	Cards    []models.Proposal
	// AtOnce is how many cards are confirmed at the same time.
	AtOnce int
	DieAt  string
}

// TestMortal is no test: it is what the tests of crashes run as a process of its own. It confirms all cards of an
// errand and prints the id of each one that it has an answer for.
func TestMortal(t *testing.T) {
	if os.Getenv(asMortal) == "" {
		return
	}
	var e errand
	require.NoError(t, json.NewDecoder(os.Stdin).Decode(&e))
	door := e.open(t)
	cards := make(chan models.Proposal)
	var clerks sync.WaitGroup
	for range e.AtOnce {
		clerks.Go(func() {
			for card := range cards {
				if _, err := door.Confirm(context.Background(), e.Actor, card.ID, card.Digest); err != nil {
					fmt.Println("failed:", err)
					continue
				}
				fmt.Println(card.ID)
				e.dieAt(answerSent)
			}
		})
	}
	for _, card := range e.Cards {
		cards <- card
	}
	close(cards)
	clerks.Wait()
}

// open wires confirmations over the database, of parts that die when it is their point.
func (e errand) open(t *testing.T) *confirm.Service {
	t.Helper()
	db, err := store.Open(t.Context(), e.Database)
	require.NoError(t, err)
	now := clock.At(e.Now).Now
	authorizer, err := rbac.NewAuthorizer(t.Context(), db)
	require.NoError(t, err)
	gate := audit.NewGate(authorizer, db, now)
	registry := tools.Standard(tools.Services{Resolver: resolve.New(db, gate), Deals: crm.NewDeals(db, gate, now)})
	// The conversation is told once the audit entry is written, and asks for the time then.
	told := conversations.NewService(db, func() time.Time { e.dieAt(auditWritten); return now() })
	performer := mortalPerformer{tools.NewPerformer(registry, gate), e}
	return confirm.NewService(proposals.NewService(mortalRunner{db, e}, gate, now), performer, told)
}

// dieAt ends the process as kill -9 does, if this is its point.
func (e errand) dieAt(point string) {
	if e.DieAt != point {
		return
	}
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = self.Kill()
	}
	select {}
}

// mortalPerformer dies on either side of the effect: the right is asked for when the proposal has been claimed.
type mortalPerformer struct {
	proposals.Performer
	errand errand
}

func (m mortalPerformer) Authorize(ctx context.Context, tx *store.Tx, actor models.Actor, tool string, target models.Ref) (store.Standing, error) {
	m.errand.dieAt(claimed)
	return m.Performer.Authorize(ctx, tx, actor, tool, target)
}

func (m mortalPerformer) Execute(ctx context.Context, tx *store.Tx, actor models.Actor, p *models.Proposal) (models.Outcome, error) {
	outcome, err := m.Performer.Execute(ctx, tx, actor, p)
	m.errand.dieAt(effectWritten)
	return outcome, err
}

// mortalRunner dies on either side of the commit.
type mortalRunner struct {
	store.Runner
	errand errand
}

func (m mortalRunner) InTx(ctx context.Context, fn func(*store.Tx) error) error {
	err := m.Runner.InTx(ctx, func(tx *store.Tx) error {
		err := fn(tx)
		m.errand.dieAt(beforeCommit)
		return err
	})
	m.errand.dieAt(afterCommit)
	return err
}

// mortal is a process on an errand.
type mortal struct {
	*exec.Cmd
	out    *bufio.Scanner
	errors bytes.Buffer
}

// start sends a process on an errand. It ends with the test at the latest.
func (e errand) start(t *testing.T) *mortal {
	t.Helper()
	told, err := json.Marshal(e)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	m := &mortal{Cmd: exec.CommandContext(t.Context(), self, "-test.run=^TestMortal$")}
	m.Env, m.Stdin, m.Stderr = append(os.Environ(), asMortal+"=1"), bytes.NewReader(told), &m.errors
	out, err := m.StdoutPipe()
	require.NoError(t, err)
	m.out = bufio.NewScanner(out)
	require.NoError(t, m.Start())
	return m
}

// rest are the lines that a process has still to say, up to its end.
func (m *mortal) rest(t *testing.T) (lines []string) {
	t.Helper()
	for m.out.Scan() {
		lines = append(lines, m.out.Text())
	}
	if err := m.out.Err(); err != nil {
		require.ErrorIs(t, err, io.EOF)
	}
	return lines
}

// killed waits for the end, and reports whether it was by kill -9; any other bad end fails the test.
func (m *mortal) killed(t *testing.T) bool {
	t.Helper()
	if m.Wait() == nil {
		return false
	}
	status, ok := m.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok && status.Signaled() && status.Signal() == syscall.SIGKILL, "%v\n%s", m.ProcessState, m.errors.String())
	return true
}
