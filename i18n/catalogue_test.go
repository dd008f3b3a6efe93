package i18n_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"countersign/internal/archtest"
)

// builtPrefixes begin the keys that the code puts together while running.
var builtPrefixes = []string{"activity_kind.", "company_status.", "email.", "field.", "model.", "probe.", "proposal_status.", "quotation_status.", "resolve.count.", "resolve.kind.", "role.", "tool."}

// catalogue is a catalogue file: key → plural form → text.
type catalogue map[string]map[string]string

func load(t *testing.T, lang string) catalogue {
	t.Helper()
	file, err := os.ReadFile("active." + lang + ".json")
	require.NoError(t, err)
	var raw map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(file, &raw))
	require.Equal(t, len(raw), strings.Count(string(file), "\n  \""), "one key a line, none twice")
	texts := catalogue{}
	for key, value := range raw {
		forms := map[string]string{}
		if json.Unmarshal(value, &forms) != nil {
			var text string
			require.NoError(t, json.Unmarshal(value, &text), key)
			forms["other"] = text
		}
		texts[key] = forms
	}
	return texts
}

var placeholder = regexp.MustCompile(`\{\{(.*?)\}\}`)

// placeholders of all forms of a text, sorted, each once.
func placeholders(t *testing.T, key string, forms map[string]string) []string {
	t.Helper()
	names := []string{}
	for _, text := range forms {
		for _, found := range placeholder.FindAllStringSubmatch(text, -1) {
			require.Regexp(t, `^\.[a-z][A-Za-z]*$`, found[1], "%s: a placeholder is {{.name}}", key)
			names = append(names, found[1][1:])
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestCataloguesHaveTheSameKeys(t *testing.T) {
	t.Parallel()
	english, chinese := load(t, "en"), load(t, "zh-HK")
	require.Equal(t, slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(chinese)))
	for key, forms := range english {
		require.Equal(t, placeholders(t, key, forms), placeholders(t, key, chinese[key]), "placeholders of %s", key)
		require.Equal(t, []string{"other"}, slices.Collect(maps.Keys(chinese[key])), "%s: Chinese has one form", key)
		for form, text := range forms {
			require.Contains(t, []string{"one", "other"}, form, key)
			require.NotEmpty(t, text, key)
		}
		require.NotEmpty(t, forms["other"], key)
		require.NotEmpty(t, chinese[key]["other"], key)
	}
}

// simplified are frequent characters of Simplified Chinese that Traditional Chinese does not have.
const simplified = "们这个对说时会来为国发关开问见长门间务产业电话与请没还进给让应数据处录户单价经过动样实现题点击删"

func TestChineseIsTraditional(t *testing.T) {
	t.Parallel()
	for key, forms := range load(t, "zh-HK") {
		require.False(t, strings.ContainsAny(forms["other"], simplified), "%s: %s", key, forms["other"])
	}
}

// call is a call of i18n.T in the module.
type call struct {
	at      string
	key     string
	isBuilt bool // key is only the beginning
	args    []string
	spread  bool
}

func TestCallsUseTheCatalogue(t *testing.T) {
	t.Parallel()
	texts := load(t, "en")
	for _, c := range calls(t) {
		forms, known := texts[c.key]
		switch {
		case c.isBuilt:
			assert.Contains(t, builtPrefixes, c.key, "%s: the prefix of a key that is put together", c.at)
		case !known:
			assert.Fail(t, c.at+": no text has the key "+c.key)
		case !c.spread:
			assert.Equal(t, placeholders(t, c.key, forms), c.args, "%s: the values of %s", c.at, c.key)
		}
	}
}

func TestEveryTextIsUsed(t *testing.T) {
	t.Parallel()
	used := literals(t)
	for key := range load(t, "en") {
		isBuilt := slices.ContainsFunc(builtPrefixes, func(p string) bool { return strings.HasPrefix(key, p) })
		assert.True(t, isBuilt || used[key], "%s: nothing uses this text", key)
	}
}

// calls finds the calls of i18n.T whose key is a literal or begins with one.
func calls(t *testing.T) []call {
	t.Helper()
	var found []call
	for _, file := range module(t) {
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if c, ok := node.(*ast.CallExpr); ok && isT(c.Fun) && len(c.Args) >= 2 {
				if key, isBuilt, ok := literal(c.Args[1]); ok {
					found = append(found, call{file.At(c), key, isBuilt, argumentNames(c.Args[2:]), c.Ellipsis.IsValid()})
				}
			}
			return true
		})
	}
	return found
}

func isT(function ast.Expr) bool {
	selector, ok := function.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "T" {
		return false
	}
	pkg, ok := selector.X.(*ast.Ident)
	return ok && pkg.Name == "i18n"
}

// literal is the text of a string literal, or of the one that an expression begins with.
func literal(expr ast.Expr) (text string, isBuilt, ok bool) {
	switch e := expr.(type) {
	case *ast.BinaryExpr:
		text, _, ok = literal(e.X)
		return text, true, ok
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, false, err == nil && e.Kind == token.STRING
	}
	return "", false, false
}

func argumentNames(args []ast.Expr) []string {
	names := []string{}
	for i := 0; i < len(args); i += 2 {
		name, _, ok := literal(args[i])
		if !ok {
			name = fmt.Sprintf("argument %d, which is no literal", i)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// literals are all string literals of the module.
func literals(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, file := range module(t) {
		ast.Inspect(file.Syntax, func(node ast.Node) bool {
			if basic, ok := node.(*ast.BasicLit); ok {
				text, _, _ := literal(basic)
				found[text] = true
			}
			return true
		})
	}
	return found
}

func module(t *testing.T) []archtest.File {
	t.Helper()
	files, err := archtest.Scan(os.DirFS(".."))
	require.NoError(t, err)
	return files
}
