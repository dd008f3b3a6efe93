package archtest

import "strings"

// Module is the module path.
const Module = "countersign"

// Package is one row of the table.
type Package struct {
	Path string
	// MayImport names packages of this project. A trailing "+" is "and below": also what that one may import.
	MayImport string
}

// services are the packages that the table calls by that name.
const services = "crm+ proposals+ conversations+ settings+ accounts+ deliveries+ knowledge+"

// Packages is the table, from the ground up. "*" is everything.
//
// apperr is the language of errors, so whoever returns one may import it. i18n holds the texts of the server:
// whoever speaks to a person in their language may import it, which begins with the resolver.
var Packages = []Package{
	// ground
	{"apperr", ""},
	{"config", ""},
	{"events", "apperr"},
	{"figures", ""},
	{"frontend", ""},
	{"i18n", ""},
	{"mail", ""},
	{"migrations", ""},
	{"secrets", ""},
	// records
	{"models", "apperr"},
	{"llm", "apperr"},
	{"llm/anthropic", "llm+"},
	{"llm/openai", "llm+"},
	{"llm/llmtest", "llm+"},
	{"quoting", "models+"},
	// rights
	{"rbac", "models+"},
	{"jobs", "models+"},
	// data
	{"store", "models+ rbac+ jobs+ migrations"},
	{"audit", "store+"},
	{"resolve", "store+ i18n"},
	// services, which do not import each other
	{"crm", "audit+ resolve+ quoting+ mail"},
	{"proposals", "audit+ i18n"},
	{"conversations", "audit+ jobs+ i18n"},
	{"settings", "audit+ secrets i18n"},
	{"accounts", "audit+ i18n"},
	{"deliveries", "audit+ resolve+ jobs+ mail i18n"},
	{"knowledge", "audit+ jobs+ llm+ i18n"},
	// acting
	{"tools", "figures " + services},
	{"confirm", "tools+ proposals+ conversations+"},
	{"agent", "figures llm+ tools+ conversations+ settings+ events+"},
	// doors
	{"api", "agent+ confirm+ events+ " + services},
	{"channels/whatsapp", "agent+ confirm+ accounts+ settings+"},
	{"mcpserver", "tools+ accounts+"},
	{"workers", "agent+ channels/whatsapp+ jobs+ " + services},
	// roof
	{"seed", "accounts+ crm+ settings+"},
	{"app", "*"},
	{"cmd/countersign", "app config"},
	{"evals", "app config figures llm llm/llmtest"},
	{"evals/cmd", "evals"},
	{"bench/peers/endpoint", "llm/llmtest"},
	{"bench/peers/countersign", "accounts app config"},
}

// Owner says which package alone may import the libraries whose import path begins with Library.
// Package app, which wires everything, may import them, too.
type Owner struct {
	Library string
	Package string
}

// Owners keeps each large library behind one package.
var Owners = []Owner{
	{"github.com/gin-gonic/", "api"},
	{"github.com/gin-contrib/", "api"},
	{"github.com/danielgtaylor/huma/", "api"},
	{"gorm.io/", "store"},
	{"github.com/libtnb/sqlite", "store"},
	{"modernc.org/sqlite", "store"},
	{"github.com/jackc/pgx/", "store"},
	{"github.com/casbin/", "rbac"},
	{"github.com/redis/", "events"},
	{"github.com/openai/openai-go", "llm/openai"},
	{"github.com/anthropics/anthropic-sdk-go", "llm/anthropic"},
	{"github.com/modelcontextprotocol/go-sdk", "mcpserver"},
	{"github.com/riverqueue/river", "workers"},
	{"github.com/wneessen/go-mail", "mail"},
}

// Allowed gives, for each package of the table, the packages of the project that it may import.
// A package that may import everything has the single entry "*".
func Allowed() map[string][]string {
	allowed := make(map[string][]string, len(Packages))
	for _, p := range Packages { // from the ground up, so what a row refers to is there already
		var list []string
		for word := range strings.FieldsSeq(p.MayImport) {
			name, below := strings.CutSuffix(word, "+")
			list = append(list, name)
			if below {
				list = append(list, allowed[name]...)
			}
		}
		allowed[p.Path] = unique(list)
	}
	return allowed
}
