package agent

import (
	"context"
	"errors"
	"math"

	"countersign/apperr"
	"countersign/audit"
	"countersign/i18n"
	"countersign/llm"
	"countersign/models"
	"countersign/store"
)

// Failure is what a person is told of a turn that failed.
type Failure struct {
	Code, Message string
	Retryable     bool
}

// modelFailures are the sentences for failed model calls, by kind.
var modelFailures = map[llm.Kind]string{
	llm.Unauthorized:   "MODEL_UNAUTHORIZED",
	llm.ModelNotFound:  "MODEL_NOT_FOUND",
	llm.RateLimited:    "MODEL_RATE_LIMITED",
	llm.Quota:          "MODEL_QUOTA",
	llm.ContextTooLong: "MODEL_CONTEXT_TOO_LONG",
	llm.InvalidRequest: "MODEL_INVALID_REQUEST",
	llm.Unavailable:    "MODEL_UNAVAILABLE",
	llm.Timeout:        "MODEL_TIMEOUT",
	llm.CutStream:      "MODEL_CUT_STREAM",
	llm.Malformed:      "MODEL_MALFORMED",
	llm.NoTools:        "MODEL_NO_TOOLS",
	llm.ContentFilter:  "MODEL_CONTENT_FILTER",
}

// failureOf words an error in a language. The provider's own words are never among it.
func failureOf(lang string, err error) Failure {
	var model *llm.Error
	if errors.As(err, &model) {
		code := modelFailures[model.Kind]
		return Failure{code, modelSentence(lang, model), model.Retryable}
	}
	e := apperr.As(err)
	switch e.Kind {
	case apperr.NotConfigured:
		return Failure{e.Code, i18n.T(lang, "chat.not_configured"), false}
	default:
		return Failure{e.Code, i18n.T(lang, "error.internal"), true}
	}
}

// modelSentence says when a try makes sense again, where the provider did and it is too long to wait for.
func modelSentence(lang string, e *llm.Error) string {
	if e.Kind == llm.RateLimited && e.RetryAfter > llm.MaxRetryWait {
		return i18n.T(lang, "model.rate_limited_for", "seconds", int(math.Ceil(e.RetryAfter.Seconds())))
	}
	return i18n.T(lang, "model."+string(e.Kind))
}

// alert puts a failed model call on the record, for the administrator: which model, what kind of failure, and
// what the provider said, which only those who may read the record see.
func (t *turn) alert(ctx context.Context, err error) error {
	var model *llm.Error
	if !errors.As(err, &model) {
		return nil
	}
	detail := map[string]any{"kind": model.Kind, "code": model.Code, "status": model.Status, "provider": model.Detail, "requestId": model.RequestID, "turnId": t.ID}
	return t.service.Runner.InTx(ctx, func(tx *store.Tx) error {
		return audit.Write(ctx, tx, t.actor, t.service.Now(), audit.Entry{
			Action: "model:call", Target: models.Ref{Type: models.TypeAIConfig}, Decision: models.DecisionFailed,
			Reason: modelFailures[model.Kind], Detail: detail,
		})
	})
}
