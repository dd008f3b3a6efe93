package tools_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/i18n"
	"countersign/rbac"
	"countersign/tools"
)

var update = flag.Bool("update", false, "write the golden files anew")

// standard is the registry of the product, of which nothing is called.
func standard() *tools.Registry { return tools.Standard(tools.Services{}) }

// schema is what the tests read of the JSON Schema of arguments.
type schema struct {
	Type                 string            `json:"type"`
	Properties           map[string]schema `json:"properties"`
	Required             []string          `json:"required"`
	AdditionalProperties *bool             `json:"additionalProperties"`
	Description          string            `json:"description"`
	Enum                 []string          `json:"enum"`
	Items                *schema           `json:"items"`
	MaxLength            int               `json:"maxLength"`
	MaxItems             int               `json:"maxItems"`
	Maximum              *float64          `json:"maximum"`
	Kind                 string            `json:"x-kind"`
}

func schemaOf(t *testing.T, tool *tools.Tool) (s schema) {
	t.Helper()
	require.NoError(t, json.Unmarshal(tools.Schema(tool), &s))
	return s
}

func TestEveryToolSaysWhatItIs(t *testing.T) {
	t.Parallel()
	registry := standard()
	for _, tool := range registry.All() {
		t.Run(tool.Name, func(t *testing.T) {
			require.Regexp(t, `^[a-z]+(_[a-z]+)+$`, tool.Name)
			require.True(t, tool.Permission.Declared())
			require.Contains(t, []tools.Effect{tools.Read, tools.Create, tools.Sensitive, tools.Destructive}, tool.Effect)
			require.Contains(t, []tools.After{tools.Continue, tools.Finish}, tool.After)
			require.FileExists(t, tool.Name+".go")
			require.FileExists(t, tool.Name+".md")
			require.FileExists(t, tool.Name+"_test.go")

			s := schemaOf(t, tool)
			if tool.Main != "" {
				require.Contains(t, s.Properties, tool.Main)
			}
			require.NotEmpty(t, strings.TrimSpace(tool.Description))
			require.Less(t, len(tool.Description), 1000)
			if takesARecord(s) {
				require.Regexp(t, `(?i)name`, tool.Description)
				require.Regexp(t, `\bIDs?\b`, tool.Description)
			}
		})
	}
}

func takesARecord(s schema) bool {
	for name, p := range s.Properties {
		if p.Kind != "" || name == "record" {
			return true
		}
	}
	return false
}

func TestEveryToolHasALabelInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, tool := range standard().All() {
		key := "tool." + tool.Name + ".label"
		english, chinese := i18n.T(i18n.EN, key), i18n.T(i18n.ZhHK, key)
		require.NotEqual(t, key, english)
		require.NotEqual(t, english, chinese, key)
		require.NotRegexp(t, `[a-z]{4}`, chinese)
	}
}

func TestEveryExampleIsACommandOfItsTool(t *testing.T) {
	t.Parallel()
	registry := standard()
	for _, tool := range registry.All() {
		command, err := registry.ParseCommand("en", tool.Example)
		require.NoError(t, err, tool.Example)
		require.Equal(t, tool.Name, command.Tool)
		_, err = tools.Check(tool, "en", command.Args)
		require.NoError(t, err, tool.Example)
	}
}

func TestEveryShortFormOfTheContractIsThere(t *testing.T) {
	t.Parallel()
	registry := standard()
	for short, name := range map[string]string{
		"/find x": "search_records", "/deal x": "get_deal", "/company x": "get_company", "/pipeline": "summarize_deals", "/note x": "log_activity",
		"/contact x": "get_contact", "/task x": "create_task", "/quote x": "get_quotation",
	} {
		command, err := registry.ParseCommand("en", short)
		require.NoError(t, err)
		require.Equal(t, name, command.Tool)
	}
}

// A model reaches a change only through a proposal, and a deletion not at all.
func TestEffectsAreKept(t *testing.T) {
	t.Parallel()
	effects := map[string]tools.Effect{
		"search_records": tools.Read, "search_companies": tools.Read, "get_company": tools.Read, "list_deals": tools.Read,
		"get_deal": tools.Read, "summarize_deals": tools.Read, "create_company": tools.Create, "log_activity": tools.Create,
		"list_activities": tools.Read, "list_pipelines": tools.Read, "list_proposals": tools.Read, "search_products": tools.Read,
		"update_deal": tools.Sensitive, "update_company": tools.Sensitive, "update_contact": tools.Sensitive, "reassign_owner": tools.Sensitive,
		"update_deal_stage": tools.Sensitive, "send_quotation_email": tools.Sensitive, "bulk_update_deals": tools.Sensitive, "delete_record": tools.Destructive,
		"search_contacts": tools.Read, "get_contact": tools.Read, "list_tasks": tools.Read,
		"get_quotation": tools.Read, "list_quotations": tools.Read, "update_quotation_status": tools.Sensitive,
		"draft_quotation": tools.Create, "revise_quotation": tools.Create,
		"create_contact": tools.Create, "create_task": tools.Create, "complete_task": tools.Create,
	}
	for _, tool := range standard().All() {
		require.Equal(t, effects[tool.Name], tool.Effect, tool.Name)
		require.Equal(t, tool.Effect == tools.Sensitive || tool.Effect == tools.Create, tools.Proposes(tool), tool.Name)
		require.Equal(t, tool.Effect != tools.Sensitive, tools.Runs(tool), tool.Name)
		action := tool.Permission.Action()
		if tool.Name == "complete_task" { // the one change that runs: it reaches nothing but a task of one's own, and is undone as easily
			action = "create"
		}
		require.NotEqual(t, "delete", action, tool.Name)
		require.Equal(t, tool.Effect == tools.Create, action == "create", tool.Name)
		require.Equal(t, tool.Effect == tools.Sensitive, slices.Contains([]string{"update", "assign", "send", "bulk"}, action), tool.Name)
		require.NotRegexp(t, `confirm|approve|decide|cancel`, tool.Name)
	}
	require.Len(t, standard().All(), len(effects))
}

// A tool that changes records has what makes that safe: a card bound to a version of the record, rows for every field
// that it sets, a way back or a sentence why there is none, and a test of what it refuses (APR-09). That each works is
// tested with the real tools in package confirm.
func TestEverySensitiveToolIsAccountedFor(t *testing.T) {
	t.Parallel()
	for _, tool := range standard().All() {
		if tool.Effect == tools.Sensitive {
			require.Empty(t, unaccounted(t, tool), tool.Name)
		}
	}
	bare := tools.NewSensitiveTool(tools.Definition{Name: "list_pipelines"})
	require.Equal(t, []string{"no target with a version", "neither a way back nor a reason why not", "no test of what it refuses"}, unaccounted(t, bare))
}

// unaccounted is what a sensitive tool lacks.
func unaccounted(t *testing.T, tool *tools.Tool) (lacks []string) {
	t.Helper()
	if len(tools.Targets(tool)) == 0 {
		lacks = append(lacks, "no target with a version")
	}
	for arg, field := range tools.Sets(tool) {
		if tools.FieldLabel(field) == "" {
			lacks = append(lacks, "no label of what "+arg+" sets")
		}
	}
	waiver := tools.Waiver(tool)
	if len(tools.Sets(tool)) == 0 && waiver == "" {
		lacks = append(lacks, "neither a way back nor a reason why not")
	}
	if waiver != "" && (i18n.T(i18n.EN, waiver) == waiver || i18n.T(i18n.EN, waiver) == i18n.T(i18n.ZhHK, waiver)) {
		lacks = append(lacks, "no text of "+waiver)
	}
	source, err := os.ReadFile(tool.Name + "_test.go")
	require.NoError(t, err)
	if !strings.Contains(string(source), "func Test"+camel(tool.Name)+"Refuses(") {
		lacks = append(lacks, "no test of what it refuses")
	}
	return lacks
}

// camel writes update_deal as UpdateDeal.
func camel(name string) (s string) {
	for _, word := range strings.Split(name, "_") {
		s += strings.ToUpper(word[:1]) + word[1:]
	}
	return s
}

// No argument by which a card can be edited names a record or anything by its id.
func TestWhatIsEditableNamesNoRecord(t *testing.T) {
	t.Parallel()
	for _, tool := range standard().All() {
		s := schemaOf(t, tool)
		for name, field := range tools.Sets(tool) {
			require.Contains(t, s.Properties, name)
			names := strings.HasSuffix(field, "Id")
			require.Equal(t, names, s.Properties[name].Kind != "", "%s.%s", tool.Name, name)
			require.NotContains(t, []string{"id", "record", "type", "clear", "reason"}, name, tool.Name)
		}
	}
}

func TestRightsThatToolsAskFor(t *testing.T) {
	t.Parallel()
	asked := standard().Permissions()
	for _, p := range []rbac.Permission{rbac.AssistantUse, rbac.CompanyRead, rbac.CompanyCreate, rbac.DealRead, rbac.DealUpdate, rbac.DealAssign, rbac.CompanyUpdate, rbac.CompanyAssign, rbac.ActivityCreate} {
		require.Contains(t, asked, p)
	}
	for _, p := range asked {
		require.True(t, p.Declared(), p)
	}
}

// Every argument is bounded, described and of a type that a command can give.
func TestEveryArgumentIsBounded(t *testing.T) {
	t.Parallel()
	for _, tool := range standard().All() {
		requireBounded(t, tool.Name, schemaOf(t, tool))
	}
}

// requireBounded checks the members of an object, and of the objects that are items of its lists.
func requireBounded(t *testing.T, of string, s schema) {
	t.Helper()
	require.Equal(t, "object", s.Type)
	require.NotNil(t, s.AdditionalProperties)
	require.False(t, *s.AdditionalProperties)
	for _, name := range s.Required {
		require.Contains(t, s.Properties, name)
	}
	for name, p := range s.Properties {
		at := of + "." + name
		require.NotEmpty(t, p.Description, at)
		require.Regexp(t, `^[a-z_]+$`, name)
		one := p
		switch p.Type {
		case "array":
			require.NotZero(t, p.MaxItems, at)
			one = *p.Items
		case "integer":
			require.NotNil(t, p.Maximum, at)
			continue
		case "boolean":
			continue
		}
		if one.Type == "object" {
			requireBounded(t, at, one)
			continue
		}
		require.Equal(t, "string", one.Type, at)
		require.True(t, one.MaxLength > 0 || len(one.Enum) > 0, at)
		require.Contains(t, []string{"", "company", "contact", "deal", "task", "person", "team", "product", "pipeline", "stage", "quotation"}, p.Kind, at)
	}
}

// The names, arguments and descriptions are a contract with prompts, evaluations and outside clients: a change shows here.
func TestSchemasAreAsRecorded(t *testing.T) {
	t.Parallel()
	const file = "testdata/schemas.golden.json"
	type entry struct {
		Name       string            `json:"name"`
		Effect     tools.Effect      `json:"effect"`
		After      tools.After       `json:"after"`
		Permission rbac.Permission   `json:"permission"`
		Or         []rbac.Permission `json:"or,omitempty"`
		Main       string            `json:"main,omitempty"`
		Short      []string          `json:"short,omitempty"`
		Parameters json.RawMessage   `json:"parameters"`
	}
	var entries []entry
	for _, tool := range standard().All() {
		entries = append(entries, entry{tool.Name, tool.Effect, tool.After, tool.Permission, tool.Or, tool.Main, tool.Short, tools.Schema(tool)})
	}
	got, err := json.MarshalIndent(entries, "", "  ")
	require.NoError(t, err)
	got = append(got, '\n')
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o750))
		require.NoError(t, os.WriteFile(file, got, 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "if this change is meant: go test ./tools -run TestSchemasAreAsRecorded -update")
}

func TestDescriptionFilesBelongToTools(t *testing.T) {
	t.Parallel()
	var names []string
	for _, tool := range standard().All() {
		names = append(names, tool.Name+".md")
	}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") {
			require.True(t, slices.Contains(names, e.Name()), "%s describes no tool", e.Name())
		}
	}
}
