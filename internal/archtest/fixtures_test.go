package archtest_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"countersign/internal/archtest"
)

// tree makes a module of files; each text follows a package clause.
func tree(t *testing.T, files map[string]string) []archtest.File {
	t.Helper()
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte("package p\n" + text)}
	}
	parsed, err := archtest.Scan(root)
	require.NoError(t, err)
	return parsed
}

func TestForbiddenImportsAreReported(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ path, imported, problem string }{
		"upwards":          {"models/deal.go", "countersign/store", "models/deal.go: models may not import store"},
		"service":          {"crm/deal.go", "countersign/accounts", "crm/deal.go: crm may not import accounts"},
		"agent confirms":   {"agent/loop.go", "countersign/confirm", "agent/loop.go: agent may not import confirm"},
		"ground":           {"secrets/x.go", "countersign/apperr", "secrets/x.go: secrets may not import apperr"},
		"below a row":      {"cmd/countersign/main.go", "countersign/store", "cmd/countersign/main.go: cmd/countersign may not import store"},
		"test helper":      {"app/app.go", "countersign/internal/pgtest", "app/app.go: app may not import internal/pgtest"},
		"unknown package":  {"sales/x.go", "countersign/models", "sales/x.go: sales may not import models"},
		"direct":           {"rbac/x.go", "countersign/models", ""},
		"and below":        {"api/deal.go", "countersign/models", ""},
		"everything":       {"app/app.go", "countersign/channels/whatsapp", ""},
		"helper is free":   {"internal/apitest/x.go", "countersign/app", ""},
		"test is free":     {"models/deal_test.go", "countersign/store", ""},
		"other's package":  {"models/x.go", "example.com/countersign/store", ""},
		"skipped folders":  {"frontend/node_modules/x/x.go", "countersign/store", ""},
		"sub-package":      {"llm/openai/x.go", "countersign/llm", ""},
		"sub-package back": {"llm/x.go", "countersign/llm/openai", "llm/x.go: llm may not import llm/openai"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			problems := archtest.CheckImports(tree(t, map[string]string{c.path: `import "` + c.imported + `"`}))
			if c.problem == "" {
				require.Empty(t, problems)
			} else {
				require.Equal(t, []string{c.problem}, problems)
			}
		})
	}
}

func TestUnknownAndUndocumentedPackagesAreReported(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{
		"crm: has no doc.go",
		"internal/x: has no doc.go",
		"sales: not in the table of internal/archtest and docs/architecture.md",
	}, archtest.CheckTable(tree(t, map[string]string{
		"crm/deal.go": "", "sales/doc.go": "", "internal/x/x.go": "", "models/doc.go": "", "models/deal.go": "",
	})))
}

func TestModulesWithinTheModuleAreTheirOwn(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{Data: []byte("package p")}
	parsed, err := archtest.Scan(fstest.MapFS{
		"go.mod": {}, "models/deal.go": file, "bench/other/go.mod": {}, "bench/other/main.go": file, "bench/other/sub/x.go": file,
	})
	require.NoError(t, err)
	require.Len(t, parsed, 1)
	require.Equal(t, "models/deal.go", parsed[0].Path)
}

func TestForeignLibrariesAreReported(t *testing.T) {
	t.Parallel()
	problems := archtest.CheckLibraries(tree(t, map[string]string{
		"api/a.go":             `import "github.com/gin-gonic/gin"`,
		"app/a.go":             `import "gorm.io/gorm"`,
		"internal/dbtest/a.go": `import "gorm.io/gorm"`,
		"store/a.go":           `import "gorm.io/driver/postgres"`,
		"crm/a.go":             `import "gorm.io/gorm"`,
		"tools/a.go":           `import "github.com/redis/go-redis/v9"`,
	}))
	require.Equal(t, []string{
		"crm/a.go: gorm.io/gorm belongs to package store",
		"tools/a.go: github.com/redis/go-redis/v9 belongs to package events",
	}, problems)
}

func TestReachesFollowsImports(t *testing.T) {
	t.Parallel()
	files := tree(t, map[string]string{
		"agent/a.go": `import "countersign/tools"`, "tools/a.go": `import "countersign/crm"`, "crm/a.go": `import "countersign/confirm"`,
	})
	require.Equal(t, []string{"confirm", "crm", "tools"}, archtest.Reaches(files, "agent"))
	require.Empty(t, archtest.Reaches(files, "confirm"))
}

func TestForbiddenCallsAreReported(t *testing.T) {
	t.Parallel()
	cases := []struct {
		path, code string
		bad        bool
	}{
		{"rbac/a.go", `e.SavePolicy()`, true},
		{"rbac/a.go", `casbin.NewCachedEnforcer(m)`, true},
		{"rbac/a.go", `e.EnableEnforce(false)`, true},
		{"rbac/a.go", `e.AddFunction("f", util.KeyMatch2Func)`, false},
		{"rbac/a.go", `util.KeyMatch2(a, b)`, true},
		{"rbac/a.go", "const m = `m = keyMatch(r.obj, p.obj)`", true},
		{"rbac/a.go", `_ = "r.obj == p.obj && regexMatch(r.act, p.act)"`, true},
		{"rbac/a.go", `_ = "r.obj == p.obj"`, false},
		{"store/a.go", `db.Save(&deal)`, true},
		{"crm/a.go", `w.Save(&deal)`, false},
		{"store/a.go", `db.Or("x = 1")`, true},
		{"store/scope.go", `db.Or("x = 1")`, false},
		{"store/a.go", `db.First(&deal, "id = ?", id)`, true},
		{"store/a.go", `db.First(&deal, id)`, true},
		{"store/a.go", `db.Find(rows, "a = " + b)`, true},
		{"store/a.go", `db.Delete(&models.Deal{}, id)`, true},
		{"store/a.go", `db.Where("id = ?", id).Take(&deal)`, false},
		{"store/a.go", `repository.Find(ctx, grant, id)`, false},
		{"store/a.go", `db.Raw("SELECT 1")`, false},
		{"crm/a.go", `db.Raw("SELECT 1")`, true},
		{"crm/a.go", `tx.ExecContext(ctx, "DELETE")`, true},
		{"api/a.go", `db.Table("deals")`, true},
		{"events/a.go", `pipe.Exec(ctx)`, false},
		{"internal/dbtest/a.go", `db.Exec("DROP TABLE x")`, false},
	}
	for _, c := range cases {
		t.Run(c.path+" "+c.code, func(t *testing.T) {
			t.Parallel()
			problems := archtest.CheckCalls(tree(t, map[string]string{c.path: "func _() {\n" + c.code + "\n}"}))
			require.Equal(t, c.bad, len(problems) == 1, problems)
			if c.bad {
				require.Contains(t, problems[0], c.path+":3: ")
			}
		})
	}
}

func TestDeclaringAnAdapterIsAllowed(t *testing.T) {
	t.Parallel()
	files := tree(t, map[string]string{"rbac/a.go": "func (adapter) SavePolicy(model.Model) error { return errReadOnly }"})
	require.Empty(t, archtest.CheckCalls(files))
}

func TestBrokenSourceIsAnError(t *testing.T) {
	t.Parallel()
	_, err := archtest.Scan(fstest.MapFS{"crm/a.go": {Data: []byte("pack age")}})
	require.Error(t, err)
}
