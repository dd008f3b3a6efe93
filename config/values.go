package config

import (
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// addr gives the address to listen on. With demo it must be a loopback one: the demo passwords are public.
func (l *loader) addr(demo bool) string {
	const example = varAddr + "=" + defaultAddr
	value := l.text(varAddr, defaultAddr)
	host, port, err := net.SplitHostPort(value)
	if err != nil || strings.ContainsAny(host, "/ ") {
		l.wrong(varAddr, fmt.Sprintf("%q is not an address of the form host:port.", value), example)
		return ""
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		l.wrong(varAddr, fmt.Sprintf("%q is not a port; it must be a number from 0 to 65535.", port), example)
	} else if demo && !isLoopback(host) {
		l.wrong(varAddr, fmt.Sprintf("%q can be reached from other machines, and --demo has passwords that everybody knows. "+
			"Listen on this machine only, or leave --demo out.", value), fmt.Sprintf("%s=127.0.0.1:%d", varAddr, n))
	}
	return value
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return strings.EqualFold(host, "localhost")
	}
	return ip.Unmap().IsLoopback()
}

func (l *loader) dataDir() string {
	value := filepath.Clean(l.text(varDataDir, defaultDataDir))
	if info, err := os.Stat(value); err == nil && !info.IsDir() {
		l.wrong(varDataDir, fmt.Sprintf("%q is a file; it must be a folder, which is made when it does not exist.", value),
			varDataDir+"=/var/lib/countersign")
	}
	return value
}

func (l *loader) publicURL() string {
	value := l.text(varPublicURL, "")
	if value == "" {
		return ""
	}
	u, err := url.Parse(value)
	if err != nil || !slices.Contains([]string{"http", "https"}, u.Scheme) || u.Hostname() == "" || !isOrigin(u) {
		l.wrong(varPublicURL, "it must be the address that people type, as http:// or https:// with a host and nothing after it.",
			varPublicURL+"=https://crm.example.com")
		return ""
	}
	return u.Scheme + "://" + strings.ToLower(u.Host)
}

func isOrigin(u *url.URL) bool {
	return u.User == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == ""
}

func (l *loader) proxies() []netip.Prefix {
	var prefixes []netip.Prefix
	for _, item := range strings.FieldsFunc(l.text(varProxies, ""), func(r rune) bool { return r == ',' || r == ' ' }) {
		prefix, err := parsePrefix(item)
		switch {
		case err != nil:
			l.wrong(varProxies, fmt.Sprintf("%q is neither an IP address nor a network.", item), varProxies+"=10.0.0.0/8,192.168.1.7")
		case prefix.Bits() == 0:
			l.wrong(varProxies, fmt.Sprintf("%q trusts every machine to say who its client is; name your proxies.", item), varProxies+"=10.0.0.0/8")
		default:
			prefixes = append(prefixes, prefix)
		}
	}
	return prefixes
}

func parsePrefix(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		prefix, err := netip.ParsePrefix(text)
		return prefix.Masked(), err
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, err
	}
	return ip.Unmap().Prefix(ip.Unmap().BitLen())
}

func (l *loader) boolean(name string) bool {
	value := l.text(name, "false")
	on, err := strconv.ParseBool(strings.ToLower(value))
	if err != nil {
		l.wrong(name, fmt.Sprintf("%q is neither true nor false.", value), name+"=true")
	}
	return on
}

func (l *loader) databaseURL() Secret {
	const example = varDatabase + "=postgres://countersign:password@db.example.com:5432/countersign?sslmode=require"
	return l.secretURL(varDatabase, example, func(u *url.URL) string {
		if !slices.Contains([]string{"postgres", "postgresql"}, u.Scheme) {
			return "it must begin with postgres:// or postgresql://. Leave it empty to use SQLite in the data folder."
		}
		if u.Opaque != "" || (u.Host == "" && !u.Query().Has("host")) {
			return "it names no host."
		}
		return ""
	})
}

func (l *loader) redisURL() Secret {
	const example = varRedis + "=redis://:password@redis.example.com:6379/0"
	return l.secretURL(varRedis, example, func(u *url.URL) string {
		switch {
		case u.Scheme == "unix":
			if u.Path == "" {
				return "it names no socket."
			}
		case u.Scheme != "redis" && u.Scheme != "rediss":
			return "it must begin with redis://, rediss:// or unix://. Leave it empty to run without Redis."
		case u.Hostname() == "":
			return "it names no host."
		default:
			if db := strings.Trim(u.Path, "/"); db != "" && !isNumber(db) {
				return "what follows the host must be the number of a database."
			}
		}
		return ""
	})
}

func (l *loader) smtpURL() Secret {
	const example = varSMTP + "=smtps://user:password@mail.example.com:465?from=sales@example.com"
	return l.secretURL(varSMTP, example, func(u *url.URL) string {
		if u.Scheme != "smtp" && u.Scheme != "smtps" {
			return "it must begin with smtp:// or smtps://. Leave it empty to send no mail."
		}
		if u.Hostname() == "" {
			return "it names no host."
		}
		return senderProblem(u)
	})
}

// senderProblem says what is wrong with what follows the host of a mail server: nothing but who the sender is may.
func senderProblem(u *url.URL) string {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || strings.Trim(u.Path, "/") != "" || len(query) > 1 || len(query) == 1 && len(query["from"]) != 1 {
		return "nothing but ?from= with the sender's address may follow the host."
	}
	if from := query.Get("from"); from != "" {
		if _, err := mail.ParseAddress(from); err != nil {
			return "the sender after ?from= is not an e-mail address; + in it is written %2B."
		}
	}
	return ""
}

// secretURL reads a URL that may hold a password, so that no message repeats any part of it.
func (l *loader) secretURL(name, example string, problem func(*url.URL) string) Secret {
	value := l.requiredSecret(name)
	if value == "" {
		return Secret{}
	}
	u, err := url.Parse(value)
	if err != nil {
		l.wrong(name, "it is not a URL; characters such as @, /, # and % in a password must be percent-encoded.", example)
		return Secret{}
	}
	if p := problem(u); p != "" {
		l.wrong(name, p, example)
	}
	return NewSecret(value)
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}
