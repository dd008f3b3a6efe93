package store

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"countersign/migrations"
)

// Migrate brings the schema to the version of this binary. Replicas that start together take turns.
// A database of a newer binary is refused.
func (db *DB) Migrate(ctx context.Context) error {
	provider, err := db.migrator()
	if err != nil {
		return err
	}
	if err := refuseNewer(ctx, provider); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("store: migrate: %w", err)
	}
	return nil
}

// SchemaVersion is the version that the database is at, and the one that this binary wants.
func (db *DB) SchemaVersion(ctx context.Context) (current, wanted int64, err error) {
	provider, err := db.migrator()
	if err != nil {
		return 0, 0, err
	}
	return provider.GetVersions(ctx)
}

func (db *DB) migrator() (*goose.Provider, error) {
	dialect, options := goose.DialectSQLite3, []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if db.dialect == dialectPostgres {
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, fmt.Errorf("store: migration lock: %w", err)
		}
		dialect, options = goose.DialectPostgres, append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(dialect, db.pools[0], migrations.For(string(db.dialect)), options...)
	if err != nil {
		return nil, fmt.Errorf("store: migrations: %w", err)
	}
	return provider, nil
}

func refuseNewer(ctx context.Context, provider *goose.Provider) error {
	current, wanted, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("store: read schema version: %w", err)
	}
	if current > wanted {
		return fmt.Errorf("store: the database has schema version %d, this binary knows %d: start the newer binary, or restore a backup made before the upgrade", current, wanted)
	}
	return nil
}
