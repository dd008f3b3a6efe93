package conversations

import (
	"context"
	"time"

	"countersign/models"
	"countersign/store"
)

// Outage is a time in which every call to the model has failed, up to now.
type Outage struct {
	// Since is when the first of the calls began, Last the latest of them.
	Since time.Time
	Last  models.ModelCall
}

// Outage tells whether the latest call to the model since its configuration was saved failed in one of the ways named,
// which are error kinds of calls, and nil when it did not. It asks for no right: it is one state of the installation,
// with nobody's words in it.
func (l *Ledger) Outage(ctx context.Context, kinds []string) (outage *Outage, err error) {
	err = l.runner.View(ctx, func(r *store.Reader) error {
		config, err := r.AIConfig(ctx)
		if err != nil || config == nil {
			return err
		}
		first, last, err := r.FailingCalls(ctx, config.UpdatedAt, kinds)
		if last != nil {
			outage = &Outage{Since: first.StartedAt, Last: *last}
		}
		return err
	})
	return outage, err
}
