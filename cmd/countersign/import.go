package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"countersign/app"
)

func newImport() *cobra.Command {
	var passwordFromStdin bool
	maven := &cobra.Command{
		Use: "maven DIR", Short: "Load the Maven \"CRM Sales Opportunities\" data set from a folder",
		Long: "Loads accounts.csv, products.csv, sales_teams.csv and sales_pipeline.csv from a folder: users by team,\n" +
			"companies, products and deals. A second run adds only what is new.\n\n" +
			"The imported people sign in as first.last@maven.example once they have a password: one for all of them\n" +
			"with --password-stdin, or one each with \"countersign user password\".",
		Example: "  countersign import maven ./maven_crm --password-stdin < password.txt", Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			password := ""
			if passwordFromStdin {
				var err error
				if password, err = readPassword(cmd.InOrStdin()); err != nil {
					return err
				}
			}
			return withApp(cmd, false, func(ctx context.Context, a *app.App) error {
				summary, err := a.ImportMaven(ctx, args[0], password)
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), summary)
				}
				return err
			})
		},
	}
	maven.Flags().BoolVar(&passwordFromStdin, "password-stdin", false, "read one password for all imported people from standard input")
	return group("import", "Load other people's data", maven)
}
