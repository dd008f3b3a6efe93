package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/apperr"
)

// maxBody bounds the bodies of requests, in bytes.
const maxBody = 1 << 20

// csp lets a page load and call nothing but this server.
const csp = "default-src 'self'; img-src 'self' data:; connect-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'"

// outside puts around the router what holds for every request.
func (s *server) outside(router http.Handler) (http.Handler, error) {
	origins := http.NewCrossOriginProtection()
	if s.PublicURL != "" {
		if err := origins.AddTrustedOrigin(s.PublicURL); err != nil {
			return nil, fmt.Errorf("api: %w", err)
		}
	}
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		newProblem(requestOf(r.Context()), apperr.New(apperr.Forbidden, "CROSS_ORIGIN",
			"This request came from another site and was refused. Use the pages of this server.")).write(w)
	}))
	return s.received(s.secure(origins.Handler(limitBody(router)))), nil
}

// secure sets the security headers.
func (s *server) secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", csp)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		if s.https() {
			h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// limitBody refuses bodies that say they are too large, and cuts those that only are.
func limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > maxBody {
			w.Header().Set("Connection", "close")
			newProblem(requestOf(r.Context()), errTooLarge).write(w)
			return
		}
		if r.Body != nil {
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		next.ServeHTTP(w, r)
	})
}

// storable refuses addresses with what no database keeps, a NUL or a byte that is not UTF-8, before anybody
// looks something up by them.
func (s *server) storable(c *gin.Context) {
	if c.FullPath() == "" {
		return
	}
	query, err := url.QueryUnescape(c.Request.URL.RawQuery)
	if err != nil || !isText(query) || !isText(c.Request.URL.Path) {
		s.refuse(c, apperr.New(apperr.Invalid, codeInvalid, "The address holds a character that is not text. Remove it and try again."))
	}
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }
