package redistest_test

import (
	"bufio"
	"net"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/redistest"
)

func TestMain(m *testing.M) { os.Exit(redistest.Main(m).Run()) }

// ask signs in at the address, selects its database and gives the first line of the answer to one command.
func ask(t *testing.T, address, command string) (string, error) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	conn, err := net.DialTimeout("tcp", u.Host, time.Second)
	if err != nil {
		return "", err
	}
	defer func() { require.NoError(t, conn.Close()) }()
	require.NoError(t, conn.SetDeadline(time.Now().Add(300*time.Millisecond)))
	password, _ := u.User.Password()
	_, err = conn.Write([]byte("AUTH " + password + "\r\nSELECT " + strings.TrimPrefix(u.Path, "/") + "\r\n" + command + "\r\n"))
	require.NoError(t, err)
	var line string
	for r, n := bufio.NewReader(conn), 0; n < 3 && err == nil; n++ {
		line, err = r.ReadString('\n')
	}
	return strings.TrimSpace(line), err
}

func TestEachTestHasItsOwnEmptyDatabase(t *testing.T) {
	t.Parallel()
	one, two := redistest.Start(t), redistest.Start(t)
	require.NotEqual(t, one, two)
	answer, err := ask(t, one, "SET name value")
	require.NoError(t, err)
	require.Equal(t, "+OK", answer)
	answer, err = ask(t, two, "DBSIZE")
	require.NoError(t, err)
	require.Equal(t, ":0", answer)
}

func TestADatabaseIsEmptiedWhenItsTestEnds(t *testing.T) {
	t.Parallel()
	var address string
	t.Run("writes", func(t *testing.T) {
		address = redistest.Start(t)
		_, err := ask(t, address, "SET left-behind value")
		require.NoError(t, err)
	})
	answer, err := ask(t, address, "EXISTS left-behind")
	require.NoError(t, err)
	require.Equal(t, ":0", answer)
}

func TestServerIsPausedKilledAndRestarted(t *testing.T) {
	t.Parallel()
	server := redistest.New(t)
	ping := func() error {
		_, err := ask(t, server.URL(), "PING")
		return err
	}
	require.NoError(t, ping())
	server.Pause(t)
	require.Error(t, ping())
	server.Resume(t)
	require.NoError(t, ping())
	server.Kill()
	require.Error(t, ping())
	server.Restart(t)
	require.NoError(t, ping())
}

func TestAMissingServerSkipsAndFailsInCI(t *testing.T) {
	t.Parallel()
	for ci, want := range map[string]string{"": "--- SKIP", "true": "--- FAIL"} {
		self := exec.Command(os.Args[0], "-test.v", "-test.run=^TestEachTestHasItsOwnEmptyDatabase$")
		self.Env = []string{"PATH=", "CI=" + ci}
		output, err := self.CombinedOutput()
		require.Equal(t, ci == "true", err != nil, "%s", output)
		require.Contains(t, string(output), want)
		require.Contains(t, string(output), "apt-get install redis-server")
	}
}
