package workers

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"countersign/store"
)

// Migrate brings River's own tables to the version of this binary. Replicas that start together take turns.
func Migrate(ctx context.Context, db *store.DB) error {
	migrator, err := rivermigrate.New(driverOf(db), &rivermigrate.Config{Logger: logger()})
	if err != nil {
		return fmt.Errorf("workers: migrations: %w", err)
	}
	if current, err := isCurrent(ctx, migrator); err != nil || current {
		return err
	}
	return db.Exclusively(ctx, "river-schema", func() error {
		if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return fmt.Errorf("workers: migrate: %w", err)
		}
		return nil
	})
}

// isCurrent reports whether nothing is to be done, which is so at nearly every start.
func isCurrent(ctx context.Context, migrator *rivermigrate.Migrator[*sql.Tx]) (bool, error) {
	existing, err := migrator.ExistingVersions(ctx)
	if err != nil {
		return false, fmt.Errorf("workers: read the version of the jobs' tables: %w", err)
	}
	return len(existing) >= len(migrator.AllVersions()), nil
}

// driverOf lets River work on the connections of db.
func driverOf(db *store.DB) riverdriver.Driver[*sql.Tx] {
	if db.Dialect() == "postgres" {
		return riverdatabasesql.New(db.SQL())
	}
	return riversqlite.New(db.SQL())
}
