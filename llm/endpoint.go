package llm

import (
	"net/netip"
	"net/url"
	"strings"

	"countersign/apperr"
)

// Hint says what a normalisation changed, for the admin to see.
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

// exampleEndpoint stands in sentences about addresses of the OpenAI dialect.
const exampleEndpoint = "https://api.openai.com/v1"

// callPaths are paths that people paste along with the base.
var callPaths = []string{"/chat/completions", "/completions", "/responses", "/embeddings", "/models"}

// NormalizeEndpoint makes a base URL of the OpenAI dialect out of what a person typed or pasted. It is Invalid
// for what cannot be one, with a sentence that says why. The query stays, as Azure needs it.
func NormalizeEndpoint(typed string) (Endpoint, error) {
	return NormalizeBase(typed, exampleEndpoint, cleanPath)
}

// NormalizeBase does what the dialects have in common: it is NormalizeEndpoint with the example that its
// sentences give, and with the dialect's own rule for the path, which has no final slash.
func NormalizeBase(typed, example string, clean func(path string) (string, Hint)) (Endpoint, error) {
	out := Endpoint{URL: strings.TrimSpace(typed)}
	if out.URL == "" {
		return out, invalidEndpoint("Enter the address of the endpoint, such as " + example + ".")
	}
	if !strings.Contains(out.URL, "://") {
		out.URL, out.Hint = guessScheme(out.URL)+"://"+out.URL, HintAddedScheme
	}
	base, err := url.Parse(out.URL)
	switch {
	case err != nil || base.Hostname() == "" || strings.ContainsAny(base.Host, " \t"):
		return out, invalidEndpoint("This is not a web address. It looks like " + example + ".")
	case base.Scheme != "http" && base.Scheme != "https":
		return out, invalidEndpoint("The address must begin with https:// or http://.")
	case base.User != nil:
		return out, invalidEndpoint("Leave name and password out of the address; the key has its own field.")
	}
	path, hint := clean(strings.TrimRight(strings.TrimSpace(base.Path), "/"))
	if hint != HintNone {
		out.Hint = hint
	}
	base.Path, base.RawPath = path, ""
	base.Scheme, base.Host = strings.ToLower(base.Scheme), strings.ToLower(base.Host)
	base.Fragment, base.RawFragment = "", ""
	out.URL = base.String()
	return out, nil
}

// cleanPath cuts the path of a call, and adds the version that nearly every server wants where there is no path.
// A server that has its calls at the root gets the path "/.", which means the root and stays as it is.
func cleanPath(path string) (string, Hint) {
	path, cut := CutPath(path, callPaths)
	switch {
	case path == "" && cut:
		return "/.", HintCutPath
	case path == "":
		return "/v1", HintAddedVersion
	case cut:
		return path, HintCutPath
	}
	return path, HintNone
}

// CutPath takes the first of the ends that path has off it, and reports whether there was one.
func CutPath(path string, ends []string) (string, bool) {
	for _, end := range ends {
		if rest, ok := strings.CutSuffix(path, end); ok {
			return strings.TrimRight(rest, "/"), true
		}
	}
	return path, false
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
