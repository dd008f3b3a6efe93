package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"countersign/app"
	"countersign/config"
)

func newMigrate() *cobra.Command {
	return group("migrate", "Bring the database's schema up to date, or look at it",
		&cobra.Command{
			Use: "up", Short: "Bring the schema up to date", Example: "  countersign migrate up", Args: noArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return withConfig(cmd, app.Migrate) },
		},
		&cobra.Command{
			Use: "status", Short: "Print the schema's version", Example: "  countersign migrate status", Args: noArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return withConfig(cmd, func(ctx context.Context, cfg config.Config) error {
					line, err := app.SchemaStatus(ctx, cfg)
					if err == nil {
						fmt.Fprintln(cmd.OutOrStdout(), line)
					}
					return err
				})
			},
		},
	)
}

// withConfig loads the configuration for work that opens the database itself.
func withConfig(cmd *cobra.Command, work func(context.Context, config.Config) error) error {
	cfg, err := config.Load(os.Environ(), false)
	if err != nil {
		return err
	}
	return work(cmd.Context(), cfg)
}
