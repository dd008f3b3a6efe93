package app

import (
	"context"
	"errors"
	"fmt"
	"os"

	"countersign/accounts"
	"countersign/apperr"
	"countersign/audit"
	"countersign/config"
	"countersign/store"
	"countersign/workers"
)

// What the console commands do beyond serving. The person at the server's console is the operator: they
// need no account.

// NewUser is a user that the operator adds.
type NewUser struct{ Email, Name, Password, Role, Lang string }

// AddUser adds a user and returns the e-mail address in the form in which it is kept.
func (a *App) AddUser(ctx context.Context, u NewUser) (email string, err error) {
	user, err := a.Accounts.CreateUser(ctx, accounts.UserInput{Email: u.Email, Name: u.Name, Password: u.Password, Role: u.Role, Lang: u.Lang})
	return user.Email, err
}

// VerifyAudit proves the record whole and returns how many sealed entries it holds. Entries that the
// server has not sealed yet are sealed first.
func (a *App) VerifyAudit(ctx context.Context) (int64, error) {
	if err := audit.NewSealer(a.DB, sealInterval).Seal(ctx); err != nil {
		return 0, err
	}
	return audit.Verify(ctx, a.DB)
}

// Migrate brings the schema of the configured database up to date.
func Migrate(ctx context.Context, cfg config.Config) error {
	return withDatabase(ctx, cfg, func(db *store.DB) error { return migrate(ctx, db) })
}

// migrate brings the product's own tables up to date, then those of the jobs.
func migrate(ctx context.Context, db *store.DB) error {
	if err := db.Migrate(ctx); err != nil {
		return err
	}
	return workers.Migrate(ctx, db)
}

// SchemaStatus says in a line at which version the configured database is.
func SchemaStatus(ctx context.Context, cfg config.Config) (line string, err error) {
	err = withDatabase(ctx, cfg, func(db *store.DB) error {
		current, wanted, err := db.SchemaVersion(ctx)
		line = fmt.Sprintf("%s: schema version %d, this binary wants %d", db.Dialect(), current, wanted)
		return err
	})
	return line, err
}

// withDatabase opens the database as it is.
func withDatabase(ctx context.Context, cfg config.Config, work func(*store.DB) error) error {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return fmt.Errorf("the data dir %s cannot be made: %w", cfg.DataDir, err)
	}
	db, err := store.Open(ctx, store.Options{URL: cfg.Database.Reveal(), Dir: cfg.DataDir})
	if err != nil {
		return err
	}
	return errors.Join(work(db), db.Close())
}

// Sentence is an error for the operator, who unlike other people also sees causes.
func Sentence(err error) string {
	var service *apperr.Error
	if errors.As(err, &service) && service.Kind != apperr.Internal {
		return service.Message
	}
	return err.Error()
}
