package app

import (
	"context"

	"countersign/seed"
)

// SeedDemo loads the demo data, once.
func (a *App) SeedDemo(ctx context.Context) error {
	_, err := seed.Demo(ctx, a.seedOptions())
	return err
}

// ImportMaven loads the Maven data set from a folder and says in lines what it added. password is the first
// password of everybody it adds; without one they cannot sign in until one is set.
func (a *App) ImportMaven(ctx context.Context, dir, password string) (summary string, err error) {
	o := a.seedOptions()
	o.Dir, o.Password = dir, password
	report, err := seed.Maven(ctx, o)
	return report.String(), err
}

func (a *App) seedOptions() seed.Options {
	return seed.Options{Runner: a.DB, Gate: a.Gate, Accounts: a.Accounts, Now: Now}
}
