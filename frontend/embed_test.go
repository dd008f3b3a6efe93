package frontend_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"countersign/frontend"
)

func TestNewHandler(t *testing.T) {
	t.Parallel()
	build := fstest.MapFS{
		"index.html":            {Data: []byte("<!doctype html><title>Countersign</title>")},
		"favicon.svg":           {Data: []byte("<svg/>")},
		".keep":                 {},
		"assets/index-a1b2.js":  {Data: []byte("export {}")},
		"assets/index-c3d4.css": {Data: []byte("body{}")},
	}
	const html = "text/html; charset=utf-8"
	for name, tc := range map[string]struct {
		method, path        string
		status              int
		contentType, cached string
		body                string
	}{
		"root is the page":             {"GET", "/", 200, html, "no-cache", "<title>Countersign"},
		"index.html by name":           {"GET", "/index.html", 200, html, "no-cache", "<title>Countersign"},
		"route of the client":          {"GET", "/deals/0199a1b2-0000-7000-8000-000000000001", 200, html, "no-cache", "<title>Countersign"},
		"hashed script is immutable":   {"GET", "/assets/index-a1b2.js", 200, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", "export {}"},
		"hashed style is immutable":    {"GET", "/assets/index-c3d4.css", 200, "text/css; charset=utf-8", "public, max-age=31536000, immutable", "body{}"},
		"plain file is revalidated":    {"GET", "/favicon.svg", 200, "image/svg+xml", "no-cache", "<svg/>"},
		"missing asset is never HTML":  {"GET", "/assets/index-old.js", 404, "text/plain; charset=utf-8", "no-cache", "no such file"},
		"missing file is never HTML":   {"GET", "/robots.txt", 404, "text/plain; charset=utf-8", "", "no such file"},
		"folder of assets is no page":  {"GET", "/assets/", 200, html, "no-cache", "<title>Countersign"},
		"dot file is not served":       {"GET", "/.keep", 404, "text/plain; charset=utf-8", "", "no such file"},
		"path cannot climb out":        {"GET", "/../../etc/passwd", 200, html, "no-cache", "<title>Countersign"},
		"head has no body":             {"HEAD", "/deals", 200, html, "no-cache", ""},
		"post is refused with a reply": {"POST", "/deals", 405, "text/plain; charset=utf-8", "", "Use GET"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := get(t, frontend.NewHandler(build), tc.method, tc.path)
			require.Equal(t, tc.status, got.Code)
			require.Equal(t, tc.contentType, got.Header().Get("Content-Type"))
			require.Equal(t, tc.cached, got.Header().Get("Cache-Control"))
			if tc.body == "" {
				require.Empty(t, got.Body.String())
			}
			require.Contains(t, got.Body.String(), tc.body)
		})
	}
}

func TestNewHandlerWithoutBuildSaysWhatToRun(t *testing.T) {
	t.Parallel()
	got := get(t, frontend.NewHandler(fstest.MapFS{".keep": {}}), http.MethodGet, "/deals")
	require.Equal(t, http.StatusServiceUnavailable, got.Code)
	require.Contains(t, got.Body.String(), "run make build")
}

func TestHandlerAnswersWithAndWithoutBuild(t *testing.T) {
	t.Parallel()
	got := get(t, frontend.Handler(), http.MethodGet, "/")
	require.Contains(t, []int{http.StatusOK, http.StatusServiceUnavailable}, got.Code)
	require.Equal(t, http.StatusNotFound, get(t, frontend.Handler(), http.MethodGet, "/assets/none.js").Code)
}

func get(t *testing.T, h http.Handler, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), method, "/", nil)
	r.URL.Path = path
	h.ServeHTTP(w, r)
	return w
}
