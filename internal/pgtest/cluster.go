package pgtest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// EnvURL names the variable that holds the administrator's URL of a cluster to use.
const EnvURL = "COUNTERSIGN_TEST_POSTGRES"

// ErrNoBinaries means that this machine has no PostgreSQL to start.
var ErrNoBinaries = errors.New("no PostgreSQL binaries (initdb, pg_ctl) found: install the package postgresql of your system")

// The shell outlives this process just long enough to clean up: its standard input ends when the process does,
// even if it is killed. The locale C would leave pg_trgm blind to Chinese, so it is C.UTF-8.
const supervisor = `
trap '' PIPE
"$bin/initdb" -D "$dir/data" -U app --auth=trust --no-sync --locale=C.UTF-8 -E UTF8 >"$dir/log" 2>&1 || exit 1
"$bin/pg_ctl" start -w -s -D "$dir/data" -l "$dir/log" -o "-k $dir -c listen_addresses= -c max_connections=300 \
  -c shared_buffers=64MB -c fsync=off -c synchronous_commit=off -c full_page_writes=off" >>"$dir/log" 2>&1 || exit 1
echo ready
read -r _
"$bin/pg_ctl" stop -s -m immediate -D "$dir/data" >/dev/null 2>&1
rm -rf "$dir"
`

// Cluster is a private PostgreSQL server with the superuser "app".
type Cluster struct {
	URL  string // of the administrator, in the database "postgres"
	cmd  *exec.Cmd
	life io.Closer
}

// Launch starts a cluster, which takes about a second. It fails with ErrNoBinaries where there is nothing to start.
func Launch() (*Cluster, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	owner, err := unprivileged()
	if err != nil {
		return nil, err
	}
	dir, err := ownedDir(owner)
	if err != nil {
		return nil, err
	}
	c, err := start(bin, dir, owner)
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("start PostgreSQL from %s: %w\n%s", bin, err, log)
	}
	return c, nil
}

func start(bin, dir string, owner *syscall.Credential) (*Cluster, error) {
	cmd := exec.Command("/bin/sh", "-c", supervisor)
	cmd.Env = append(os.Environ(), "bin="+bin, "dir="+dir)
	cmd.Dir = dir
	// A group of its own: Ctrl-C ends the tests, and the end of the tests ends the cluster.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: owner}
	life, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, errors.Join(errors.New("it did not become ready"), cmd.Wait())
	}
	return &Cluster{URL: "postgres://app@/postgres?host=" + dir, cmd: cmd, life: life}, nil
}

// Stop ends the cluster and removes its files.
func (c *Cluster) Stop() error {
	return errors.Join(c.life.Close(), c.cmd.Wait())
}

// binaries finds the folder with initdb and pg_ctl, the newest version first.
func binaries() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	var found []string
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/initdb", "/opt/homebrew/opt/postgresql@*/bin/initdb", "/usr/pgsql-*/bin/initdb"} {
		matches, _ := filepath.Glob(pattern)
		found = append(found, matches...)
	}
	if len(found) == 0 {
		return "", ErrNoBinaries
	}
	return filepath.Dir(slices.Max(found)), nil
}

// unprivileged gives the account to run the server under, nil for our own: PostgreSQL refuses to run as root.
func unprivileged() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("PostgreSQL does not run as root, and there is no account postgres: %w", err)
	}
	uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return nil, fmt.Errorf("account postgres: %w", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

func ownedDir(owner *syscall.Credential) (string, error) {
	// Not below TMPDIR: the path of a Unix socket has a limit of about a hundred bytes.
	dir, err := os.MkdirTemp("/tmp", "countersign-pg-")
	if err != nil || owner == nil {
		return dir, err
	}
	return dir, os.Chown(dir, int(owner.Uid), int(owner.Gid))
}
