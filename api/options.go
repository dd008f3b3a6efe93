package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"

	"countersign/accounts"
	"countersign/agent"
	"countersign/audit"
	"countersign/confirm"
	"countersign/conversations"
	"countersign/crm"
	"countersign/deliveries"
	"countersign/proposals"
	"countersign/resolve"
	"countersign/settings"
	"countersign/store"
	"countersign/tools"
)

// Services are what the routes call. All are needed.
type Services struct {
	Accounts      *accounts.Service
	Companies     *crm.Companies
	Contacts      *crm.Contacts
	Deals         *crm.Deals
	Quotations    *crm.Quotations
	Deliveries    *deliveries.Service
	Activities    *crm.Activities
	Tasks         *crm.Tasks
	Pipelines     *crm.Pipelines
	Products      *crm.Products
	History       *crm.History
	Search        *crm.Search
	Resolver      *resolve.Resolver
	Tools         *tools.Registry
	Agent         *agent.Service
	Prober        *agent.Prober
	Conversations *conversations.Service
	Proposals     *proposals.Service
	Confirm       *confirm.Service
	AIConfig      *settings.AIConfig
	Prices        *settings.Prices
	Budgets       *settings.Budgets
	ApprovalRules *settings.ApprovalRules
	Ledger        *conversations.Ledger
	Audit         *audit.Log
	Gate          *audit.Gate
	// Runner keeps the answers of requests with an Idempotency-Key.
	Runner store.Runner
}

// Options are the parts and settings of the API.
type Options struct {
	Services
	// PublicURL is the origin that people type; empty when it is not known. With https it turns HSTS on.
	PublicURL string
	// SessionCookie is the name of the session cookie. One that begins with "__Host-" is sent with Secure,
	// which browsers keep only over https.
	SessionCookie string
	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	Demo           bool
	Version        string
	Now            func() time.Time
	// Frontend answers every GET that is no route of the API.
	Frontend http.Handler
	// Checks must all pass for /readyz to answer 200.
	Checks []Check
	// Logger gets one line per request; slog.Default() if nil.
	Logger *slog.Logger
	// Heartbeat is the time between two comments of a stream; 15 s if zero.
	Heartbeat time.Duration
}

const (
	hostPrefix       = "__Host-"
	defaultHeartbeat = 15 * time.Second
)

func (o Options) validate() error {
	var errs []error
	services := reflect.ValueOf(o.Services)
	for i := range services.NumField() {
		if services.Field(i).IsNil() {
			errs = append(errs, fmt.Errorf("%s is missing", services.Type().Field(i).Name))
		}
	}
	if o.Now == nil || o.Frontend == nil {
		errs = append(errs, errors.New("Now and Frontend are needed"))
	}
	if o.SessionCookie == "" {
		errs = append(errs, errors.New("the session cookie needs a name"))
	}
	if u, err := url.Parse(o.PublicURL); err != nil || (o.PublicURL != "" && (u.Host == "" || u.Path != "")) {
		errs = append(errs, errors.New("PublicURL is not an origin"))
	}
	if len(errs) > 0 {
		return fmt.Errorf("api: %w", errors.Join(errs...))
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = defaultHeartbeat
	}
	return o
}

// secureCookie follows from the name: a __Host- cookie without Secure is dropped by every browser.
func (o Options) secureCookie() bool { return strings.HasPrefix(o.SessionCookie, hostPrefix) }

func (o Options) https() bool { return strings.HasPrefix(o.PublicURL, "https://") }
