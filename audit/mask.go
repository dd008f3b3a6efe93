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
	value, ok := decode(args)
	if !ok {
		return "(not JSON)"
	}
	return mask(value)
}

// MaskJSON returns a text of any length with personal data hidden where the whole text is a JSON object or array, such
// as the arguments or the result of a tool call. Any other text stays as it is.
func MaskJSON(text string) string {
	if start := strings.TrimSpace(text); !strings.HasPrefix(start, "{") && !strings.HasPrefix(start, "[") {
		return text
	}
	value, ok := decode(json.RawMessage(text))
	if !ok {
		return text
	}
	masked, err := json.Marshal(mask(value))
	if err != nil {
		panic(err) // what was decoded can be encoded
	}
	return string(masked)
}

func decode(document json.RawMessage) (value any, ok bool) {
	if !json.Valid(document) {
		return nil, false
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber() // numbers stay as they were written
	err := decoder.Decode(&value)
	return value, err == nil
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
