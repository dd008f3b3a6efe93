package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"countersign/app"
)

func newUser() *cobra.Command {
	return group("user", "Work with accounts at the server's console", newUserAdd(), newUserPassword(), newUserDisable())
}

func newUserAdd() *cobra.Command {
	var in app.NewUser
	cmd := &cobra.Command{
		Use: "add EMAIL", Short: "Add a user; the password is read from standard input",
		Example: "  countersign user add ada@example.com --name \"Ada Chan\" --role sales < password.txt", Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			password, err := readPassword(cmd.InOrStdin())
			if err != nil {
				return err
			}
			in.Email, in.Password = args[0], password
			return withApp(cmd, false, func(ctx context.Context, a *app.App) error {
				email, err := a.AddUser(ctx, in)
				if err == nil {
					fmt.Fprintf(cmd.OutOrStdout(), "Added %s (%s).\n", email, in.Role)
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&in.Name, "name", "", "the person's name")
	cmd.Flags().StringVar(&in.Role, "role", "sales", "admin, manager, sales, viewer or a role of your own")
	cmd.Flags().StringVar(&in.Lang, "lang", "en", "en or zh-HK")
	return cmd
}

func newUserPassword() *cobra.Command {
	return &cobra.Command{
		Use: "password EMAIL", Short: "Set a user's password, read from standard input, and end their sessions",
		Example: "  countersign user password ada@example.com < password.txt", Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			password, err := readPassword(cmd.InOrStdin())
			if err != nil {
				return err
			}
			return withApp(cmd, false, func(ctx context.Context, a *app.App) error {
				return a.Accounts.SetPassword(ctx, args[0], password)
			})
		},
	}
}

func newUserDisable() *cobra.Command {
	return &cobra.Command{
		Use: "disable EMAIL", Short: "Disable a user and end their sessions", Example: "  countersign user disable ada@example.com", Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withApp(cmd, false, func(ctx context.Context, a *app.App) error { return a.Accounts.DisableUser(ctx, args[0]) })
		},
	}
}

// readPassword reads the first line of standard input, so that a password is never among the arguments,
// which everyone on the machine can see.
func readPassword(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", usageError{errors.New("give the password on standard input, for example: countersign user … < password.txt")}
	}
	return line, nil
}
