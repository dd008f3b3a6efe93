package app_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/app"
	"countersign/config"
	"countersign/models"
)

// asMortal makes a process of this test binary run [TestMortal], and nothing else.
const asMortal = "COUNTERSIGN_TEST_MORTAL"

// The points at which a server can be told to die: around the answer to a confirm, or when somebody kills it.
const (
	beforeTheAnswer = "before the answer"
	afterTheAnswer  = "after the answer"
	byKill          = "by kill"
)

// life is what a server of its own is told: where it lives, and when it dies.
type life struct{ DataDir, Database, Redis, SMTP, DieAt string }

// TestMortal is no test: it is the server that the test of crashes runs as a process of its own. It prints its address
// and serves until it dies.
func TestMortal(t *testing.T) {
	if os.Getenv(asMortal) == "" {
		return
	}
	var l life
	require.NoError(t, json.NewDecoder(os.Stdin).Decode(&l))
	cfg := config.Config{
		Addr: "127.0.0.1:0", DataDir: l.DataDir, Demo: true, Database: config.NewSecret(l.Database), Redis: config.NewSecret(l.Redis), SMTP: config.NewSecret(l.SMTP),
	}
	a, err := app.Open(t.Context(), cfg, "test")
	require.NoError(t, err)
	if l.DieAt == byKill {
		require.NoError(t, a.Serve(context.Background(), func(address string) { fmt.Println("http://" + address) }))
		return
	}
	listener, err := net.Listen("tcp", cfg.Addr)
	require.NoError(t, err)
	fmt.Println("http://" + listener.Addr().String())
	require.NoError(t, http.Serve(listener, l.around(a.Handler)))
}

// around serves, and dies on one side of the answer to the first confirm.
func (l life) around(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/confirm") {
			next.ServeHTTP(w, r)
			return
		}
		if l.DieAt == beforeTheAnswer {
			w = mute{w}
		}
		next.ServeHTTP(w, r)
		_ = http.NewResponseController(w).Flush()
		die()
	})
}

// mute dies instead of answering.
type mute struct{ http.ResponseWriter }

func (mute) WriteHeader(int)           { die() }
func (mute) Write([]byte) (int, error) { die(); return 0, nil }

// die ends the process as kill -9 does.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		_ = self.Kill()
	}
	select {}
}

// run starts a server of its own. It ends with the test at the latest.
func (l life) run(t *testing.T) (server *exec.Cmd, base string) {
	t.Helper()
	told, err := json.Marshal(l)
	require.NoError(t, err)
	self, err := os.Executable()
	require.NoError(t, err)
	server = exec.CommandContext(t.Context(), self, "-test.run=^TestMortal$")
	server.Env, server.Stdin = append(os.Environ(), asMortal+"=1"), bytes.NewReader(told)
	out, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return server, strings.TrimSpace(line)
}

// SEC-28: a server that is killed on either side of its answer has carried the card out, and whoever serves next gives
// the outcome to the person, who is still signed in.
func TestAPR08KilledAroundTheAnswer(t *testing.T) {
	t.Parallel()
	for _, p := range places(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, p.cfg, 1)
			after := s.servers[0]
			l := life{DataDir: p.cfg.DataDir, Database: p.cfg.Database.Reveal(), Redis: p.cfg.Redis.Reveal()}
			for i, card := range s.cards(t, 6) {
				l.DieAt = []string{beforeTheAnswer, afterTheAnswer}[i%2]
				server, base := l.run(t)
				answered := clickOnce(t, base, after.client.Jar.(*cookiejar.Jar), card)
				require.Error(t, server.Wait())
				status, ok := server.ProcessState.Sys().(syscall.WaitStatus)
				require.True(t, ok && status.Signal() == syscall.SIGKILL, "%v", server.ProcessState)
				require.Equal(t, l.DieAt == afterTheAnswer, answered)
				require.Equal(t, doneOnce, s.done(t, card))
				again := s.click(t, 0, card, "confirm")
				require.Equal(t, []any{http.StatusOK, models.ProposalExecuted, false}, []any{again.http, again.status, again.first})
				require.Equal(t, doneOnce, s.done(t, card))
			}
		})
	}
}

// clickOnce confirms at a server that dies of it, and reports whether it had answered.
func clickOnce(t *testing.T, base string, cookies http.CookieJar, card *models.Proposal) bool {
	t.Helper()
	// A connection of its own: one that breaks before the answer would otherwise be tried again.
	client := &http.Client{Jar: cookies, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Post(base+"/api/proposals/"+card.ID+"/confirm", "application/json", strings.NewReader(`{"digest":"`+card.Digest+`"}`))
	if err != nil {
		return false
	}
	defer response.Body.Close()
	var answer struct{ Status models.ProposalStatus }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	require.Equal(t, models.ProposalExecuted, answer.Status)
	return true
}
