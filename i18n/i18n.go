package i18n

import (
	"embed"
	"fmt"
	"strconv"
	"sync"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/language"
)

// Lang is a language that the server speaks.
type Lang string

// The languages.
const (
	EN   Lang = "en"
	ZhHK Lang = "zh-HK"
)

// Match chooses the language for an Accept-Language header or a single language tag: Chinese of any kind is
// ZhHK, everything else EN. The header's weights decide; what it cannot read counts for nothing.
func Match(acceptLanguage string) Lang {
	switch lang := Lang(acceptLanguage); lang {
	case EN, ZhHK:
		return lang
	}
	tags, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil {
		return EN
	}
	for _, tag := range tags {
		switch base, _ := tag.Base(); base.String() {
		case "zh", "yue":
			return ZhHK
		case "en":
			return EN
		}
	}
	return EN
}

// T is the text of key in a language, which may be anything that Match understands. args alternate a
// placeholder's name and its value; an integer named "count" also chooses the plural form. A text that the
// language lacks is given in English, and an unknown key as it is.
func T[L ~string](lang L, key string, args ...any) string {
	asked := textKey{Match(string(lang)), key}
	if text, ok := plain.Load(asked); ok && len(args) == 0 {
		return text.(string)
	}
	data, count := values(args)
	// The error says that the text is missing or incomplete; what there is of it comes back all the same.
	text, err := localizers()[asked.lang].Localize(&i18n.LocalizeConfig{
		MessageID: key, TemplateData: data, PluralCount: count, TemplateParser: parser,
	})
	if text == "" {
		return key
	}
	if err == nil && len(args) == 0 {
		plain.Store(asked, text)
	}
	return text
}

// plain keeps the texts of the catalogues that were asked for without values, by their textKey.
var plain sync.Map

type textKey struct {
	lang Lang
	key  string
}

// values turns alternating names and values into the data of a template, where a placeholder without a value
// is empty, and gives the count among them, nil without one.
func values(args []any) (data map[string]string, count any) {
	data = make(map[string]string, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		name, value := fmt.Sprint(args[i]), fmt.Sprint(args[i+1])
		data[name] = value
		if _, err := strconv.ParseInt(value, 10, 64); err == nil && name == "count" {
			count = value
		}
	}
	return data, count
}

//go:embed active.*.json
var catalogues embed.FS

var parser = &template.TextParser{Option: "missingkey=zero"}

var localizers = sync.OnceValue(func() map[Lang]*i18n.Localizer {
	bundle := i18n.NewBundle(language.English)
	all := map[Lang]*i18n.Localizer{}
	for _, lang := range []Lang{EN, ZhHK} {
		if _, err := bundle.LoadMessageFileFS(catalogues, "active."+string(lang)+".json"); err != nil {
			panic(fmt.Sprintf("i18n: embedded catalogue: %v", err))
		}
	}
	for _, lang := range []Lang{EN, ZhHK} {
		all[lang] = i18n.NewLocalizer(bundle, string(lang))
	}
	return all
})
