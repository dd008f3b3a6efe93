package archtest

import (
	"fmt"
	"slices"
	"strings"
)

// Depguard gives the tables as rules of the linter depguard, indented for .golangci.yml.
func Depguard() string {
	var b strings.Builder
	allowed := Allowed()
	for _, p := range Packages {
		list := allowed[p.Path]
		if slices.Contains(list, "*") {
			continue
		}
		rule(&b, ruleName(p.Path), fmt.Sprintf(`"**/%s/*.go", "!$test"`, p.Path), Module+"/", "see the table in docs/architecture.md")
		if len(list) > 0 {
			fmt.Fprintf(&b, "          allow: [%s/%s$]\n", Module, strings.Join(list, "$, "+Module+"/"))
		}
	}
	for _, o := range Owners {
		files := fmt.Sprintf(`"$all", "!$test", "!**/internal/**", "!**/app/*.go", "!**/%s/*.go"`, o.Package)
		rule(&b, ruleName(o.Library), files, o.Library, "belongs to package "+o.Package)
	}
	return b.String()
}

func rule(b *strings.Builder, name, files, denied, why string) {
	fmt.Fprintf(b, "        %s:\n          list-mode: lax\n          files: [%s]\n          deny: [{ pkg: %s, desc: %s }]\n", name, files, denied, why)
}

func ruleName(path string) string {
	return strings.NewReplacer("/", "-", ".", "-").Replace(strings.Trim(path, "/"))
}
