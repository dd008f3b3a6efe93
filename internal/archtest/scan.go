package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// File is one parsed Go file that is no test.
type File struct {
	Path    string // slash-separated, relative to the module
	Imports []string
	Syntax  *ast.File
	Set     *token.FileSet
}

// Dir is the package that the file belongs to, relative to the module.
func (f File) Dir() string { return path.Dir(f.Path) }

// At names a place in the file for a report.
func (f File) At(node ast.Node) string {
	return f.Path + ":" + strconv.Itoa(f.Set.Position(node.Pos()).Line)
}

// skipped are folders that hold no packages of the project.
var skipped = []string{"node_modules", "testdata", "vendor", "bin", "data", "dist"}

// Scan parses all Go files below the root of a module, tests excluded.
func Scan(root fs.FS) ([]File, error) {
	var files []File
	set := token.NewFileSet()
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case entry.IsDir():
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || slices.Contains(skipped, base) || isModule(root, name)) {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		f, err := parse(root, set, name)
		files = append(files, f)
		return err
	})
	return files, err
}

// isModule reports whether a folder is a module of its own, which is none of this one's packages.
func isModule(root fs.FS, folder string) bool {
	_, err := fs.Stat(root, path.Join(folder, "go.mod"))
	return err == nil
}

func parse(root fs.FS, set *token.FileSet, name string) (File, error) {
	source, err := fs.ReadFile(root, name)
	if err != nil {
		return File{}, err
	}
	syntax, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return File{}, err
	}
	f := File{Path: name, Syntax: syntax, Set: set}
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return File{}, err
		}
		f.Imports = append(f.Imports, imported)
	}
	return f, nil
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
