package llm

import (
	"net/netip"
	"net/url"
	"strings"

	"countersign/apperr"
)

// Hint says what NormalizeEndpoint changed, for the admin to see.
type Hint string

// The hints.
const (
	HintNone         Hint = ""
	HintAddedScheme  Hint = "added_scheme"
	HintAddedVersion Hint = "added_version"
	HintCutPath      Hint = "cut_path"
)

// Endpoint is a base URL without a final slash, to which a dialect appends its paths.
type Endpoint struct {
	URL  string
	Hint Hint
}

// callPaths are paths that people paste along with the base.
var callPaths = []string{"/chat/completions", "/completions", "/responses", "/embeddings", "/models"}

// NormalizeEndpoint makes a base URL of the OpenAI dialect out of what a person typed or pasted. It is Invalid
// for what cannot be one, with a sentence that says why. The query stays, as Azure needs it.
func NormalizeEndpoint(typed string) (Endpoint, error) {
	out := Endpoint{URL: strings.TrimSpace(typed)}
	if out.URL == "" {
		return out, invalidEndpoint("Enter the address of the endpoint, such as https://api.openai.com/v1.")
	}
	if !strings.Contains(out.URL, "://") {
		out.URL, out.Hint = guessScheme(out.URL)+"://"+out.URL, HintAddedScheme
	}
	base, err := url.Parse(out.URL)
	switch {
	case err != nil || base.Hostname() == "" || strings.ContainsAny(base.Host, " \t"):
		return out, invalidEndpoint("This is not a web address. It looks like https://api.openai.com/v1.")
	case base.Scheme != "http" && base.Scheme != "https":
		return out, invalidEndpoint("The address must begin with https:// or http://.")
	case base.User != nil:
		return out, invalidEndpoint("Leave name and password out of the address; the key has its own field.")
	}
	if hint := cleanPath(base); hint != HintNone {
		out.Hint = hint
	}
	base.Scheme, base.Host = strings.ToLower(base.Scheme), strings.ToLower(base.Host)
	base.Fragment, base.RawFragment = "", ""
	out.URL = base.String()
	return out, nil
}

// cleanPath cuts the path of a call, and adds the version that nearly every server wants where there is no path.
// A server that has its calls at the root gets the path "/.", which means the root and stays as it is.
func cleanPath(base *url.URL) Hint {
	path, hint := strings.TrimRight(strings.TrimSpace(base.Path), "/"), HintNone
	for _, call := range callPaths {
		if cut, ok := strings.CutSuffix(path, call); ok {
			path, hint = strings.TrimRight(cut, "/"), HintCutPath
			break
		}
	}
	switch {
	case path == "" && hint == HintCutPath:
		path = "/."
	case path == "":
		path, hint = "/v1", HintAddedVersion
	}
	base.Path, base.RawPath = path, ""
	return hint
}

// guessScheme takes plain http for a server of one's own.
func guessScheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	host, _, _ = strings.Cut(host, ":")
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || !strings.Contains(host, ".") || err == nil && (ip.IsLoopback() || ip.IsPrivate()) {
		return "http"
	}
	return "https"
}

func invalidEndpoint(sentence string) error {
	return apperr.New(apperr.Invalid, "INVALID_ENDPOINT", sentence).
		WithFields(apperr.FieldError{Path: "endpointUrl", Message: sentence})
}
