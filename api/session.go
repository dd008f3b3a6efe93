package api

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/accounts"
	"countersign/rbac"
)

// authenticate demands a session for every matched route that has not declared itself public.
func (s *server) authenticate(c *gin.Context) {
	req := requestOf(c.Request.Context())
	if cookie, err := c.Request.Cookie(s.SessionCookie); err == nil {
		req.token = cookie.Value
	}
	if c.FullPath() == "" || s.routes[c.Request.Method+" "+c.FullPath()].Public {
		return
	}
	actor, subject, err := s.Accounts.Authenticate(c.Request.Context(), req.token, req.Meta)
	if err != nil {
		s.refuse(c, err)
		return
	}
	req.actor, req.subject = actor, subject
	c.Request = c.Request.WithContext(rbac.AsOf(c.Request.Context(), subject))
}

// cookie carries a session token; an empty one takes the cookie away.
func (s *server) cookie(token string) http.Cookie {
	c := http.Cookie{ //nolint:gosec // Secure follows the name: over plain http browsers drop such a cookie
		Name: s.SessionCookie, Value: token, Path: "/", HttpOnly: true, Secure: s.secureCookie(), SameSite: http.SameSiteLaxMode,
		MaxAge: int(accounts.SessionAge.Seconds()),
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c
}
