package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// report is what an error body says, whatever its shape.
type report struct {
	// structured says that the body is an error of an API, not a page of some server.
	structured bool
	// names are the codes and types that it gives, in lower case.
	names   []string
	message string
	// field is the request field it complains about.
	field string
	// status is the HTTP status that it names, or zero.
	status int
	// requestID is the provider's name for the request.
	requestID string
	// levels are the objects it was read from, the outermost first.
	levels []map[string]any
}

// parseReport reads an error in any of the shapes that providers and the gateways before them have: an object, an
// array of one, top-level fields, vendor envelopes, a text, plain words, or one of these in an event stream.
func parseReport(body []byte) report {
	var r report
	if document, ok := decodeAny(body); ok {
		r.read(document)
		return r
	}
	for frame, err := range Frames(bytes.NewReader(body), len(body)) {
		if err != nil {
			break
		}
		if document, ok := decodeAny([]byte(frame.Data)); ok {
			r.read(document)
			return r
		}
	}
	if text := bytes.TrimSpace(body); len(text) > 0 && !bytes.ContainsAny(text[:1], "<{[") {
		r.read(string(text))
	}
	return r
}

// isReport reports whether a document without a field for an error is one: it says what is wrong at the top.
func isReport(document []byte) bool {
	r := parseReport(document)
	return r.structured && r.message != ""
}

// decodeAny decodes the object, list or text that text begins with. Words may begin with a number.
func decodeAny(text []byte) (document any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&document) != nil {
		return nil, false
	}
	_, number := document.(json.Number)
	return document, !number
}

// wrappers are the fields that hold an error, or the words of one.
var wrappers = []string{"error", "errors", "base_resp", "message", "detail", "msg", "status_msg"}

// read takes what an error says, and what the error within it says, which counts for more: a gateway wraps the
// error of the server behind it, as an object or as its text.
func (r *report) read(value any) {
	switch v := value.(type) {
	case string:
		r.readText(v)
	case []any:
		if len(v) > 0 {
			r.read(v[0])
		}
	case map[string]any:
		r.structured = true
		r.collect(v)
		for _, key := range wrappers {
			if list, ok := v[key].([]any); ok && key != "error" && key != "errors" {
				r.say(textOf(list))
			} else {
				r.read(v[key])
			}
		}
		metadata, _ := v["metadata"].(map[string]any)
		r.read(metadata["raw"])
	}
}

// readText takes words, or a document in the form of a text. Words without a blank may be a code.
func (r *report) readText(text string) {
	if document, ok := decodeAny([]byte(text)); ok && strings.ContainsAny(text[:1], "{[") && json.Valid([]byte(text)) {
		r.read(document)
		return
	}
	if !strings.Contains(text, " ") {
		r.names = append(r.names, strings.ToLower(text))
	}
	r.say(text)
}

// say adds a sentence.
func (r *report) say(sentence string) {
	if !strings.Contains(r.message, sentence) {
		r.message = strings.TrimPrefix(r.message+"\n"+sentence, "\n")
	}
}

// collect takes the fields that the shapes have in common.
func (r *report) collect(fields map[string]any) {
	r.levels = append(r.levels, fields)
	metadata, _ := fields["metadata"].(map[string]any)
	inner, _ := fields["innererror"].(map[string]any)
	named := []any{fields["code"], fields["type"], fields["status"], metadata["error_type"], inner["code"]}
	details, _ := fields["details"].([]any)
	for _, detail := range details {
		info, _ := detail.(map[string]any)
		named = append(named, info["reason"])
	}
	for _, value := range named {
		if name := strings.ToLower(scalar(value)); name != "" {
			r.names = append(r.names, name)
		}
	}
	if code := scalar(fields["status_code"]); code != "" {
		r.names = append(r.names, "base_resp:"+code)
	}
	for _, key := range []string{"code", "raw_status_code", "status_code", "http_code", "status"} {
		if n, err := strconv.Atoi(scalar(fields[key])); err == nil && n >= 400 && n < 600 {
			r.status = n
		}
	}
	r.field = cmp.Or(scalar(fields["param"]), r.field)
	r.requestID = cmp.Or(r.requestID, scalar(fields["request_id"]))
}

func (r *report) has(names ...string) bool {
	for _, have := range r.names {
		for _, name := range names {
			if have == name {
				return true
			}
		}
	}
	return false
}

// typeStatus is the status that an error inside a stream would have had, by its type.
var typeStatus = map[string]int{
	"rate_limit": http.StatusTooManyRequests, "rate_limit_error": http.StatusTooManyRequests,
	"rate_limit_exceeded": http.StatusTooManyRequests, "requests": http.StatusTooManyRequests,
	"tokens": http.StatusTooManyRequests, "resource_exhausted": http.StatusTooManyRequests,
	"base_resp:1002": http.StatusTooManyRequests, "base_resp:1004": http.StatusUnauthorized,
	"base_resp:2049": http.StatusUnauthorized, "base_resp:2013": http.StatusBadRequest,
	"too_many_requests": http.StatusTooManyRequests, "toomanyrequests": http.StatusTooManyRequests,
	"authentication_error": http.StatusUnauthorized, "invalid_api_key": http.StatusUnauthorized,
	"unauthenticated": http.StatusUnauthorized, "not_found": http.StatusNotFound,
	"permission_error": http.StatusForbidden, "permission_denied": http.StatusForbidden,
	"not_found_error": http.StatusNotFound, "model_not_found": http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"invalid_request_error": http.StatusBadRequest, "invalid_request": http.StatusBadRequest,
	"badrequesterror": http.StatusBadRequest, "invalid_argument": http.StatusBadRequest,
	"failed_precondition": http.StatusBadRequest,
}

// inferStatus gives the status of an error that came with a 200: its own, or its type's. What names neither
// is a server in trouble.
func (r *report) inferStatus() int {
	if r.status != 0 {
		return r.status
	}
	for _, name := range r.names {
		if status := typeStatus[name]; status != 0 {
			return status
		}
	}
	return http.StatusServiceUnavailable
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func textOf(v any) string {
	if s := scalar(v); s != "" || v == nil {
		return s
	}
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
