package main

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"countersign/app"
	"countersign/config"
)

// withApp loads the configuration, opens the product, runs work and closes it again.
func withApp(cmd *cobra.Command, demo bool, work func(context.Context, *app.App) error) error {
	cfg, err := config.Load(os.Environ(), demo)
	if err != nil {
		return err
	}
	slog.SetDefault(slog.New(logHandler(os.Stderr)))
	for _, warning := range cfg.Warnings {
		slog.Warn("configuration", "variable", warning.Variable, "problem", warning.Problem)
	}
	a, err := app.Open(cmd.Context(), cfg, version)
	if err != nil {
		return err
	}
	return errors.Join(work(cmd.Context(), a), a.Close())
}

// logHandler writes text to a terminal and JSON to everything else.
func logHandler(f *os.File) slog.Handler {
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return slog.NewTextHandler(f, nil)
	}
	return slog.NewJSONHandler(f, nil)
}
