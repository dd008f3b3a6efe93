package evals

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"countersign/app"
	"countersign/config"
)

// Endpoint is a model to be asked.
type Endpoint struct {
	// Provider is openai or anthropic.
	Provider string
	URL      string
	Model    string
	Key      string
}

// admin sees every record, and is who a case means by an admin without a name. viewer is added because the data set has none.
var (
	admin  = Actor{Role: "admin"}
	viewer = Actor{Role: "viewer"}
)

// The people that the data set brings sign in as first.last@maven.example.
const (
	mavenDomain   = "@maven.example"
	adminAddress  = "admin@evals.example"
	viewerAddress = "viewer@evals.example"
)

// template is an installation with the data set, a model and open sessions, from which those of the cases are copied.
type template struct {
	cfg config.Config
	// cookies are the sessions of all actors.
	cookies map[Actor]string
	// tools are the names of those that the product has.
	tools map[string]bool
}

// newTemplate imports the data set in a folder and sets the model up, in an empty folder.
func newTemplate(ctx context.Context, dir, data string, endpoint Endpoint, cases []Case) (t *template, err error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	t = &template{cookies: map[Actor]string{}, tools: map[string]bool{}, cfg: config.Config{
		DataDir: dir, EncryptionKey: config.NewSecret(hex.EncodeToString(key)), AllowPrivateEndpoints: true,
	}}
	a, err := app.Open(ctx, t.cfg, "evals")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	password := rand.Text()
	if _, err := a.ImportMaven(ctx, data, password); err != nil {
		return nil, err
	}
	for _, u := range []app.NewUser{
		{Email: adminAddress, Name: "Evals Admin", Password: password, Role: admin.Role},
		{Email: viewerAddress, Name: "Evals Viewer", Password: password, Role: viewer.Role},
	} {
		if _, err := a.AddUser(ctx, u); err != nil {
			return nil, err
		}
	}
	api := client{handler: a.Handler}
	if err := t.signIn(ctx, api, password, cases); err != nil {
		return nil, err
	}
	err = t.setUp(ctx, api.as(t.cookies[admin]), endpoint)
	return t, err
}

// signIn opens a session for each actor of the cases and the admin.
func (t *template) signIn(ctx context.Context, api client, password string, cases []Case) error {
	actors := []Actor{admin}
	for _, c := range cases {
		actors = append(actors, c.Actor)
	}
	for _, who := range actors {
		if t.cookies[who] != "" {
			continue
		}
		address, err := addressOf(who)
		if err != nil {
			return err
		}
		if t.cookies[who], err = api.signIn(ctx, address, password, who); err != nil {
			return err
		}
	}
	return nil
}

// anybody are people of the data set who stand for their role.
var anybody = map[string]string{"sales": "Darcel Schlecht", "manager": "Melvin Marxen"}

func addressOf(who Actor) (string, error) {
	name := who.Name
	if name == "" {
		name = anybody[who.Role]
	}
	switch {
	case name != "":
		return strings.ReplaceAll(strings.ToLower(name), " ", ".") + mavenDomain, nil
	case who == admin:
		return adminAddress, nil
	case who == viewer:
		return viewerAddress, nil
	}
	return "", fmt.Errorf("evals: a case wants %s, and nobody holds that role: name a person", who)
}

// setUp configures the model as an administrator does, and asks which tools there are.
func (t *template) setUp(ctx context.Context, api client, endpoint Endpoint) error {
	var ignored struct{}
	err := api.call(ctx, http.MethodPut, "/api/ai/config", map[string]string{
		"provider": endpoint.Provider, "endpointUrl": endpoint.URL, "model": endpoint.Model, "apiKey": endpoint.Key,
	}, &ignored)
	if err != nil {
		return err
	}
	var offered struct{ Items []struct{ Name string } }
	if err := api.call(ctx, http.MethodGet, "/api/tools", nil, &offered); err != nil {
		return err
	}
	for _, tool := range offered.Items {
		t.tools[tool.Name] = true
	}
	return nil
}

// observe runs a case on a copy of the installation, in a folder that it makes and removes.
func (t *template) observe(ctx context.Context, c Case) (o Observation, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(t.cfg.DataDir), "case-")
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.CopyFS(dir, os.DirFS(t.cfg.DataDir)); err != nil {
		return o, err
	}
	cfg := t.cfg
	cfg.DataDir = dir
	a, err := app.Open(ctx, cfg, "evals")
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	asker := client{handler: a.Handler, cookie: t.cookies[c.Actor], lang: c.Lang}
	return observeTurn(ctx, asker, asker.as(t.cookies[admin]), c.Question)
}
