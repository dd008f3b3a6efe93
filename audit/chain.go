package audit

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"log/slog"
	"strconv"
	"time"

	"countersign/models"
	"countersign/store"
)

// sealBatch bounds how many entries one transaction seals.
const sealBatch = 500

// Sealer chains audit entries: each gets a sequence number and a hash over itself and the hash before it.
type Sealer struct {
	runner   store.Runner
	interval time.Duration
}

// NewSealer returns a Sealer that looks for new entries at an interval.
func NewSealer(runner store.Runner, interval time.Duration) *Sealer {
	return &Sealer{runner: runner, interval: interval}
}

// Run seals until ctx ends, and once more then.
func (s *Sealer) Run(ctx context.Context) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			s.sealLogged(ctx)
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	s.sealLogged(last)
}

func (s *Sealer) sealLogged(ctx context.Context) {
	if err := s.Seal(ctx); err != nil && ctx.Err() == nil {
		slog.ErrorContext(ctx, "audit entries not sealed, the next round tries again", "error", err)
	}
}

// Seal chains all entries that are not chained yet.
func (s *Sealer) Seal(ctx context.Context) error {
	for {
		n, err := s.sealSome(ctx)
		if err != nil || n < sealBatch {
			return err
		}
	}
}

func (s *Sealer) sealSome(ctx context.Context) (n int, err error) {
	waiting := false
	err = s.runner.View(ctx, func(r *store.Reader) error {
		waiting, err = r.HasUnsealedAudit(ctx)
		return err
	})
	if err != nil || !waiting {
		return 0, err
	}
	err = s.runner.InTx(ctx, func(tx *store.Tx) error {
		tail, err := tx.AuditTail(ctx)
		if err != nil {
			return err
		}
		entries, err := tx.UnsealedAudit(ctx, sealBatch)
		if err != nil {
			return err
		}
		n = len(entries)
		return sealAll(ctx, tx, tail, entries)
	})
	return n, err
}

func sealAll(ctx context.Context, tx *store.Tx, tail *models.AuditEntry, entries []models.AuditEntry) error {
	seq, previous := int64(0), ""
	if tail != nil {
		seq, previous = *tail.Seq, tail.Hash
	}
	for i := range entries {
		e := &entries[i]
		seq++
		at := seq
		e.Seq, e.PrevHash = &at, previous
		e.Hash = Hash(*e)
		previous = e.Hash
		if err := tx.SealAudit(ctx, e); err != nil {
			return err
		}
	}
	return tx.SetMeta(ctx, headKey, head{seq, previous}.String())
}

// headKey is where the end of the chain is kept apart from it, so that entries cut off its end are missed.
const headKey = "audit_head"

// head is the end of the chain.
type head struct {
	seq  int64
	hash string
}

func (h head) String() string { return strconv.FormatInt(h.seq, 10) + " " + h.hash }

// Hash is the SHA-256, in hex, of an entry's content, its place and the hash before it. Every field goes
// in with its length, so that no two entries have the same bytes.
func Hash(e models.AuditEntry) string {
	h := sha256.New()
	actor, seq := "", ""
	if e.ActorID != nil {
		actor = *e.ActorID
	}
	if e.Seq != nil {
		seq = strconv.FormatInt(*e.Seq, 10)
	}
	for _, field := range []string{
		e.PrevHash, seq, e.ID, e.At.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano), actor, e.ActorName,
		string(e.Via), e.Model, e.Client, e.IP, e.UserAgent, e.RequestID, e.Action, string(e.TargetType), e.TargetID,
		string(e.Decision), e.Reason, string(e.Detail),
	} {
		writeField(h, field)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func writeField(h hash.Hash, s string) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(s)))
	h.Write(size[:])
	h.Write([]byte(s))
}

// Verify walks the whole chain and returns how many entries are in order. The error names the first entry
// that was changed, moved, removed or put in, or says that the end is missing.
func Verify(ctx context.Context, runner store.Runner) (int64, error) {
	v := &verifier{}
	// Read before the walk: the chain may grow meanwhile, but it never ends before this.
	err := runner.View(ctx, func(r *store.Reader) (err error) {
		v.wanted, err = r.Meta(ctx, headKey)
		return err
	})
	for more := true; more && err == nil; {
		err = runner.View(ctx, func(r *store.Reader) error {
			entries, err := r.SealedAudit(ctx, v.seq, sealBatch)
			more = len(entries) > 0
			return errors.Join(err, v.follow(entries))
		})
	}
	if err == nil && v.wanted != "" && !v.reached {
		err = fmt.Errorf("audit: the record is broken after entry %d: entries were removed from its end", v.seq)
	}
	return v.seq, err
}

// verifier follows the chain.
type verifier struct {
	head
	wanted  string
	reached bool
}

func (v *verifier) follow(entries []models.AuditEntry) error {
	for _, e := range entries {
		if *e.Seq != v.seq+1 || e.PrevHash != v.hash || e.Hash != Hash(e) {
			return fmt.Errorf("audit: the record is broken at entry %d (%s): it, or one before it, was changed or removed", v.seq+1, e.ID)
		}
		v.head = head{*e.Seq, e.Hash}
		v.reached = v.reached || v.String() == v.wanted
	}
	return nil
}
