package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The variables. Those of secrets can also be given as NAME_FILE, the path of a file that holds the value.
const (
	varAddr           = "COUNTERSIGN_ADDR"
	varDataDir        = "COUNTERSIGN_DATA_DIR"
	varPublicURL      = "COUNTERSIGN_PUBLIC_URL"
	varProxies        = "COUNTERSIGN_TRUSTED_PROXIES"
	varAllowPrivate   = "COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS"
	varDatabase       = "DATABASE_URL"
	varRedis          = "REDIS_URL"
	varEncryptionKey  = "AI_CONFIG_ENCRYPTION_KEY"
	varSMTP           = "SMTP_URL"
	fileSuffix        = "_FILE"
	ownPrefix         = "COUNTERSIGN_"
	defaultAddr       = "127.0.0.1:8080"
	defaultDataDir    = "data"
	maxSecretFileSize = 64 << 10
)

var ownVariables = []string{varAddr, varDataDir, varPublicURL, varProxies, varAllowPrivate}

// foreign are variables with our prefix that others set: the test suites, and an orchestrator
// that announces a service named "countersign" to every container beside it.
var foreign = regexp.MustCompile(`^COUNTERSIGN_(TEST_.*|BIN|SERVICE_HOST|SERVICE_PORT.*|PORT_\d+_(TCP|UDP).*)$`)

// Load reads environ, which has the form of [os.Environ]. An empty value counts as not set.
// The error, when there is one, is [Mistakes] and names everything that is wrong.
func Load(environ []string, demo bool) (Config, error) {
	l := &loader{env: parseEnviron(environ)}
	c := Config{
		Demo:                  demo,
		Addr:                  l.addr(demo),
		DataDir:               l.dataDir(),
		PublicURL:             l.publicURL(),
		TrustedProxies:        l.proxies(),
		AllowPrivateEndpoints: l.boolean(varAllowPrivate),
		Database:              l.databaseURL(),
		Redis:                 l.redisURL(),
		SMTP:                  l.smtpURL(),
		EncryptionKey:         l.encryptionKey(),
	}
	l.unknown()
	c.Warnings = l.warnings
	if len(l.mistakes) > 0 {
		return Config{}, l.mistakes
	}
	return c, nil
}

type loader struct {
	env      map[string]string
	mistakes Mistakes
	warnings []Mistake
}

func parseEnviron(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if value = strings.TrimSpace(value); value != "" {
			env[name] = value
		}
	}
	return env
}

func (l *loader) wrong(variable, problem, example string) {
	l.mistakes = append(l.mistakes, Mistake{Variable: variable, Problem: problem, Example: example})
}

// text gives the value of a variable, or fallback when it is not set.
func (l *loader) text(name, fallback string) string {
	if value, ok := l.env[name]; ok {
		return value
	}
	return fallback
}

// secret gives the value of a variable or of the file that NAME_FILE names.
func (l *loader) secret(name string) (string, *Mistake) {
	value, path := l.env[name], l.env[name+fileSuffix]
	switch {
	case path == "":
		return value, nil
	case value != "":
		l.wrong(name, fmt.Sprintf("both %s and %s are set; keep one of them.", name, name+fileSuffix), "")
		return "", nil
	}
	content, err := readSecretFile(path)
	if err != nil {
		return "", &Mistake{
			Variable: name + fileSuffix,
			Problem:  fmt.Sprintf("the file %q cannot be used: %s.", path, reason(err)),
			Example:  name + fileSuffix + "=/run/secrets/" + strings.ToLower(name),
		}
	}
	return content, nil
}

// requiredSecret is secret for the variables whose file must be readable when it is named.
func (l *loader) requiredSecret(name string) string {
	value, mistake := l.secret(name)
	if mistake != nil {
		l.mistakes = append(l.mistakes, *mistake)
	}
	return value
}

// encryptionKey never stops the start: without a usable key everything but the model works.
func (l *loader) encryptionKey() Secret {
	value, mistake := l.secret(varEncryptionKey)
	if mistake != nil {
		l.warnings = append(l.warnings, *mistake)
	}
	return NewSecret(value)
}

var errTooBig = errors.New("too big")

func readSecretFile(path string) (string, error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return "", err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxSecretFileSize+1))
	if err != nil {
		return "", err
	}
	if len(content) > maxSecretFileSize {
		return "", errTooBig
	}
	return strings.TrimSpace(string(content)), nil
}

func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "this process may not read it"
	case errors.Is(err, errTooBig):
		return "it is larger than 64 KiB, so it is not a secret"
	default:
		return "it cannot be read as a file"
	}
}

// unknown reports variables with our prefix that nothing reads: most likely a slip of the keyboard.
func (l *loader) unknown() {
	var names []string
	for name, value := range l.env {
		if !strings.HasPrefix(name, ownPrefix) || slices.Contains(ownVariables, name) || foreign.MatchString(name) {
			continue
		}
		if name == "COUNTERSIGN_PORT" && strings.Contains(value, "://") {
			continue // an orchestrator's announcement, as in foreign
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		l.wrong(name, "there is no such setting; correct the name or remove it. The names are "+strings.Join(ownVariables, ", ")+".", "")
	}
}
