package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

var shared = sync.OnceValues(Launch)

// Start gives the administrator's URL of the cluster of this process and starts it at the first call.
// Without PostgreSQL on the machine the test is skipped, or fails where CI=true.
func Start(t testing.TB) (adminURL string) {
	t.Helper()
	if u := os.Getenv(EnvURL); u != "" {
		return u
	}
	cluster, err := shared()
	if errors.Is(err, ErrNoBinaries) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return cluster.URL
}

// NewDatabase makes a database for one test, as a copy of template where that is not "", and drops it at the end.
func NewDatabase(t testing.TB, template string) (databaseURL string) {
	t.Helper()
	admin := Start(t)
	name := "t_" + strings.ToLower(rand.Text())
	statement := "CREATE DATABASE " + quote(name)
	if template != "" {
		statement += " TEMPLATE " + quote(template)
	}
	run(t, admin, statement)
	t.Cleanup(func() { run(t, admin, "DROP DATABASE "+quote(name)+" WITH (FORCE)") })
	return withDatabase(t, admin, name)
}

// Template makes sure that the cluster has the database name, for NewDatabase to copy, and calls build to fill it
// when it has not. However many processes ask for it at once, it is built once. The name must say what is in it,
// for instance with a hash, since a cluster may outlive the code. build must close its connections.
func Template(t testing.TB, name string, build func(databaseURL string) error) {
	t.Helper()
	admin := Start(t)
	conn := connect(t, admin)
	defer conn.Close(context.Background()) // it also frees the lock
	if err := ensureTemplate(t, conn, name, func(draft string) error { return build(withDatabase(t, admin, draft)) }); err != nil {
		t.Fatalf("make the template database %s: %v", name, err)
	}
}

func ensureTemplate(t testing.TB, conn *pgx.Conn, name string, build func(draft string) error) error {
	ctx := t.Context()
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtext($1))", name); err != nil {
		return err
	}
	var exists bool
	err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists)
	if err != nil || exists {
		return err
	}
	draft := name + "_draft" // a half-built one must never be taken for the template
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + quote(draft), "CREATE DATABASE " + quote(draft)} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if err := build(draft); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "ALTER DATABASE "+quote(draft)+" RENAME TO "+quote(name))
	return err
}

func run(t testing.TB, adminURL, statement string) {
	t.Helper()
	conn := connect(t, adminURL)
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func connect(t testing.TB, adminURL string) *pgx.Conn {
	t.Helper()
	// Clean-up runs when the context of the test is over, hence not t.Context.
	conn, err := pgx.Connect(context.Background(), adminURL)
	if err != nil {
		t.Fatal(fmt.Errorf("connect to the PostgreSQL of the tests: %w", err))
	}
	return conn
}

func withDatabase(t testing.TB, adminURL, name string) string {
	t.Helper()
	u, err := url.Parse(adminURL)
	if err != nil {
		t.Fatalf("%s is not a URL: %v", EnvURL, err)
	}
	u.Path = "/" + name
	return u.String()
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
