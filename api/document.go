package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"countersign/proposals"
	"countersign/rbac"
	"countersign/resolve"
)

// sessionScheme names the session cookie in the document.
const sessionScheme = "session"

var scopeType = reflect.TypeFor[rbac.Scope]()

// schemaNames are the names of schemas whose Go names say too little outside of their package.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[proposals.View]():       "Proposal",
	reflect.TypeFor[Page[proposals.View]](): "PageProposal",
	reflect.TypeFor[resolve.Result]():       "Resolution",
}

// describe fills in what the document says of the server.
func (s *server) describe(doc *huma.OpenAPI) {
	doc.Info.Description = "The API of Countersign. People sign in at /api/auth/login and are known by a cookie from then on. " +
		"Errors are problem documents whose code tells cases apart and whose detail says what to do."
	if s.PublicURL != "" {
		doc.Servers = []*huma.Server{{URL: s.PublicURL}}
	}
	doc.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		sessionScheme: {Type: "apiKey", In: "cookie", Name: s.SessionCookie, Description: "The session, from signing in."},
	}
}

// documentRoutes serve the OpenAPI document and a page that lists the routes.
func (s *server) documentRoutes() {
	s.addPlain("/openapi.json", func(c *gin.Context) { c.Data(http.StatusOK, "application/json", s.document) })
	s.addPlain("/docs", func(c *gin.Context) { c.Data(http.StatusOK, "text/html; charset=utf-8", s.page) })
}

// makeDocument encodes what documentRoutes serve, once all routes are there.
func (s *server) makeDocument() (err error) {
	if s.document, err = json.Marshal(s.api.OpenAPI()); err != nil {
		return fmt.Errorf("api: encode the OpenAPI document: %w", err)
	}
	// Plain HTML: the content security policy lets no remote script in.
	var page bytes.Buffer
	if err := docsTemplate.Execute(&page, map[string]any{"Version": s.Version, "Routes": s.sorted()}); err != nil {
		return fmt.Errorf("api: make the page of the routes: %w", err)
	}
	s.page = page.Bytes()
	return nil
}

//go:embed docs.html
var docsSource string

var docsTemplate = template.Must(template.New("docs").Parse(docsSource))
