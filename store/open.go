package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/libtnb/sqlite"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	modernc "modernc.org/sqlite"

	"countersign/jobs"
)

// Options says which database to open.
type Options struct {
	// URL is a postgres:// address. Empty means SQLite in Dir.
	URL string
	// Dir holds the SQLite file "countersign.db". It must exist.
	Dir string
	// Unsafe trades durability for speed; for tests only.
	Unsafe bool
	// Wrap is put around the driver, to listen to what is sent; nil for nothing.
	Wrap func(driver.Connector) driver.Connector `json:"-"`
}

// DB is the open database.
type DB struct {
	write, read *gorm.DB
	pools       []*sql.DB
	dialect     dialect
	office      censusOffice
	inserter    jobs.Inserter
}

// Open connects and checks the connection. It does not migrate.
func Open(ctx context.Context, o Options) (*DB, error) {
	open := openPostgres
	if o.URL == "" {
		open = openSQLite
	}
	db, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := db.Ping(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	for _, pool := range db.pools {
		if err := pool.PingContext(ctx); err != nil {
			return fmt.Errorf("store: %s does not answer: %w", db.dialect, err)
		}
	}
	return nil
}

// Close closes all connections.
func (db *DB) Close() error {
	var errs []error
	for _, pool := range db.pools {
		errs = append(errs, pool.Close())
	}
	return errors.Join(errs...)
}

// Dialect is "sqlite" or "postgres".
func (db *DB) Dialect() string { return string(db.dialect) }

// SQL is where transactions are written: for what works on the same connections, which nothing else may use.
func (db *DB) SQL() *sql.DB { return db.pools[0] }

// InUse is how many connections are busy at the moment; zero when nothing runs.
func (db *DB) InUse() int {
	n := 0
	for _, pool := range db.pools {
		n += pool.Stats().InUse
	}
	return n
}

// openSQLite opens one connection that writes, its transactions immediate, and a read-only pool beside it.
func openSQLite(ctx context.Context, o Options) (*DB, error) {
	file := filepath.Join(o.Dir, "countersign.db")
	synchronous := "FULL"
	if o.Unsafe {
		synchronous = "OFF"
	}
	common := url.Values{
		// Times are compared as texts, so all are written in one time zone.
		"_time_format": {"sqlite"}, "_timezone": {"UTC"}, "_texttotime": {"1"}, "_busy_timeout": {"5000"},
		"_pragma": {"journal_mode(WAL)", "foreign_keys(1)", "synchronous(" + synchronous + ")"},
	}
	if err := createPrivate(file); err != nil {
		return nil, err
	}
	// What a savepoint may undo is kept in memory: a file costs a tenth of the time.
	write, err := sqlitePool(o, file, common, 1, url.Values{"_txlock": {"immediate"}, "_pragma": {"temp_store(MEMORY)"}})
	if err != nil {
		return nil, err
	}
	// The first connection creates the file in WAL mode; readers cannot.
	if err := write.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("store: open %s: %w", file, err), write.Close())
	}
	read, err := sqlitePool(o, file, common, 2, url.Values{"_pragma": {"query_only(1)"}})
	if err != nil {
		return nil, errors.Join(err, write.Close())
	}
	db := &DB{pools: []*sql.DB{write, read}, dialect: dialectSQLite}
	if db.write, err = openGORM(sqlite.New(sqlite.Config{Conn: write})); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if db.read, err = openGORM(sqlite.New(sqlite.Config{Conn: read})); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (o Options) connect(c driver.Connector) *sql.DB {
	if o.Wrap != nil {
		c = o.Wrap(c)
	}
	return sql.OpenDB(c)
}

// createPrivate makes sure that the file exists and, if it is new, that its owner alone may read it. The files that SQLite
// puts beside it take over its mode.
func createPrivate(file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the administrator names the folder
	if err != nil {
		return fmt.Errorf("store: open %s: %w", file, err)
	}
	return f.Close()
}

func sqlitePool(o Options, file string, common url.Values, connections int, extra url.Values) (*sql.DB, error) {
	values := url.Values{}
	for _, set := range []url.Values{common, extra} {
		for k, v := range set {
			values[k] = append(values[k], v...)
		}
	}
	connector, err := modernc.NewConnector("file:" + (&url.URL{Path: file}).EscapedPath() + "?" + values.Encode())
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", file, err)
	}
	pool := o.connect(preparing{connector})
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool, nil
}

// postgresConnections bounds the pool of one replica.
const postgresConnections = 20

func openPostgres(_ context.Context, o Options) (*DB, error) {
	address, err := postgresURL(o.URL)
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, errors.New("store: DATABASE_URL is not a PostgreSQL address")
	}
	pool := o.connect(stdlib.GetConnector(*config, stdlib.OptionAfterConnect(readUTC)))
	pool.SetMaxOpenConns(postgresConnections)
	pool.SetMaxIdleConns(postgresConnections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db := &DB{pools: []*sql.DB{pool}, dialect: dialectPostgres}
	if db.write, err = openGORM(postgres.New(postgres.Config{Conn: pool})); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	db.read = db.write
	return db, nil
}

// readUTC makes a connection give times in UTC, as SQLite does, and not in the server's own time zone.
func readUTC(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

// postgresURL adds the settings that the product relies on.
func postgresURL(raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", errors.New("store: DATABASE_URL is not a PostgreSQL address")
	}
	q := u.Query()
	for k, v := range map[string]string{
		"timezone":          "UTC",
		"statement_timeout": "30000", "lock_timeout": "10000", "idle_in_transaction_session_timeout": "60000",
	} {
		if !q.Has(k) {
			q.Set(k, v)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

func openGORM(d gorm.Dialector) (*gorm.DB, error) {
	db, err := gorm.Open(d, &gorm.Config{
		Logger:                 logger.Discard,
		SkipDefaultTransaction: true,
		NowFunc:                func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) },
	})
	if err != nil {
		return nil, fmt.Errorf("store: connect to %s: %w", d.Name(), err)
	}
	return db, nil
}
