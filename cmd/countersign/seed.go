package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"countersign/app"
)

func newSeed() *cobra.Command {
	return group("seed", "Load data of our own making", &cobra.Command{
		Use: "demo", Short: "Load the demo data and demo accounts into an empty installation",
		Example: "  countersign seed demo", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withApp(cmd, true, func(ctx context.Context, a *app.App) error {
				if err := a.SeedDemo(ctx); err != nil {
					return err
				}
				_, err := fmt.Fprint(cmd.OutOrStdout(), demoNotice)
				return err
			})
		},
	})
}
