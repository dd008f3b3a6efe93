package api

import (
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"countersign/apperr"
	"countersign/rbac"
)

// server is the API while it is built and served.
type server struct {
	Options
	engine *gin.Engine
	api    huma.API
	routes map[string]Route
	// document and page are what /openapi.json and /docs answer.
	document, page []byte
}

// New returns the handler of everything that the product serves over HTTP. The caller's http.Server needs
// timeouts of its own; streams outlive its WriteTimeout.
func New(o Options) (http.Handler, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := build(o.withDefaults())
	if err := s.makeDocument(); err != nil {
		return nil, err
	}
	return s.outside(s.engine)
}

// build makes the router with all routes.
func build(o Options) *server {
	configureLibraries()
	s := &server{Options: o, engine: gin.New(), routes: map[string]Route{}}
	s.engine.RedirectTrailingSlash = false
	s.engine.HandleMethodNotAllowed = true
	// The client's address is worked out in request.go. Gin trusts every proxy unless it is told not to.
	s.engine.ForwardedByClientIP = false
	_ = s.engine.SetTrustedProxies(nil) // nil is never wrong
	s.engine.Use(s.noteRoute, s.storable, s.authenticate, s.replay)
	s.engine.NoRoute(s.noRoute)
	s.engine.NoMethod(s.noMethod)
	s.api = humagin.New(s.engine, s.humaConfig())
	s.addRoutes()
	return s
}

func (s *server) addRoutes() {
	s.accountRoutes()
	s.companyRoutes()
	s.contactRoutes()
	s.dealRoutes()
	s.quotationRoutes()
	s.deliveryRoutes()
	s.activityRoutes()
	s.taskRoutes()
	s.catalogueRoutes()
	s.searchRoutes()
	s.chatRoutes()
	s.conversationRoutes()
	s.proposalRoutes()
	s.aiConfigRoutes()
	s.aiStatusRoutes()
	s.priceRoutes()
	s.approvalRuleRoutes()
	s.usageRoutes()
	s.outcomeRoutes()
	s.turnRoutes()
	s.auditRoutes()
	s.healthRoutes()
	s.documentRoutes()
}

// configureLibraries sets what gin and huma keep in package variables.
var configureLibraries = sync.OnceFunc(func() {
	gin.SetMode(gin.ReleaseMode)
	huma.NewError = newHumaError
	huma.NewErrorWithContext = newHumaErrorInContext
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
})

func (s *server) humaConfig() huma.Config {
	c := huma.DefaultConfig("Countersign", s.Version)
	c.Formats = map[string]huma.Format{"application/json": strictJSON, "json": strictJSON}
	c.CreateHooks, c.Transformers = nil, []huma.Transformer{s.hidePersonal}
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.RejectUnknownQueryParameters = true
	c.Components.Schemas = newSchemas()
	s.describe(c.OpenAPI)
	return c
}

// machinePaths begin paths that programs call: an unknown one is a problem document, never the web page.
var machinePaths = []string{"/api", "/mcp", "/webhooks", "/metrics", "/openapi", "/healthz", "/readyz", "/docs"}

func (s *server) noRoute(c *gin.Context) {
	path := c.Request.URL.Path
	for _, prefix := range machinePaths {
		if path == prefix || strings.HasPrefix(path, prefix+"/") {
			s.refuse(c, apperr.New(apperr.NotFound, "NO_SUCH_ROUTE", "There is nothing at this address. The document at /openapi.json lists what there is."))
			return
		}
	}
	c.Status(http.StatusOK) // gin has decided on 404 already
	s.Frontend.ServeHTTP(c.Writer, c.Request)
}

func (s *server) noMethod(c *gin.Context) {
	p := newProblem(requestOf(c.Request.Context()), apperr.New(apperr.Invalid, "METHOD_NOT_ALLOWED",
		"This address takes other methods: "+c.Writer.Header().Get("Allow")+"."))
	p.setStatus(http.StatusMethodNotAllowed)
	p.write(c.Writer)
	c.Abort()
}

// Permissions lists the permissions that routes ask for, for the drift check at start-up.
func Permissions() []rbac.Permission {
	var asked []rbac.Permission
	for _, r := range Routes() {
		if r.Permission != "" {
			asked = append(asked, r.Permission)
		}
	}
	return asked
}
