package agent_test

import (
	"flag"
	"os"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

const promptFile = "testdata/prompt.golden.txt"

// maxPromptTokens bounds the system prompt without the administrator's own words. A token is taken for three
// characters, which is less than English needs.
const maxPromptTokens = 3000

// What the model is told of its work, word for word: who, role, date and time zone, guidelines, format.
func TestSystemPrompt(t *testing.T) {
	t.Parallel()
	endpoint := llmtest.Script(llmtest.Say("Hi."))
	d := talk(t, dbtest.Open(t, "sqlite"), endpoint)
	d.send(t, d.Sales1, agent.Request{Message: "What is new in the pipeline?"})
	message := endpoint.Requests()[0].Messages[0]
	require.Equal(t, "system", message.Role)
	if *update {
		require.NoError(t, os.WriteFile(promptFile, []byte(message.Content+"\n"), 0o600))
	}
	want, err := os.ReadFile(promptFile)
	require.NoError(t, err)
	require.Equal(t, string(want), message.Content+"\n")
	require.Less(t, utf8.RuneCountInString(message.Content)/3, maxPromptTokens)
}
