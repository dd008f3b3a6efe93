package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// isHelper reports whether a package serves tests only: the table does not bind it, and nothing else may import it.
func isHelper(dir string) bool { return dir == "internal" || strings.HasPrefix(dir, "internal/") }

// CheckImports reports every import of a project package that the table does not allow.
func CheckImports(files []File) []string {
	allowed := Allowed()
	var problems []string
	for _, f := range files {
		for _, imported := range f.Imports {
			target, ours := strings.CutPrefix(imported, Module+"/")
			if !ours || isHelper(f.Dir()) {
				continue
			}
			list := allowed[f.Dir()]
			if isHelper(target) || (!slices.Contains(list, target) && !slices.Contains(list, "*")) {
				problems = append(problems, fmt.Sprintf("%s: %s may not import %s", f.Path, f.Dir(), target))
			}
		}
	}
	return problems
}

// CheckTable reports packages that the table does not know, and packages without a doc.go.
func CheckTable(files []File) []string {
	known := Allowed()
	documented := map[string]bool{}
	for _, f := range files {
		documented[f.Dir()] = documented[f.Dir()] || path.Base(f.Path) == "doc.go"
	}
	var problems []string
	for dir, hasDoc := range documented {
		if _, ok := known[dir]; !ok && !isHelper(dir) {
			problems = append(problems, dir+": not in the table of internal/archtest and docs/architecture.md")
		}
		if !hasDoc {
			problems = append(problems, dir+": has no doc.go")
		}
	}
	return unique(problems)
}

// CheckLibraries reports imports of libraries that belong to another package.
func CheckLibraries(files []File) []string {
	var problems []string
	for _, f := range files {
		if dir := f.Dir(); dir == "app" || isHelper(dir) {
			continue
		}
		for _, imported := range f.Imports {
			for _, o := range Owners {
				if strings.HasPrefix(imported, o.Library) && f.Dir() != o.Package {
					problems = append(problems, fmt.Sprintf("%s: %s belongs to package %s", f.Path, imported, o.Package))
				}
			}
		}
	}
	return problems
}

// Reaches gives the project packages that a package imports, directly or through others.
func Reaches(files []File, from string) []string {
	direct := map[string][]string{}
	for _, f := range files {
		for _, imported := range f.Imports {
			if target, ours := strings.CutPrefix(imported, Module+"/"); ours {
				direct[f.Dir()] = append(direct[f.Dir()], target)
			}
		}
	}
	reached := map[string]bool{}
	var list []string
	for queue := direct[from]; len(queue) > 0; queue = queue[1:] {
		if next := queue[0]; !reached[next] {
			reached[next] = true
			list = append(list, next)
			queue = append(queue, direct[next]...)
		}
	}
	return unique(list)
}
