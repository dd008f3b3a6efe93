package seed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/internal/dbtest"
	"countersign/seed"
)

// BenchmarkDemo makes the demo data in a fresh database.
func BenchmarkDemo(b *testing.B) {
	benchLoad(b, func(b *testing.B, o seed.Options) { _, err := seed.Demo(b.Context(), o); require.NoError(b, err) })
}

// BenchmarkMaven imports the real data set into a fresh database.
func BenchmarkMaven(b *testing.B) {
	dir := mavenDir(b)
	benchLoad(b, func(b *testing.B, o seed.Options) {
		o.Dir, o.Password = dir, "a first password"
		_, err := seed.Maven(b.Context(), o)
		require.NoError(b, err)
	})
}

func benchLoad(b *testing.B, load func(*testing.B, seed.Options)) {
	for _, dialect := range dbtest.Dialects {
		b.Run(dialect, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				o := newSystem(b, dbtest.Open(b, dialect)).Options
				b.StartTimer()
				load(b, o)
			}
		})
	}
}
