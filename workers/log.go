package workers

import (
	"context"
	"log/slog"
)

// quiet passes on warnings and worse: River tells of every start and stop.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, level)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }

func logger() *slog.Logger { return slog.New(quiet{slog.Default().Handler()}) }
