package api

import (
	"bytes"
	"errors"
	"io"
	"regexp"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/audit"
	"countersign/models"
	"countersign/rbac"
)

// hidePersonal hides personal data in whatever an answer says, errors included, from people without contact:pii. Services
// have masked the fields that hold such data by then; this is for what people write into others. The right is that of
// the moment when the session was found, so it takes no query.
func (s *server) hidePersonal(ctx huma.Context, _ string, v any) (any, error) {
	route := s.routes[ctx.Method()+" "+ginPath(ctx.Operation().Path)]
	if v == nil || route.Plain || s.Gate.Holds(ctx.Context(), requestOf(ctx.Context()).subject, rbac.ContactPII) {
		return v, nil
	}
	return impersonal(models.ToJSON(v))
}

// ownText is where an answer holds no text of records: amounts, places in lists, digests, and what a proposal will write,
// which is its requester's own and has to be seen whole.
var ownText = regexp.MustCompile(`/(?:amount|unitPrice|quantity|discountAmount|next|digest)$|/changes/\d+/after(?:Display)?$`)

// impersonal is a JSON document without the personal data in its texts.
func impersonal(document models.JSON) (models.JSON, error) {
	var masked bytes.Buffer
	in, out := jsontext.NewDecoder(bytes.NewReader(document)), jsontext.NewEncoder(&masked)
	for {
		token, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			return masked.Bytes(), nil
		}
		if err != nil {
			return nil, err
		}
		if token.Kind() == '"' {
			if text := token.String(); audit.MaskText(text) != text && !ownText.MatchString(string(in.StackPointer())) {
				token = jsontext.String(audit.MaskText(text))
			}
		}
		if err := out.WriteToken(token); err != nil {
			return nil, err
		}
	}
}
