package audit

import (
	"regexp"
	"strings"

	"countersign/models"
)

// Hidden stands for personal data in a text.
const Hidden = "••••••"

// HasHidden reports whether a text holds what stands for personal data, in whole or in part. It is refused wherever
// something is written: it would be saved in the place of the real value.
func HasHidden(text string) bool { return strings.Contains(text, "••") }

// personalText finds e-mail addresses, phone numbers and identity numbers in free text, and before them what looks like
// one and is none.
var personalText = regexp.MustCompile(
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d+\.\d+|\b[Qq]-\d{4}-\d{4,}` +
		`|[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+` +
		`|\+\d(?:[ ()-]?\d){6,15}` +
		`|\b[2-9]\d{3}[ -]?\d{4}\b` +
		`|\b[A-Z]{1,2}\d{6} ?\([\dA]\)|\b\d{17}[\dXx]\b`)

// impersonal are ids, decimals with a fraction, and numbers of quotations.
var impersonal = regexp.MustCompile(`^(?:[0-9a-f]{8}-[0-9a-f-]{27}|\d+\.\d+|[Qq]-[\d-]+)$`)

// MaskText hides the personal data in a text.
func MaskText(text string) string {
	return personalText.ReplaceAllStringFunc(text, func(found string) string {
		if impersonal.MatchString(found) {
			return found
		}
		return Hidden
	})
}

// jsonText is a string of a JSON document; the first alternative is an amount of money, which is never personal.
var jsonText = regexp.MustCompile(`"amount":\s*"[^"\\]*"|"(?:[^"\\]|\\.)*"`)

// MaskResult hides the personal data in the strings of a JSON document, and leaves the rest of it as it is.
func MaskResult(document models.JSON) models.JSON {
	if document == nil {
		return nil
	}
	return models.JSON(jsonText.ReplaceAllStringFunc(string(document), func(literal string) string {
		if strings.HasPrefix(literal, `"amount":`) {
			return literal
		}
		return MaskText(literal)
	}))
}
