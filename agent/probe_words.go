package agent

import (
	"context"
	"errors"
	"net/http"

	"countersign/llm"
)

// probeCodes and probeKinds name the texts that say what is wrong, for an administrator who can change it. The code
// decides before the kind.
var probeCodes = map[string]string{
	llm.CodeDNS: "dns", llm.CodeTLS: "tls", llm.CodeConnect: "unreachable", llm.CodeBlockedAddress: "blocked",
	llm.CodeRedirected: "redirected", llm.CodeEndpointNotFound: "not_found", llm.CodeNotEventStream: "not_api",
	llm.CodeEmptyStream: "empty", llm.CodeEmptyResponse: "empty", llm.CodeNoModelList: "no_list",
}

var probeKinds = map[llm.Kind]string{
	llm.Unauthorized: "key_refused", llm.ModelNotFound: "no_model", llm.RateLimited: "busy", llm.Quota: "quota",
	llm.ContextTooLong: "too_long", llm.InvalidRequest: "refused", llm.Unavailable: "trouble", llm.Timeout: "too_slow",
	llm.CutStream: "cut", llm.Malformed: "unreadable", llm.NoTools: "no_tools", llm.ContentFilter: "filtered",
}

// reason says in words why a call failed. No word is the endpoint's: its host may be any that answers, and what it
// says is not for the one who named it.
func (t *trial) reason(err error) string {
	if failed, ok := errors.AsType[*llm.Error](err); ok {
		return t.text(probeText(failed, t.hasKey), "status", failed.Status)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return t.text("too_slow")
	}
	return t.text("trouble")
}

// probeText is the name of the text for a failure.
func probeText(failed *llm.Error, hasKey bool) string {
	switch {
	case failed.Kind == llm.Unauthorized && !hasKey:
		return "key_missing"
	case failed.Kind == llm.Unauthorized && failed.Status == http.StatusForbidden:
		return "key_forbidden"
	}
	if text := probeCodes[failed.Code]; text != "" {
		return text
	}
	return probeKinds[failed.Kind]
}

// toolReason is reason for a request that offers a tool, to an endpoint that has accepted one without.
func (t *trial) toolReason(err error) string {
	failed, ok := errors.AsType[*llm.Error](err)
	switch {
	case !ok:
	case failed.Code == llm.CodeLeakedMarkup:
		return t.text("leaked_call")
	case failed.Code == llm.CodeBadToolCall:
		return t.text("bad_call")
	case failed.Kind == llm.InvalidRequest:
		return t.text("no_tools")
	}
	return t.reason(err)
}
