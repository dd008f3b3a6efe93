package redistest

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	startTimeout = 10 * time.Second
	dialTimeout  = time.Second
	tries        = 3 // somebody may take the free port between finding and using it
)

// Server is one private redis-server. Its methods are for one goroutine at a time.
type Server struct {
	binary, dir, password string
	port                  int
	process               *os.Process
	exited                chan struct{} // closed when process has ended
}

// URL is the address of database 0. It stays the same over [Server.Restart].
func (s *Server) URL() string { return s.url(0) }

// Kill ends the server at once. Connections break and new ones are refused.
func (s *Server) Kill() {
	_ = s.process.Kill() // it may have ended already
	<-s.exited
}

// Pause stops the server from answering: the kernel still accepts connections and bytes.
func (s *Server) Pause(tb testing.TB) { s.signal(tb, syscall.SIGSTOP) }

// Resume lets a paused server go on.
func (s *Server) Resume(tb testing.TB) { s.signal(tb, syscall.SIGCONT) }

// Restart starts a killed server again, empty and under the same URL.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	if err := s.start(); err != nil {
		tb.Fatalf("redistest: %v", err)
	}
}

func (s *Server) signal(tb testing.TB, sig syscall.Signal) {
	tb.Helper()
	if err := s.process.Signal(sig); err != nil {
		tb.Fatalf("redistest: sending %v: %v", sig, err)
	}
}

func (s *Server) url(db int) string {
	return fmt.Sprintf("redis://:%s@%s/%d", s.password, s.addr(), db)
}

func (s *Server) addr() string { return net.JoinHostPort("127.0.0.1", itoa(s.port)) }

func (s *Server) close() {
	s.Kill()
	_ = os.RemoveAll(s.dir)
}

func launch(binary string) (*Server, error) {
	dir, err := os.MkdirTemp("", "redistest-")
	if err != nil {
		return nil, err
	}
	// The password also proves that it is our server that answers on the port.
	s := &Server{binary: binary, dir: dir, password: rand.Text()}
	for range tries {
		if s.port, err = freePort(); err != nil {
			break
		}
		if err = s.start(); err == nil {
			return s, nil
		}
	}
	_ = os.RemoveAll(dir)
	return nil, err
}

// start runs the server on s.port and waits until it answers.
func (s *Server) start() error {
	logFile := filepath.Join(s.dir, "redis.log")
	cmd := exec.Command(s.binary,
		"--bind", "127.0.0.1", "--port", itoa(s.port), "--requirepass", s.password,
		"--databases", itoa(databases), "--save", "", "--appendonly", "no",
		"--dir", s.dir, "--logfile", logFile, "--daemonize", "no")
	cmd.SysProcAttr = diesWithParent()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", s.binary, err)
	}
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		_ = cmd.Wait() // killed, or ended by itself: the log says why
	}()
	s.process, s.exited = cmd.Process, exited
	if err := s.awaitReady(); err != nil {
		s.Kill()
		text, _ := os.ReadFile(logFile)
		return fmt.Errorf("redis-server did not come up: %w\n%s", err, text)
	}
	return nil
}

func (s *Server) awaitReady() error {
	deadline := time.After(startTimeout)
	retry := time.NewTicker(2 * time.Millisecond)
	defer retry.Stop()
	for {
		err := s.command("PING")
		if err == nil {
			return nil
		}
		select {
		case <-s.exited:
			return errors.New("it ended at once")
		case <-deadline:
			return err
		case <-retry.C:
		}
	}
}

// command signs in and sends each line, a command that is answered with a simple string such as +OK.
func (s *Server) command(lines ...string) error {
	conn, err := net.DialTimeout("tcp", s.addr(), dialTimeout)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(dialTimeout)); err != nil {
		return err
	}
	lines = append([]string{"AUTH " + s.password}, lines...)
	if _, err := conn.Write([]byte(strings.Join(lines, "\r\n") + "\r\n")); err != nil {
		return err
	}
	return readReplies(bufio.NewReader(conn), len(lines))
}

func readReplies(from *bufio.Reader, n int) error {
	for range n {
		reply, err := from.ReadString('\n')
		if err != nil {
			return err
		}
		if !strings.HasPrefix(reply, "+") {
			return errors.New(strings.TrimSpace(reply))
		}
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
