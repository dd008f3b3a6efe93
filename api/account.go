package api

import (
	"context"
	"net/http"

	"countersign/accounts"
	"countersign/models"
)

// signedIn answers with the person and their session's cookie.
type signedIn struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
	Body      accounts.Me
}

type signedOut struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

// Login is what signs a person in.
type Login struct {
	Email    string `json:"email" maxLength:"320"`
	Password string `json:"password" maxLength:"1000"`
}

// Setup makes the first administrator with the token that the server printed.
type Setup struct {
	Token    string `json:"token" maxLength:"200"`
	Email    string `json:"email" maxLength:"320"`
	Name     string `json:"name" maxLength:"300"`
	Password string `json:"password" maxLength:"1000"`
}

// Status is what anybody may know of this server.
type Status struct {
	Demo       bool   `json:"demo"`
	NeedsSetup bool   `json:"needsSetup" doc:"There is no user yet: the first administrator has to be made."`
	Version    string `json:"version"`
}

func (s *server) accountRoutes() {
	add(s, get("/api/status", "getStatus", "What anybody may know").public(), s.status)
	add(s, post("/api/setup", "setup", "Make the first administrator").public().creates(), s.setup)
	add(s, post("/api/auth/login", "login", "Sign in").public(), s.login)
	add(s, post("/api/auth/logout", "logout", "Sign out").empty(), s.logout)
	handle(s, get("/api/me", "getMe", "Who am I, and what may I do").plain(), s.me)
}

func (s *server) status(ctx context.Context, _ *request, _ *struct{}) (*one[Status], error) {
	needed, err := s.Accounts.NeedsSetup(ctx)
	return answer(Status{Demo: s.Demo, NeedsSetup: needed, Version: s.Version}, err)
}

func (s *server) login(ctx context.Context, req *request, in *one[Login]) (*signedIn, error) {
	token, me, err := s.Accounts.Login(ctx, accounts.LoginInput{
		Email: in.Body.Email, Password: in.Body.Password, Previous: req.token, Meta: req.Meta,
	})
	return s.signedIn(token, me, err)
}

func (s *server) setup(ctx context.Context, req *request, in *one[Setup]) (*signedIn, error) {
	token, me, err := s.Accounts.Setup(ctx, accounts.SetupInput{
		Token: in.Body.Token, Email: in.Body.Email, Name: in.Body.Name, Password: in.Body.Password, Meta: req.Meta,
	})
	return s.signedIn(token, me, err)
}

func (s *server) signedIn(token string, me accounts.Me, err error) (*signedIn, error) {
	if err != nil {
		return nil, err
	}
	return &signedIn{SetCookie: s.cookie(token), Body: me}, nil
}

func (s *server) logout(ctx context.Context, req *request, _ *struct{}) (*signedOut, error) {
	if err := s.Accounts.Logout(ctx, req.actor, req.token); err != nil {
		return nil, err
	}
	return &signedOut{s.cookie("")}, nil
}

func (s *server) me(ctx context.Context, actor models.Actor, _ *struct{}) (*one[accounts.Me], error) {
	return answer(s.Accounts.Me(ctx, actor))
}
