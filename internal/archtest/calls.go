package archtest

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	storePackage = "store"
	// scopeFile is the one file of the store that builds row filters, and with them OR conditions.
	scopeFile = "scope.go"
)

// casbinBanned can widen rights, keep revoked ones or wipe the policy.
// Casbin's adapter interface demands methods of these names, so declaring one is fine; calling one is not.
var casbinBanned = []string{"SavePolicy", "NewCachedEnforcer", "NewSyncedCachedEnforcer", "EnableEnforce"}

// pattern matchers in a policy model: ids are compared for equality only.
var patternMatcher = regexp.MustCompile(`(?i)\b(key(match|get)\d?|regexmatch|globmatch)\b`)

// finishers are GORM methods that take SQL as their second argument.
var finishers = []string{"First", "Find", "Take", "Last", "Delete"}

// rawSQL are methods that run SQL, or leave out the filters of a model.
var rawSQL = []string{"Raw", "Exec", "Table", "ExecContext", "QueryContext", "QueryRowContext"}

// CheckCalls reports calls that are not allowed where they stand.
func CheckCalls(files []File) []string {
	var problems []string
	for _, f := range files {
		if isHelper(f.Dir()) {
			continue
		}
		ast.Inspect(f.Syntax, func(node ast.Node) bool {
			if complaint := f.judge(node); complaint != "" {
				problems = append(problems, f.At(node)+": "+complaint)
			}
			return true
		})
	}
	return problems
}

func (f File) judge(node ast.Node) string {
	switch node := node.(type) {
	case *ast.SelectorExpr:
		return f.judgeName(node.Sel.Name)
	case *ast.CallExpr:
		return f.judgeCall(node)
	case *ast.BasicLit:
		if node.Kind == token.STRING && patternMatcher.MatchString(node.Value) {
			return "policies are matched by equality only"
		}
	}
	return ""
}

func (f File) judgeName(name string) string {
	switch {
	case slices.Contains(casbinBanned, name):
		return name + " is not used: policies are read-only and decisions are never cached by casbin"
	case patternMatcher.MatchString(name):
		return "policies are matched by equality only"
	}
	return ""
}

func (f File) judgeCall(call *ast.CallExpr) string {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	name, inStore := selector.Sel.Name, f.Dir() == storePackage
	switch {
	// A pipeline of Redis is run by Exec, and package events reaches no SQL.
	case !inStore && f.Dir() != "events" && slices.Contains(rawSQL, name):
		return name + " belongs to package store"
	case inStore && name == "Save":
		return "Save inserts what it does not find and overwrites whole rows: use Updates with a map and a version"
	case inStore && name == "Or" && path.Base(f.Path) != scopeFile:
		return "Or can undo a row filter: it belongs to " + scopeFile
	case inStore && slices.Contains(finishers, name) && hasInlineCondition(call):
		return name + " takes no condition: text there is SQL. Use Where with placeholders"
	}
	return ""
}

// hasInlineCondition reports whether a call has the form Find(&rows, condition…) or Find(rows, "text…").
func hasInlineCondition(call *ast.CallExpr) bool {
	if len(call.Args) < 2 {
		return false
	}
	target, isAddress := call.Args[0].(*ast.UnaryExpr)
	return (isAddress && target.Op == token.AND) || holdsText(call.Args[1])
}

func holdsText(expr ast.Expr) bool {
	found := false
	ast.Inspect(expr, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		found = found || (ok && literal.Kind == token.STRING && strings.Trim(literal.Value, "`\"") != "")
		return !found
	})
	return found
}
