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
	raw       map[string]any
}

// parseReport reads an error object, an array of one, a bare string, top-level fields, and vendor envelopes.
func parseReport(body []byte) report {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var document any
	if decoder.Decode(&document) != nil {
		return report{}
	}
	if list, ok := document.([]any); ok && len(list) > 0 {
		document = list[0]
	}
	top, ok := document.(map[string]any)
	if !ok {
		return report{}
	}
	return reportOf(top)
}

func reportOf(top map[string]any) report {
	r := report{structured: true}
	switch inner := top["error"].(type) {
	case map[string]any:
		r.raw = inner
	case string:
		r.message, r.raw = inner, top
	default:
		r.raw = top
	}
	if vendor, ok := top["base_resp"].(map[string]any); ok {
		r.raw = vendor
		r.names = append(r.names, "base_resp:"+scalar(vendor["status_code"]))
	} else if list, ok := top["errors"].([]any); ok && len(list) > 0 {
		r.raw, _ = list[0].(map[string]any)
	}
	r.collect()
	r.requestID = cmp.Or(scalar(top["request_id"]), scalar(r.raw["request_id"]))
	return r
}

// collect takes the fields that the shapes have in common.
func (r *report) collect() {
	metadata, _ := r.raw["metadata"].(map[string]any)
	inner, _ := r.raw["innererror"].(map[string]any)
	for _, value := range []any{r.raw["code"], r.raw["type"], r.raw["status"], metadata["error_type"], inner["code"]} {
		if name := strings.ToLower(scalar(value)); name != "" {
			r.names = append(r.names, name)
		}
	}
	for _, value := range []any{r.raw["status"], r.raw["status_code"], r.raw["raw_status_code"], r.raw["code"]} {
		if n, err := strconv.Atoi(scalar(value)); err == nil && n >= 400 && n < 600 && r.status == 0 {
			r.status = n
		}
	}
	r.field = scalar(r.raw["param"])
	for _, key := range []string{"message", "detail", "msg", "status_msg"} {
		if r.message == "" {
			r.message = textOf(r.raw[key])
		}
	}
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
	"authentication_error": http.StatusUnauthorized, "invalid_api_key": http.StatusUnauthorized,
	"permission_error": http.StatusForbidden, "permission_denied": http.StatusForbidden,
	"not_found_error": http.StatusNotFound, "model_not_found": http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"invalid_request_error": http.StatusBadRequest, "invalid_request": http.StatusBadRequest,
	"badrequesterror": http.StatusBadRequest, "invalid_argument": http.StatusBadRequest,
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
