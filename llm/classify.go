package llm

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Response is an answer of a provider that says no.
type Response struct {
	// Status is the HTTP status; 200 for an error inside an answer that began well.
	Status int
	Header http.Header
	Body   []byte
	// Now is the time against which a reset time in the answer is counted.
	Now time.Time
	// Key is the API key, which is taken out of Detail.
	Key string
}

// Classify makes the *Error of a response. Status, type and code decide. Some servers report in words alone
// what others have a code for (an overflow as 500, a wrong key as 400); those words are the list below, and
// they only choose among kinds: no wording makes an error of the key, of the quota or of the request retryable.
func Classify(resp Response) *Error {
	r := parseReport(resp.Body)
	s := signal{report: r, status: resp.Status, words: strings.ToLower(r.message)}
	if s.status < http.StatusBadRequest {
		s.status = r.inferStatus()
	}
	err := s.failure()
	err.Status = resp.Status
	err.RequestID = shorten(cmp.Or(resp.Header.Get("Request-Id"), resp.Header.Get("X-Request-Id"), r.requestID), 100)
	err.Detail = redact(r.message, resp.Key)
	if err.Retryable {
		err.RetryAfter = retryAfter(resp.Header, r, resp.Now)
	}
	if err.Kind == InvalidRequest && err.Code == "" {
		err.Adapt = adaptation(r)
	}
	return err
}

// signal is what the rules look at.
type signal struct {
	report
	status int
	words  string
}

// rule is one decision. Earlier rules win.
type rule struct {
	kind Kind
	code string
	when func(*signal) bool
}

var rules = []rule{
	{ContentFilter, "", func(s *signal) bool {
		return s.has("content_filter", "responsibleaipolicyviolation", "content_policy_violation",
			"data_inspection_failed", "datainspectionfailed", "1301", "base_resp:1026", "base_resp:1027")
	}},
	{Malformed, CodeBadToolCall, func(s *signal) bool {
		return s.has("tool_use_failed") || strings.HasPrefix(s.words, "error parsing tool call")
	}},
	{Quota, "", func(s *signal) bool {
		return s.status == http.StatusPaymentRequired || s.says(quotaWords) ||
			s.has("insufficient_quota", "insufficient_user_quota", "exceeded_current_quota_error", "arrearage",
				"billing_hard_limit_reached", "billing_not_active", "billing_error", "base_resp:1008", "1113")
	}},
	{RateLimited, "", func(s *signal) bool { return s.has("throttlingexception") || s.says(throttleWords) }},
	{ContextTooLong, "", (*signal).overflows},
	{Unauthorized, "", func(s *signal) bool {
		return s.status == http.StatusUnauthorized || s.has("invalid_api_key", "api_key_invalid", "authentication_error") || s.says(keyWords)
	}},
	{NoTools, "", func(s *signal) bool { return s.says(noToolsWords) }},
	{Unauthorized, "", func(s *signal) bool { return s.status == http.StatusForbidden }},
	{RateLimited, "", func(s *signal) bool { return s.status == http.StatusTooManyRequests }},
	{InvalidRequest, CodeRoles, func(s *signal) bool { return s.says(rolesWords) }},
	{InvalidRequest, "", func(s *signal) bool { return strings.Contains(s.words, "jinja exception") }},
	{ModelNotFound, "", (*signal).missesModel},
	{InvalidRequest, CodeEndpointNotFound, func(s *signal) bool {
		return s.status == http.StatusNotFound || s.status == http.StatusMethodNotAllowed
	}},
	{Unavailable, "", func(s *signal) bool {
		return s.status >= 500 || s.status == http.StatusRequestTimeout || s.status == http.StatusConflict
	}},
}

func (s *signal) failure() *Error {
	for _, rule := range rules {
		if rule.when(s) {
			return Fail(rule.kind, rule.code)
		}
	}
	return Fail(InvalidRequest, "")
}

func (s *signal) says(words *regexp.Regexp) bool { return words.MatchString(s.words) }

// overflows looks at words only where the status is not 429: rate limits speak of tokens, too.
func (s *signal) overflows() bool {
	if s.status == http.StatusRequestEntityTooLarge || s.has("context_length_exceeded", "exceed_context_size_error", "1261", "base_resp:1039") {
		return true
	}
	return s.status != http.StatusTooManyRequests && s.says(overflowWords)
}

// missesModel tells a missing model from a wrong address: an API that knows its own path answers in its own
// shape and names the model.
func (s *signal) missesModel() bool {
	if s.has("model_not_found", "model_not_exist") {
		return true
	}
	return s.structured && (s.status == http.StatusNotFound && s.says(modelWord) || s.says(noModelWords))
}

var (
	quotaWords    = regexp.MustCompile(`insufficient balance|credit balance|insufficient credits`)
	throttleWords = regexp.MustCompile(`throttlingexception`)
	keyWords      = regexp.MustCompile(`(?:incorrect|invalid) (?:x-)?api[ -]key|api key (?:not valid|expired)`)
	rolesWords    = regexp.MustCompile(`roles must alternate`)
	modelWord     = regexp.MustCompile(`\bmodels?\b`)
	noModelWords  = regexp.MustCompile(`model not exist|model not found|invalid model\b|not a valid model id|model .{1,80} does not exist|unknown model`)
	noToolsWords  = regexp.MustCompile(`does not support (?:tools|tool use|tool calling|function calling)` +
		"|\\b(?:tools|tool use|tool calling|function calling)`? (?:is|are) not (?:supported|enabled)" +
		`|support tool use|tool choice requires --enable-auto-tool-choice|tools param requires --jinja`)
	overflowWords = regexp.MustCompile(`context[ _](?:length|size|window|limit|overflow)|maximum context|token limit` +
		`|prompt is too long|input is too long|input token count|range of input length|input length \d+ exceeds` +
		`|maximum prompt length|prompt token count|exceeds? max(?:imum)? length|too many (?:input )?tokens`)
)

// redact takes the key out of a provider's message and shortens it. A key comes back whole, masked in the
// middle, or in part, so each longer piece of it goes.
func redact(message, key string) string {
	const read, keep, piece = 8 << 10, 500, 6
	message = message[:min(len(message), read)]
	if key != "" {
		message = strings.ReplaceAll(message, base64.StdEncoding.EncodeToString([]byte(key)), "[key]")
	}
	for n := len(key); n >= piece; n-- {
		message = strings.ReplaceAll(message, key[:n], "[key]")
		message = strings.ReplaceAll(message, key[len(key)-n:], "[key]")
	}
	message = strings.ToValidUTF8(message, "")
	if short := shorten(message, keep); short != message {
		return short + "…"
	}
	return message
}

func shorten(text string, keep int) string {
	if runes := []rune(text); len(runes) > keep {
		return string(runes[:keep])
	}
	return text
}
