package config

import (
	"net"
	"net/netip"
	"strings"
)

// Config is what the environment says about this process.
type Config struct {
	// Demo is on with --demo: demo data, demo accounts, loopback only.
	Demo bool
	// Addr is the host:port to listen on.
	Addr string
	// DataDir holds the files of this installation; it need not exist yet.
	DataDir string
	// Database is a PostgreSQL URL; not set means SQLite in the data dir.
	Database Secret
	// Redis is a Redis URL; not set means the event bus of this process.
	Redis Secret
	// EncryptionKey is as it was given, right or wrong: package secrets judges it, and a bad one does not stop the start.
	EncryptionKey Secret
	// PublicURL is the origin that people type, without a slash at its end; empty when it was not given.
	PublicURL string
	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// AllowPrivateEndpoints lets the model endpoint be on this machine or in a private network.
	AllowPrivateEndpoints bool
	// SMTP is the URL of the outgoing mail server, with the sender as ?from=; not set means that no mail is sent.
	SMTP Secret
	// Warnings are mistakes that do not stop the start; log them.
	Warnings []Mistake
}

// SecureCookies reports whether people reach the server over https, so that cookies carry Secure.
func (c Config) SecureCookies() bool { return strings.HasPrefix(c.PublicURL, "https://") }

// SessionCookie is the name of the session cookie. Browsers keep a __Host- cookie only over https.
func (c Config) SessionCookie() string {
	if c.SecureCookies() {
		return "__Host-countersign_session"
	}
	return "countersign_session"
}

// BaseURL is the origin for links: the public URL, or else one made of the address that the server listens on.
func (c Config) BaseURL(listening string) string {
	if c.PublicURL != "" {
		return c.PublicURL
	}
	host, port, err := net.SplitHostPort(listening)
	if err != nil {
		return "http://" + listening
	}
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
