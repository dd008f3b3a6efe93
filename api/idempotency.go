package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/apperr"
	"countersign/store"
)

const (
	idempotencyHeader = "Idempotency-Key"
	replayedHeader    = "Idempotency-Replayed"
	// abandonedAfter is when a request that never came to an answer, because its server died, gives its key back.
	abandonedAfter = 2 * time.Minute
	keepTimeout    = 5 * time.Second
)

var idempotencyKeyForm = regexp.MustCompile(`^[\x21-\x7e]{1,200}$`)

var (
	errKeyForm  = apperr.InvalidField(idempotencyHeader, "The Idempotency-Key must have 1 to 200 printable characters without spaces.")
	errKeyBusy  = apperr.New(apperr.Conflict, "IDEMPOTENCY_IN_PROGRESS", "A request with this Idempotency-Key is being carried out. Wait a moment, then send it again.")
	errKeyOther = apperr.New(apperr.Invalid, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used for another request. Use a new one.")
)

// replay honours the Idempotency-Key of routes that say so: the first request under a key is carried out and its
// answer kept; the same request again gets that answer, another one is refused. What failed on our side, or came
// too early, is not kept: the client should try again.
func (s *server) replay(c *gin.Context) {
	route := s.routes[c.Request.Method+" "+c.FullPath()]
	key := c.GetHeader(idempotencyHeader)
	if key == "" || !route.Replays {
		return
	}
	if !idempotencyKeyForm.MatchString(key) {
		s.refuse(c, errKeyForm)
		return
	}
	hash, err := hashRequest(c.Request)
	if err != nil {
		s.refuse(c, bodyError(err))
		return
	}
	claim := &store.IdempotencyKey{UserID: requestOf(c.Request.Context()).actor.UserID, Key: key, RequestHash: hash, CreatedAt: s.Now()}
	before, err := s.claim(c.Request.Context(), claim)
	switch {
	case err != nil:
		s.refuse(c, err)
	case before != nil:
		c.Header(replayedHeader, "true")
		c.Data(before.Status, before.ContentType, []byte(before.Body))
		c.Abort()
	default:
		s.keepAnswer(c, claim)
	}
}

// bodyError says why a body could not be read.
func bodyError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return errTooLarge
	}
	return apperr.New(apperr.Invalid, codeInvalid, "The body did not arrive whole. Send it again.")
}

// hashRequest tells whether two requests are the same. It leaves the body to be read again.
func hashRequest(r *http.Request) (string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h := sha256.New()
	for _, part := range []string{r.Method, r.URL.RequestURI(), r.Header.Get("If-Match"), string(body)} {
		sum := sha256.Sum256([]byte(part))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// claim takes a key, or gives the answer that is kept under it.
func (s *server) claim(ctx context.Context, claim *store.IdempotencyKey) (before *store.IdempotencyKey, err error) {
	err = s.Runner.InTx(ctx, func(tx *store.Tx) error {
		if before, err = tx.IdempotencyKey(ctx, claim.UserID, claim.Key); err != nil {
			return err
		}
		switch {
		case before == nil:
		case before.RequestHash != claim.RequestHash:
			return errKeyOther
		case before.Status != 0:
			return nil
		case before.CreatedAt.After(claim.CreatedAt.Add(-abandonedAfter)):
			return errKeyBusy
		default:
			before = nil
			if err := tx.DropIdempotencyKey(ctx, claim.UserID, claim.Key); err != nil {
				return err
			}
		}
		return tx.InsertIdempotencyKey(ctx, claim)
	})
	if apperr.HasCode(err, store.CodeDuplicate) {
		return nil, errKeyBusy
	}
	return before, err
}

// keepAnswer carries the request out, keeps the answer, and only then sends it: a client that has it can rely on
// getting it again.
func (s *server) keepAnswer(c *gin.Context, claim *store.IdempotencyKey) {
	held := &heldAnswer{ResponseWriter: c.Writer, status: http.StatusOK}
	finished := false
	defer func() {
		s.finishClaim(c.Request.Context(), claim, held, finished)
		c.Writer = held.ResponseWriter
		if finished {
			c.Writer.WriteHeader(held.status)
			_, _ = c.Writer.Write(held.body.Bytes())
		}
	}()
	c.Writer = held
	c.Next()
	finished = true
}

func (s *server) finishClaim(ctx context.Context, claim *store.IdempotencyKey, held *heldAnswer, finished bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	claim.Status, claim.ContentType, claim.Body = held.status, held.Header().Get("Content-Type"), held.body.String()
	err := s.Runner.InTx(ctx, func(tx *store.Tx) error {
		if !finished || held.status >= http.StatusInternalServerError || held.status == http.StatusTooManyRequests {
			return tx.DropIdempotencyKey(ctx, claim.UserID, claim.Key)
		}
		return tx.FinishIdempotencyKey(ctx, claim)
	})
	if err != nil {
		s.Logger.ErrorContext(ctx, "answer not kept for its idempotency key", slog.String("request_id", requestOf(ctx).id), slog.Any("error", err))
	}
}

// heldAnswer holds an answer back.
type heldAnswer struct {
	gin.ResponseWriter
	status int
	body   bytes.Buffer
}

func (h *heldAnswer) WriteHeader(status int)            { h.status = status }
func (h *heldAnswer) WriteHeaderNow()                   {}
func (h *heldAnswer) Write(b []byte) (int, error)       { return h.body.Write(b) }
func (h *heldAnswer) WriteString(t string) (int, error) { return h.body.WriteString(t) }
func (h *heldAnswer) Status() int                       { return h.status }
func (h *heldAnswer) Size() int                         { return h.body.Len() }
func (h *heldAnswer) Written() bool                     { return h.body.Len() > 0 }
func (h *heldAnswer) Flush()                            {}
