package api

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
)

// Check is something that must work for people to sign in and use the assistant.
type Check struct {
	Name string
	Run  func(ctx context.Context) error
}

// readyTimeout bounds all checks together.
const readyTimeout = 3 * time.Second

// health is the answer of /healthz and /readyz.
type health struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

const (
	healthOK          = "ok"
	healthUnavailable = "unavailable"
)

func (s *server) healthRoutes() {
	s.addPlain("/healthz", func(c *gin.Context) { writeJSON(c.Writer, http.StatusOK, "application/json", health{Status: healthOK}) })
	s.addPlain("/readyz", s.ready)
}

func (s *server) ready(c *gin.Context) {
	ctx, cancel := context.WithTimeout(c.Request.Context(), readyTimeout)
	defer cancel()
	answer, status := health{Status: healthOK, Checks: map[string]string{}}, http.StatusOK
	for _, check := range s.Checks {
		answer.Checks[check.Name] = healthOK
		if err := check.Run(ctx); err != nil {
			answer.Checks[check.Name], answer.Status, status = healthUnavailable, healthUnavailable, http.StatusServiceUnavailable
			if !errors.Is(err, context.Canceled) {
				s.Logger.WarnContext(ctx, "not ready", slog.String("check", check.Name), slog.Any("error", err))
			}
		}
	}
	c.Header("Cache-Control", "no-store")
	writeJSON(c.Writer, status, "application/json", answer)
}
