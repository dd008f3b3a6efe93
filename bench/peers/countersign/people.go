package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"countersign/accounts"
	"countersign/app"
	"countersign/config"
)

const (
	password = "a password for the benchmark"
	// messagesEach is what a person may send in any minute.
	messagesEach = 10
	// signingIn is how many people sign in at once: no more than the product hashes passwords for at a time.
	signingIn = 4
)

// addPeople makes the data and the people, salespeople all, as the console of the server does.
func addPeople(ctx context.Context, env []string, n int) (emails []string, err error) {
	cfg, err := config.Load(env, true)
	if err != nil {
		return nil, err
	}
	a, err := app.Open(ctx, cfg, "bench")
	if err != nil {
		return nil, err
	}
	if err := a.SeedDemo(ctx); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	people := make([]accounts.UserInput, n)
	emails = make([]string, n)
	for i := range people {
		emails[i] = fmt.Sprintf("person%d@bench.test", i)
		people[i] = accounts.UserInput{Email: emails[i], Name: fmt.Sprintf("Person %d", i), Password: password, Role: "sales"}
	}
	_, err = a.Accounts.CreateUsers(ctx, people)
	return emails, errors.Join(err, a.Close())
}

// configure sets the assistant's model, as the demo's administrator.
func (s *server) configure(ctx context.Context, endpoint string) error {
	admin, err := s.login(ctx, "admin@demo.test", "demo-password")
	if err != nil {
		return err
	}
	return s.send(ctx, http.MethodPut, "/api/ai/config", admin, map[string]any{
		"provider": "openai", "endpointUrl": endpoint, "model": "bench", "apiKey": "none",
	})
}

// signIn signs everyone in and gives each a deal to ask for, and returns their session cookies.
func (s *server) signIn(ctx context.Context, emails []string) ([]string, error) {
	cookies, errs := make([]string, len(emails)), make([]error, len(emails))
	var doors sync.WaitGroup
	for door := range signingIn {
		doors.Go(func() {
			for i := door; i < len(emails); i += signingIn {
				if cookies[i], errs[i] = s.login(ctx, emails[i], password); errs[i] == nil {
					errs[i] = s.send(ctx, http.MethodPost, "/api/deals", cookies[i], map[string]any{
						"title": "Acme renewal", "amount": map[string]string{"amount": "1200.00", "currency": "HKD"},
					})
				}
			}
		})
	}
	doors.Wait()
	return cookies, errors.Join(errs...)
}

func (s *server) login(ctx context.Context, email, password string) (cookie string, err error) {
	res, err := s.do(ctx, http.MethodPost, "/api/auth/login", "", map[string]string{"email": email, "password": password})
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	for _, c := range res.Cookies() {
		cookie = c.Name + "=" + c.Value
	}
	_, err = io.Copy(io.Discard, res.Body)
	return cookie, err
}

// send sends a request whose answer says nothing of interest.
func (s *server) send(ctx context.Context, method, path, cookie string, body any) error {
	res, err := s.do(ctx, method, path, cookie, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// do sends a request. A refusal is an error.
func (s *server) do(ctx context.Context, method, path, cookie string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(res.Body)
		return nil, errors.Join(fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text), res.Body.Close())
	}
	return res, nil
}
