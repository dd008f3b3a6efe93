package store

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"countersign/models"
)

const (
	// censusSize is how many names a census looks at.
	censusSize = 10_000
	// censusAge is how long a census is good for. A wrong one makes searches slower, never their answers wrong.
	censusAge = 10 * time.Minute
)

// census is a sample of the names, from which it knows how many there are and how many hold a gram or a text.
type census struct {
	taken time.Time
	// weight is how many names one of the sample stands for.
	weight float64
	keys   map[models.RecordType][]string
	grams  map[string]int
}

// named estimates how many names records of a kind have, at least one.
func (c *census) named(kind models.RecordType) float64 {
	return max(1, float64(len(c.keys[kind]))*c.weight)
}

// containing estimates how many names of a kind contain a text.
func (c *census) containing(kind models.RecordType, text string) float64 {
	n := 0.0
	for _, key := range c.keys[kind] {
		if strings.Contains(key, text) {
			n++
		}
	}
	return max(n, 0.5) * c.weight
}

// holding estimates how many names hold a gram. One that the sample has not shows less than one of it.
func (c *census) holding(gram string) float64 {
	return max(float64(c.grams[gram])*c.weight, c.weight/2)
}

// censusOffice keeps the latest census of a database.
type censusOffice struct {
	mu     sync.Mutex
	latest *census
	taking bool
}

// census returns the latest census and takes a new one when it is old. Only the first to come takes it, the others
// go on with the one before.
func (r *Reader) census(ctx context.Context) (*census, error) {
	latest, due := r.office.due()
	if !due {
		return latest, nil
	}
	taken, err := r.takeCensus(ctx)
	r.office.done(taken)
	return taken, err
}

func (o *censusOffice) due() (*census, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.taking && o.latest == nil {
		return &census{weight: 1}, false
	}
	if o.taking || o.latest != nil && time.Since(o.latest.taken) < censusAge {
		return o.latest, false
	}
	o.taking = true
	return nil, true
}

// done ends the taking of a census, which has failed where it is nil.
func (o *censusOffice) done(taken *census) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.taking = false
	if taken != nil {
		o.latest = taken
	}
}

func (r *Reader) takeCensus(ctx context.Context) (*census, error) {
	var bounds struct{ First, Last int64 }
	err := r.q.WithContext(ctx).Raw("SELECT COALESCE((SELECT MIN(id) FROM record_names), 1) AS first, COALESCE((SELECT MAX(id) FROM record_names), 0) AS last").
		Scan(&bounds).Error
	if err != nil {
		return nil, translate(err)
	}
	c := &census{taken: time.Now(), weight: 1, keys: map[models.RecordType][]string{}, grams: map[string]int{}}
	span := bounds.Last - bounds.First + 1
	if span <= censusSize {
		return c, r.ask(ctx, c, "id >= ?", bounds.First)
	}
	c.weight = float64(span) / censusSize
	for range censusSize / 1000 {
		ids := make([]int64, 1000)
		for i := range ids {
			ids[i] = bounds.First + rand.Int64N(span) //nolint:gosec // a sample needs no secrecy
		}
		if err := r.ask(ctx, c, "id IN ?", ids); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// ask counts the names that a condition selects.
func (r *Reader) ask(ctx context.Context, c *census, condition string, value any) error {
	var names []struct {
		Kind    models.RecordType
		NameKey string
		Grams   string
	}
	if err := r.q.WithContext(ctx).Table("record_names").Select("kind, name_key, grams").Where(condition, value).Scan(&names).Error; err != nil {
		return translate(err)
	}
	for _, name := range names {
		c.keys[name.Kind] = append(c.keys[name.Kind], name.NameKey)
		for gram := range strings.SplitSeq(name.Grams, " ") {
			c.grams[gram]++
		}
	}
	return nil
}
