package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// server is the running product.
type server struct {
	cmd           *exec.Cmd
	base, version string
	client        *http.Client
}

// start runs the product with demo data, which brings an administrator and a key to seal the configuration with.
func start(ctx context.Context, binary string, env []string) (*server, error) {
	path, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, "serve", "--demo") //nolint:gosec // whoever measures names the binary
	cmd.Env = env
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w; build it with: make build", err)
	}
	s := &server{cmd: cmd, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if name, address, ok := strings.Cut(lines.Text(), " is ready at "); ok {
			s.base, s.version = address, strings.TrimPrefix(name, "Countersign ")
			return s, nil
		}
	}
	return nil, errors.Join(errors.New("the product did not start"), cmd.Wait())
}

func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}
