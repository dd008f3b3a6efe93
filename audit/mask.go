package audit

import (
	"bytes"
	"encoding/json"
	"strings"
)

// maxMasked bounds masked arguments in bytes.
const maxMasked = 4000

// personal are the members of arguments whose values are personal data.
var personal = map[string]bool{"phone": true, "email": true, "whatsapp": true, "mobile": true, "password": true, "apikey": true, "api_key": true}

// IsPersonal reports whether values of a field or argument are personal data.
func IsPersonal(name string) bool { return personal[strings.ToLower(name)] }

// Mask returns JSON arguments with personal data hidden, for the record. Arguments that are
// not JSON, or too long, are replaced by a note.
func Mask(args json.RawMessage) any {
	if len(args) > maxMasked {
		return "(too long to record)"
	}
	if !json.Valid(args) {
		return "(not JSON)"
	}
	decoder := json.NewDecoder(bytes.NewReader(args))
	decoder.UseNumber() // numbers stay as they were written
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "(not JSON)"
	}
	return mask(value)
}

func mask(value any) any {
	switch v := value.(type) {
	case map[string]any:
		masked := make(map[string]any, len(v))
		for name, member := range v {
			if IsPersonal(name) {
				masked[name] = "(hidden)"
				continue
			}
			masked[name] = mask(member)
		}
		return masked
	case []any:
		masked := make([]any, len(v))
		for i := range v {
			masked[i] = mask(v[i])
		}
		return masked
	default:
		return value
	}
}
