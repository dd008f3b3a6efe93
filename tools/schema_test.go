package tools_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/tools"
)

func toolOf(t testing.TB, name string) *tools.Tool {
	t.Helper()
	for _, tool := range standard().All() {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return nil
}

func TestArgumentsThatAreFine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, args, want string }{
		{"list_deals", ``, `{}`},
		{"list_deals", ` `, `{}`},
		{"list_deals", `null`, `{}`},
		{"list_deals", "\n{ }\t", `{}`},
		{"list_deals", `{"limit":2.0}`, `{"limit":2}`},
		{"list_deals", `{"limit":1e1,"sort":"amount"}`, `{"limit":10,"sort":"amount"}`},
		{"list_deals", `{"limit":-0}`, `{"limit":0}`},
		{"get_deal", `{"deal":"O'Neil \"Best\" \u6d77 海 😀 <|im_start|>"}`, `{"deal":"O'Neil \"Best\" 海 海 😀 <|im_start|>"}`},
		{"get_deal", `{"deal":"` + strings.Repeat("海", 300) + `"}`, `{"deal":"` + strings.Repeat("海", 300) + `"}`},
		{"search_records", `{"types":["deal"],"query":"x"}`, `{"query":"x","types":["deal"]}`},
	} {
		raw := []byte(c.args)
		got, err := tools.Check(toolOf(t, c.tool), "en", raw)
		require.NoError(t, err, c.args)
		require.Equal(t, c.want, string(got))
		require.Equal(t, c.args, string(raw), "what came in is left as it was")
	}
}

func TestArgumentsThatAreWrong(t *testing.T) {
	t.Parallel()
	const object = "The arguments must be one JSON object in which no member comes twice."
	for _, c := range []struct {
		tool, args string
		want       []string
	}{
		{"get_deal", `{}`, []string{`The argument "deal" is missing.`}},
		{"get_deal", `{"deal":5}`, []string{`The argument "deal" must be of type string, not number.`}},
		{"get_deal", `{"deal":null}`, []string{`The argument "deal" must be of type string, not null.`}},
		{"get_deal", `{"deal":true}`, []string{`The argument "deal" must be of type string, not boolean.`}},
		{"get_deal", `{"deal":{"id":"x"}}`, []string{`The argument "deal" must be of type string, not object.`}},
		{"get_deal", `{"Deal":"x"}`, []string{`The argument "deal" is missing.`, `There is no argument "Deal". The arguments are: deal.`}},
		{"get_deal", `{"deal":"x","id":1,"__proto__":2}`, []string{`There is no argument "__proto__". The arguments are: deal.`, `There is no argument "id". The arguments are: deal.`}},
		{"get_deal", `{"deal":"` + strings.Repeat("海", 301) + `"}`, []string{`The argument "deal" may have at most 300 characters.`}},
		{"list_deals", `{"status":"sold"}`, []string{`The argument "status" must be one of: open, won, lost.`}},
		{"list_deals", `{"status":7}`, []string{`The argument "status" must be of type string, not number.`}},
		{"list_deals", `{"limit":51}`, []string{`The argument "limit" must be at most 50.`}},
		{"list_deals", `{"limit":-1}`, []string{`The argument "limit" must be at least 0.`}},
		{"list_deals", `{"limit":1.5}`, []string{`The argument "limit" must be of type integer, not number.`}},
		{"list_deals", `{"limit":"5"}`, []string{`The argument "limit" must be of type integer, not string.`}},
		{"list_deals", `{"limit":1e999999999}`, []string{`The argument "limit" must be at most 50.`}},
		{"list_deals", `{"limit":-1,"sort":5,"owner":null,"status":"x","zz":1}`, []string{
			`The argument "status" must be one of: open, won, lost.`, `The argument "owner" must be of type string, not null.`,
			`The argument "sort" must be of type string, not number.`, `The argument "limit" must be at least 0.`, `There is no argument "zz".`,
		}},
		{"search_records", `{"query":"x","types":["deal","y",3]}`, []string{
			`The argument "types.1" must be one of: company, contact, deal, quotation, product, person.`, `The argument "types.2" must be of type string, not number.`,
		}},
		{"search_records", `{"query":"x","types":"deal"}`, []string{`The argument "types" must be of type array, not string.`}},
		{"search_records", `{"query":"x","types":[` + strings.Repeat(`"deal",`, 20) + `"deal"]}`, []string{`The argument "types" may have at most 20 values.`}},
		{"create_company", `{"name":"x","allow_duplicate":"true"}`, []string{`The argument "allow_duplicate" must be of type boolean, not string.`}},
		{"get_deal", `{"deal":"a","deal":"b"}`, []string{object}},
		{"get_deal", `{"deal":"a","de\u0061l":"b"}`, []string{object}},
		{"get_deal", `{"deal":"a"} {"deal":"b"}`, []string{object}},
		{"get_deal", `{"deal":"a"}x`, []string{object}},
		{"get_deal", `["a"]`, []string{object}},
		{"get_deal", `"a"`, []string{object}},
		{"get_deal", `{"deal":`, []string{object}},
		{"get_deal", `{'deal':'a'}`, []string{object}},
		{"get_deal", `{"deal":NaN}`, []string{object}},
		{"get_deal", "{\"deal\":\"\xff\"}", []string{object}},
		{"get_deal", `{"deal":"\ud800"}`, []string{object}},
		{"get_deal", strings.Repeat(`{"deal":`, 20_000), []string{object}},
		{"get_deal", `{"deal":"` + strings.Repeat("x", tools.MaxArgBytes) + `"}`, []string{object}},
	} {
		_, err := tools.Check(toolOf(t, c.tool), "en", []byte(c.args))
		require.True(t, apperr.Is(err, apperr.Invalid), "%.80s: %v", c.args, err)
		message := apperr.As(err).Message
		for _, sentence := range c.want {
			require.Equal(t, 1, strings.Count(message, sentence), "%.80s: %s", c.args, message)
			before, after, _ := strings.Cut(message, sentence)
			require.NotContains(t, before+after, sentence)
		}
		if fields := apperr.As(err).Fields; c.want[0] != object {
			require.Len(t, fields, len(c.want), "one sentence per mistake: %s", message)
			for i := range fields {
				require.True(t, strings.HasPrefix(fields[i].Message, c.want[i]), "in the order of the arguments: %v", fields)
			}
		}
	}
}

func TestMistakesInChinese(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`{}`:                       "欠缺參數「query」。",
		`{"query":5}`:              "參數「query」的類型必須是 string，不是 number。",
		`{"query":"x","a":1}`:      "沒有參數「a」。可用的參數：query, types, limit。",
		`{"query":"x","limit":51}`: "參數「limit」最大為 50。",
		`{"query":"x","limit":-1}`: "參數「limit」最小為 0。",
		`{"query":"` + strings.Repeat("x", 301) + `"}`: "參數「query」最多 300 個字元。",
		`{"query":"x","types":["cat"]}`:                "參數「types.0」必須是以下其中一項：company, contact, deal, quotation, product, person。",
		`[]`:                                           "參數必須是一個 JSON 物件，而且每個名稱只可出現一次。",
	} {
		_, err := tools.Check(toolOf(t, "search_records"), "zh-HK", []byte(args))
		require.Equal(t, want, apperr.As(err).Message)
	}
}

// A name that a model made up is repeated, but neither whole nor as it is.
func TestUnknownNamesAreCut(t *testing.T) {
	t.Parallel()
	for _, name := range []string{strings.Repeat("x", 10_000), `a\nb\u0000c`} {
		_, err := tools.Check(toolOf(t, "get_deal"), "en", []byte(`{"deal":"x","`+name+`":1}`))
		message := apperr.As(err).Message
		require.Less(t, len(message), 200)
		require.NotContains(t, message, "\n")
		require.NotContains(t, message, "\x00")
	}
}

func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `{"deal":"x"}`, `{"limit":1e1}`, `{"limit":1e400}`, `{"types":["deal",1]}`, `{"a":1,"a":2}`, `[[[[`, `{"query":"\ud800"}`, "{\"deal\":\"\xff\"}",
	} {
		f.Add(seed)
	}
	all := standard().All()
	f.Fuzz(func(t *testing.T, args string) {
		for _, tool := range all {
			for _, lang := range []string{"en", "zh-HK"} {
				got, err := tools.Check(tool, lang, []byte(args))
				if err != nil {
					e := apperr.As(err)
					require.Equal(t, apperr.Invalid, e.Kind)
					require.NotEmpty(t, e.Message)
					require.True(t, utf8.ValidString(e.Message))
					continue
				}
				var object map[string]any
				require.NoError(t, json.Unmarshal(got, &object))
				again, err := tools.Check(tool, lang, got)
				require.NoError(t, err)
				require.Equal(t, string(got), string(again), "the canonical form is its own")
			}
		}
	})
}
