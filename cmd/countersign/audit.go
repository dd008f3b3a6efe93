package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"countersign/app"
)

func newAudit() *cobra.Command {
	return group("audit", "Work with the record of who did what", &cobra.Command{
		Use: "verify", Short: "Prove that no entry of the record was changed, removed or put in",
		Example: "  countersign audit verify", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withApp(cmd, false, func(ctx context.Context, a *app.App) error {
				n, err := a.VerifyAudit(ctx)
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "The record is whole: %d entries.\n", n)
				}
				return err
			})
		},
	})
}
