package store

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"countersign/apperr"
)

const (
	// CodeDuplicate is the code of a Conflict with a unique key.
	CodeDuplicate = "DUPLICATE"
	// CodeBusy is the code of a database that is busy or away: the same may succeed in a moment.
	CodeBusy = "DATABASE_BUSY"
)

var (
	errDuplicate = apperr.New(apperr.Conflict, CodeDuplicate, "A record with the same unique value exists already.")
	errStale     = apperr.New(apperr.Stale, "STALE", "Somebody changed this record in the meantime. Look at it again, then repeat your change.")
	errReference = apperr.New(apperr.Invalid, "UNKNOWN_REFERENCE", "The request refers to a record that does not exist.")
	errText      = apperr.New(apperr.Invalid, "INVALID_TEXT", "The request holds a character that cannot be stored. Remove it and try again.")
	errTooLong   = apperr.New(apperr.Invalid, "TOO_LONG", "A name or code in the request is too long to be found again. Shorten it.")
	errBusy      = apperr.New(apperr.Unavailable, CodeBusy, "The database is busy right now. Try again in a moment.")
	errReadOnly  = apperr.New(apperr.Unavailable, "DATABASE_READ_ONLY", "The database takes no changes right now. Try again in a moment.")
)

// translate turns a driver's error into a service error; others pass, with their cause kept from people
// by package apperr.
func translate(err error) error {
	var service *apperr.Error
	if err == nil || errors.As(err, &service) {
		return err
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errBusy.WithCause(err)
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return translateCode(err, postgresErrors[pg.Code])
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return translateCode(err, sqliteErrors[lite.Code()])
	}
	return fmt.Errorf("store: %w", err)
}

// postgresErrors are the SQLSTATEs that mean something to a person.
var postgresErrors = map[string]*apperr.Error{
	"23505": errDuplicate, "23503": errReference, "25006": errReadOnly,
	"22021": errText,                                     // a NUL or a byte that is not UTF-8
	"54000": errTooLong,                                  // more than an index takes, some 2,700 bytes
	"57014": errBusy,                                     // statement time-out
	"55P03": errBusy, "40001": errBusy, "40P01": errBusy, // lock time-out, serialization, deadlock
	"53300": errBusy, "57P01": errBusy, "57P03": errBusy, // too many connections, shutting down, starting up
}

// sqliteErrors are the result codes that mean something to a person.
var sqliteErrors = map[int]*apperr.Error{
	sqlitelib.SQLITE_CONSTRAINT_UNIQUE: errDuplicate, sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY: errDuplicate,
	sqlitelib.SQLITE_CONSTRAINT_FOREIGNKEY: errReference, sqlitelib.SQLITE_FULL: errReadOnly,
	sqlitelib.SQLITE_BUSY: errBusy, sqlitelib.SQLITE_BUSY_SNAPSHOT: errBusy, sqlitelib.SQLITE_LOCKED: errBusy,
}

func translateCode(err error, known *apperr.Error) error {
	if known == nil {
		return fmt.Errorf("store: %w", err)
	}
	return known.WithCause(err)
}

// mustFind turns a row that was not found into the NotFound of what.
func mustFind[T any](row *T, err error, what string) (*T, error) {
	if err == nil && row == nil {
		return nil, apperr.NotFoundf(what)
	}
	return row, err
}

// notFound turns GORM's missing row into the NotFound of what, and passes other errors.
func notFound(err error, what string) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return apperr.NotFoundf(what)
	}
	return err
}
