package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"countersign/app"
)

func newServe() *cobra.Command {
	var demo bool
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the web UI and the API",
		Example: "  countersign serve --demo\n  DATABASE_URL=postgres://… REDIS_URL=redis://… countersign serve",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withApp(cmd, demo, func(ctx context.Context, a *app.App) error { return serve(ctx, cmd.OutOrStdout(), a) })
		},
	}
	cmd.Flags().BoolVar(&demo, "demo", false, "with demo data and demo accounts, on a loopback address only")
	return cmd
}

func serve(ctx context.Context, out io.Writer, a *app.App) error {
	if a.Config.Demo {
		if err := a.SeedDemo(ctx); err != nil {
			return err
		}
	}
	token, needed, err := a.Accounts.EnsureSetupToken(ctx)
	if err != nil {
		return err
	}
	return a.Serve(ctx, func(address string) {
		base := a.Config.BaseURL(address)
		fmt.Fprintf(out, "\nCountersign %s is ready at %s\n", version, base)
		if a.Config.Demo {
			fmt.Fprint(out, demoNotice)
		}
		if needed {
			fmt.Fprintf(out, "\nMake the first administrator at %s/setup with this one-time token:\n\n  %s\n", base, token)
		}
		fmt.Fprintln(out)
	})
}

const demoNotice = `
DEMO: these accounts are open to everyone who can reach this address.

  admin@demo.test     manager@demo.test     viewer@demo.test
  sales@demo.test     sales2@demo.test

  password: demo-password

Sign in as sales@demo.test and type in the assistant's panel:  /help
`
