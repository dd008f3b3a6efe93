package workers_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/jobs"
	"countersign/store"
	"countersign/workers"
)

// errand is a job of these tests. Only its name makes it another one.
type errand struct {
	Name string `json:"name" river:"unique"`
	Note string `json:"note"`
}

func (errand) Kind() string { return "errand" }

// each runs a test on both databases, with the tables of jobs and a way to enqueue.
func each(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		require.NoError(t, workers.Migrate(t.Context(), db))
		hire(t, db)
		test(t, db)
	})
}

func hire(t *testing.T, db *store.DB) {
	t.Helper()
	inserter, err := workers.NewInserter(db)
	require.NoError(t, err)
	db.EnqueueThrough(inserter)
}

func enqueue(t *testing.T, db *store.DB, args ...jobs.Args) {
	t.Helper()
	require.NoError(t, db.InTx(t.Context(), func(tx *store.Tx) error {
		for _, a := range args {
			if err := tx.Enqueue(t.Context(), a); err != nil {
				return err
			}
		}
		return nil
	}))
}

// crew is the staff of one replica.
type crew struct {
	*workers.Workers
	done chan string
}

// start has errands run, and gives their names as they are done.
func start(t *testing.T, db *store.DB, run func(context.Context, errand) error) *crew {
	t.Helper()
	c := &crew{done: make(chan string, 100)}
	var err error
	c.Workers, err = workers.New(workers.Options{DB: db, Jobs: []workers.Job{
		workers.On(10*time.Second, func(ctx context.Context, e errand) error {
			err := run(ctx, e)
			c.done <- e.Name
			return err
		}),
	}})
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context()))
	t.Cleanup(func() { require.NoError(t, c.Stop(context.Background())) })
	return c
}

// next is the name of the errand that is done next.
func (c *crew) next(t *testing.T) string {
	t.Helper()
	select {
	case name := <-c.done:
		return name
	case <-time.After(20 * time.Second):
		require.FailNow(t, "no job was done")
		return ""
	}
}

func fine(context.Context, errand) error { return nil }

// state waits until a job has a state that River ends it in.
func state(t *testing.T, db *store.DB, kind string, want string) {
	t.Helper()
	raw := dbtest.Raw(t, db)
	require.Eventually(t, func() bool {
		var got string
		require.NoError(t, raw.QueryRowContext(t.Context(), `SELECT CAST(state AS text) FROM river_job WHERE kind = $1`, kind).Scan(&got))
		return got == want
	}, 20*time.Second, 10*time.Millisecond)
}

func count(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	require.NoError(t, dbtest.Raw(t, db).QueryRowContext(t.Context(), `SELECT COUNT(*) FROM river_job`).Scan(&n))
	return n
}

func TestAJobComesAndGoesWithItsTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		undone := errors.New("undone")
		require.ErrorIs(t, db.InTx(t.Context(), func(tx *store.Tx) error {
			require.NoError(t, tx.Enqueue(t.Context(), errand{Name: "never"}))
			return undone
		}), undone)
		require.NoError(t, db.InTx(t.Context(), func(tx *store.Tx) error {
			require.ErrorIs(t, tx.InTx(t.Context(), func(inner *store.Tx) error {
				require.NoError(t, inner.Enqueue(t.Context(), errand{Name: "nor this"}))
				return undone
			}), undone)
			return tx.Enqueue(t.Context(), errand{Name: "this"})
		}))
		require.Equal(t, 1, count(t, db))
		require.Equal(t, "this", start(t, db, fine).next(t))
	})
}

func TestAJobIsEnqueuedOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		enqueue(t, db, errand{Name: "one"}, errand{Name: "one", Note: "again"}, errand{Name: "two"})
		enqueue(t, db, errand{Name: "two"})
		require.Equal(t, 2, count(t, db))

		c := start(t, db, func(_ context.Context, e errand) error { return jobs.Hopeless(errors.New(e.Name)) })
		require.ElementsMatch(t, []string{"one", "two"}, []string{c.next(t), c.next(t)})
		require.NoError(t, c.Stop(t.Context()))
		enqueue(t, db, errand{Name: "one"}, errand{Name: "two"})
		require.Equal(t, 2, count(t, db), "also when it is over, however it ended")
	})
}

func TestWithoutAnInserterNothingIsLostSilently(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		err := db.InTx(t.Context(), func(tx *store.Tx) error { return tx.Enqueue(t.Context(), errand{Name: "one"}) })
		require.ErrorContains(t, err, "the job errand cannot be enqueued")
	})
}

func TestAJobOutlivesTheProcessThatEnqueuedIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		first := start(t, db, fine)
		require.NoError(t, first.Stop(t.Context()))
		enqueue(t, db, errand{Name: "left over"})
		require.Equal(t, "left over", start(t, dbtest.Again(t, db), fine).next(t))
	})
}

// Stopping begins nothing new, lets what runs end, and then has it cancelled; that is tried again.
func TestStoppingWaitsForWhatRuns(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		began, end := make(chan struct{}), make(chan struct{})
		c := start(t, db, func(context.Context, errand) error {
			close(began)
			<-end
			return nil
		})
		enqueue(t, db, errand{Name: "slow"})
		<-began
		stopped := make(chan error)
		go func() { stopped <- c.Stop(context.Background()) }()
		select {
		case <-stopped:
			require.FailNow(t, "it did not wait")
		case <-time.After(50 * time.Millisecond):
		}
		enqueue(t, db, errand{Name: "too late"})
		close(end)
		require.NoError(t, <-stopped)
		require.Equal(t, "slow", c.next(t))
		require.Empty(t, c.done)
		require.Equal(t, "too late", start(t, db, fine).next(t))
	})
}

func TestStoppingCancelsWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		began := make(chan struct{}, 10)
		c := start(t, db, func(ctx context.Context, _ errand) error {
			began <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		})
		enqueue(t, db, errand{Name: "endless"})
		<-began
		over, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, c.Stop(over))
		require.Equal(t, "endless", c.next(t))
		require.Equal(t, "endless", start(t, db, fine).next(t), "somebody else does it")
	})
}

func TestAPanicIsItsJobsErrorAndIsTriedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		var once sync.Once
		c := start(t, db, func(context.Context, errand) error {
			once.Do(func() { panic("the secret of a customer") })
			return nil
		})
		enqueue(t, db, errand{Name: "jumpy"})
		require.Equal(t, "jumpy", c.next(t))
		state(t, db, "errand", "completed")
		var kept string
		require.NoError(t, dbtest.Raw(t, db).QueryRowContext(t.Context(), `SELECT CAST(errors AS text) FROM river_job`).Scan(&kept))
		require.NotContains(t, kept, "secret", "what is kept of a failure holds no text")
	})
}

func TestHopelessIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		start(t, db, func(context.Context, errand) error { return jobs.Hopeless(errors.New("gone")) })
		enqueue(t, db, errand{Name: "lost"})
		state(t, db, "errand", "cancelled")
	})
}

func TestTwoReplicasDoEachJobOnce(t *testing.T) {
	t.Parallel()
	db := dbtest.Open(t, "postgres")
	require.NoError(t, workers.Migrate(t.Context(), db))
	hire(t, db)
	var mu sync.Mutex
	times := map[string]int{}
	run := func(_ context.Context, e errand) error {
		mu.Lock()
		defer mu.Unlock()
		times[e.Name]++
		return nil
	}
	replicas := []*crew{start(t, db, run), start(t, dbtest.Again(t, db), run)}
	const n = 40
	for i := range n {
		enqueue(t, db, errand{Name: string(rune('A' + i))})
	}
	raw := dbtest.Raw(t, db)
	require.Eventually(t, func() bool {
		var done int
		require.NoError(t, raw.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM river_job WHERE state = 'completed'`).Scan(&done))
		return done == n
	}, 30*time.Second, 20*time.Millisecond)
	for _, r := range replicas {
		require.NoError(t, r.Stop(t.Context()))
	}
	require.Len(t, times, n)
	for name, done := range times {
		require.Equal(t, 1, done, name)
	}
}

func TestReplicasMigrateJobsAtOnce(t *testing.T) {
	t.Parallel()
	db := dbtest.Empty(t, "postgres")
	done := make(chan error)
	for range 3 {
		replica := dbtest.Again(t, db)
		go func() { done <- workers.Migrate(t.Context(), replica) }()
	}
	for range 3 {
		require.NoError(t, <-done)
	}
	require.Zero(t, count(t, db))
}

func TestAChoreComesUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		rounds := make(chan struct{}, 100)
		staff, err := workers.New(workers.Options{DB: db, Chores: []workers.Chore{{Name: "sweep", Every: time.Second, Run: func(context.Context) error {
			rounds <- struct{}{}
			return errors.New("no broom")
		}}}})
		require.NoError(t, err)
		require.NoError(t, staff.Start(t.Context()))
		t.Cleanup(func() { require.NoError(t, staff.Stop(context.Background())) })
		for range 2 { // a failed round does not keep the next one from coming
			<-rounds
		}
	})
}

// A job that waits for a model holds no connection: SQLite has one for all writers.
func TestARunningJobHoldsNoConnection(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *store.DB) {
		began, end := make(chan struct{}), make(chan struct{})
		c := start(t, db, func(context.Context, errand) error {
			close(began)
			<-end
			return nil
		})
		enqueue(t, db, errand{Name: "waits"})
		<-began
		for i := range 20 {
			enqueue(t, db, errand{Name: string(rune('a' + i)), Note: "written meanwhile"})
		}
		close(end)
		require.Equal(t, "waits", c.next(t))
	})
}
