package frontend

import (
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed all:dist
var dist embed.FS

const (
	indexFile = "index.html"
	// Vite names every file below assets/ by its content, so that a name never changes its bytes.
	assetPrefix    = "assets/"
	cacheImmutable = "public, max-age=31536000, immutable"
	cacheNever     = "no-cache"
	notBuilt       = "The web UI is not part of this binary yet: run make build, then start countersign again."
)

// Handler serves the embedded build. Anyone may call it; the pages hold no data.
func Handler() http.Handler {
	build, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only an invalid path constant gets here
	}
	return NewHandler(build)
}

// NewHandler serves a build from fsys: hashed assets for ever, other files and index.html with
// revalidation, and index.html for every path that belongs to the client's router. A missing asset is
// 404 and never HTML, so that an outdated tab fails clearly. Without an index.html every page answers
// 503 with a sentence that says what to run. Methods other than GET and HEAD answer 405.
func NewHandler(fsys fs.FS) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Use GET for pages.", http.StatusMethodNotAllowed)
			return
		}
		serve(w, r, fsys, strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/"))
	})
}

func serve(w http.ResponseWriter, r *http.Request, fsys fs.FS, name string) {
	switch {
	case strings.HasPrefix(name, assetPrefix):
		serveAsset(w, r, fsys, name)
	case isServable(fsys, name):
		w.Header().Set("Cache-Control", cacheNever)
		http.ServeFileFS(w, r, fsys, name)
	case path.Ext(name) != "" && name != indexFile:
		http.Error(w, "There is no such file.", http.StatusNotFound)
	default:
		serveIndex(w, r, fsys)
	}
}

func serveAsset(w http.ResponseWriter, r *http.Request, fsys fs.FS, name string) {
	if !isServable(fsys, name) {
		w.Header().Set("Cache-Control", cacheNever)
		http.Error(w, "There is no such file.", http.StatusNotFound)
		return
	}
	w.Header().Set("Cache-Control", cacheImmutable)
	http.ServeFileFS(w, r, fsys, name)
}

// isServable is true for regular files other than index.html, which goes out through serveIndex
// because the file server answers it with a redirect, and than dot files.
func isServable(fsys fs.FS, name string) bool {
	if name == indexFile || strings.HasPrefix(path.Base(name), ".") {
		return false
	}
	info, err := fs.Stat(fsys, name)
	return err == nil && info.Mode().IsRegular()
}

func serveIndex(w http.ResponseWriter, r *http.Request, fsys fs.FS) {
	page, err := fs.ReadFile(fsys, indexFile)
	w.Header().Set("Cache-Control", cacheNever)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		http.Error(w, notBuilt, http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, "The page could not be read.", http.StatusInternalServerError)
	default:
		http.ServeContent(w, r, indexFile, time.Time{}, bytes.NewReader(page))
	}
}
