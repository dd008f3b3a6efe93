package i18n_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The same thing has one name, whether the server or the page says it.
func TestWordsAgreeWithThePage(t *testing.T) {
	t.Parallel()
	groups := map[string]string{
		"activity_kind": "activityKind", "company_status": "companyStatus", "quotation_status": "quotationStatus",
		"resolve.kind": "recordType", "role": "role",
	}
	for _, lang := range []string{"en", "zh-HK"} {
		file, err := os.ReadFile("../frontend/src/i18n/" + lang + ".json")
		require.NoError(t, err)
		var page map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(file, &page))
		server := load(t, lang)
		for prefix, group := range groups {
			var words map[string]string
			require.NoError(t, json.Unmarshal(page[group], &words))
			for key, word := range words {
				if text, ok := server[prefix+"."+key]; ok {
					assert.Equal(t, strings.ToLower(word), strings.ToLower(text["other"]), "%s.%s in %s", prefix, key, lang)
				}
			}
		}
	}
}
