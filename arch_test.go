package allrows

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/allrows/allrows/"

// mayImport is the table of who imports whom. The most specific entry holds for
// a package; "x/..." is x and all below it, and packages below one entry may
// import each other only where the entry says so. Everyone who may import schema
// may import workbook: the types of columns and units live there.
var mayImport = map[string][]string{
	"cmd/gateway":          {"..."},
	"server":               {"access/...", "agent/...", "eval/...", "examples", "guardrails", "ingest", "journal", "kb/...", "prompts", "schema", "server/...", "sqltool/...", "web", "workbook"},
	"web":                  {"access", "agent", "agent/plan", "schema", "workbook"},
	"eval":                 {"access/...", "agent/...", "eval/...", "examples", "guardrails", "ingest", "journal", "kb/...", "schema", "sqltool/...", "workbook"},
	"agent":                {"agent/link", "agent/plan", "agent/tools", "guardrails", "sqltool", "kb", "schema", "journal", "workbook"},
	"agent/llm":            {"agent/link", "agent/plan", "schema", "workbook", "agent/tools", "prompts", "guardrails"},
	"agent/semparse":       {"agent/link", "agent/plan", "schema", "workbook", "agent/semparse/..."},
	"agent/semparse/train": {"agent/link", "agent/plan", "schema", "workbook", "agent/semparse/...", "eval/..."},
	"agent/tools":          {"agent/plan", "guardrails", "sqltool", "kb", "schema", "workbook"},
	"agent/link":           {"schema", "workbook", "agent/link/..."},
	"agent/plan":           {"schema", "workbook"},
	"ingest":               {"workbook", "sqltool", "schema", "kb"},
	"access":               {"guardrails"},
	"sqltool":              {"guardrails", "schema", "workbook", "sqltool/..."},
	"guardrails":           {"schema", "workbook"},
	"kb":                   {"schema", "workbook", "kb/..."},
	"schema":               {"workbook"},
	"workbook":             {"workbook/..."},
	"journal":              {},
	"prompts":              {},
	"examples":             {},
}

// doors are the libraries that one place wraps for all the others.
var doors = map[string][]string{
	"github.com/duckdb/duckdb-go":            {"sqltool/..."},
	"github.com/tmc/langchaingo":             {"agent/llm/...", "kb/embed", "kb/pgvector"},
	"github.com/philippgille/chromem-go":     {"kb/..."},
	"github.com/xwb1989/sqlparser":           {"guardrails"},
	"github.com/muktihari/xmltokenizer":      {"workbook/..."},
	"github.com/yuin/goldmark":               {"workbook"},
	"github.com/xuri/excelize":               {"sqltool/export", "examples"},
	"github.com/labstack/echo":               {"server/..."},
	"github.com/modelcontextprotocol/go-sdk": {"server/..."},
	"github.com/prometheus/client_golang":    {"server/..."},
	"github.com/spf13/cobra":                 {"cmd/gateway"},
	"github.com/knadh/koanf":                 {"cmd/gateway"},
	"github.com/fsnotify/fsnotify":           {"ingest"},
	"github.com/landlock-lsm/go-landlock":    {"sqltool/..."},
	"github.com/elastic/go-seccomp-bpf":      {"sqltool/..."},
}

// source is one Go file that is no test and not generated.
type source struct {
	dir, name string // dir is slash-separated, "." at the root
	file      *ast.File
	lines     int
}

var fset = token.NewFileSet()

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", path.Join(s.dir, s.name), fset.Position(n.Pos()).Line)
}

// walk calls visit for every file of the repository but those of git and of
// folders whose name begins with a dot or an underscore.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(d.Name(), ".") && name != "." && d.Name() != ".ci"
		if d.IsDir() && (hidden || strings.HasPrefix(d.Name(), "_") || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if d.Type().IsRegular() && !hidden {
			visit(filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(f) {
			return
		}
		all = append(all, source{path.Dir(name), path.Base(name), f, fset.File(f.Pos()).LineCount()})
	})
	if len(all) == 0 {
		t.Fatal("no Go file found: the test must run at the root of the repository")
	}
	return all
}

// covered reports whether a package is one of the patterns.
func covered(pkg string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		under, tree := strings.CutSuffix(p, "...")
		under = strings.TrimSuffix(under, "/")
		return pkg == p || tree && (under == "" || pkg == under || strings.HasPrefix(pkg, under+"/"))
	})
}

// ruleOf returns the most specific entry of mayImport for a package.
func ruleOf(pkg string) (string, bool) {
	for at := pkg; at != "."; at = path.Dir(at) {
		if _, ok := mayImport[at]; ok {
			return at, true
		}
	}
	return "", false
}

func TestImports(t *testing.T) {
	for _, s := range sources(t) {
		if s.dir == "." {
			continue // the tour, which imports nothing
		}
		rule, ok := ruleOf(s.dir)
		if !ok {
			t.Errorf("%s: package %s has no entry in the import table: add one here and in DESIGN's section 2, or move it", s.at(s.file), s.dir)
			continue
		}
		for _, spec := range s.file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if ours, ok := strings.CutPrefix(imported, module); ok {
				if !covered(ours, mayImport[rule]) {
					t.Errorf("%s: %s may not import %s; the table allows %q", s.at(spec), s.dir, ours, mayImport[rule])
				}
				continue
			}
			for library, door := range doors {
				if (imported == library || strings.HasPrefix(imported, library+"/")) && !covered(s.dir, door) {
					t.Errorf("%s: %s may not import %s; its one door is %q", s.at(spec), s.dir, imported, door)
				}
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	documented, seen := map[string]bool{}, map[string]ast.Node{}
	names := map[string]string{}
	for _, s := range sources(t) {
		seen[s.dir], names[s.dir] = s.file, s.file.Name.Name
		text := s.file.Doc.Text()
		if s.file.Name.Name == "main" && text != "" || strings.HasPrefix(text, "Package "+s.file.Name.Name+" ") {
			documented[s.dir] = true
		}
	}
	for dir := range seen {
		if !documented[dir] {
			t.Errorf("package %s has no comment that begins \"Package %s \": say what it does, its main type, the promise it keeps", dir, names[dir])
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
					t.Errorf("%s: %s has no doc comment", s.at(d), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, name := range undocumented(d) {
					t.Errorf("%s: %s has no doc comment", s.at(name), name.Name)
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if index, ok := typ.(*ast.IndexExpr); ok {
		typ = index.X
	}
	id, ok := typ.(*ast.Ident)
	return ok && id.IsExported()
}

// undocumented returns the exported names that neither have a comment nor stand
// in a group that has one.
func undocumented(d *ast.GenDecl) []*ast.Ident {
	var names []*ast.Ident
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if d.Doc == nil && spec.Doc == nil && spec.Name.IsExported() {
				names = append(names, spec.Name)
			}
		case *ast.ValueSpec:
			if d.Doc != nil || spec.Doc != nil || spec.Comment != nil {
				continue
			}
			for _, name := range spec.Names {
				if name.IsExported() {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func TestSizes(t *testing.T) {
	for _, s := range sources(t) {
		if s.lines > 401 { // the line after the last newline counts
			t.Errorf("%s/%s has %d lines, at most 400: a long file is two ideas", s.dir, s.name, s.lines-1)
		}
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := fset.Position(d.End()).Line - fset.Position(d.Type.Pos()).Line + 1
			if lines > 60 {
				t.Errorf("%s: %s has %d lines, at most 60", s.at(d.Name), d.Name.Name, lines)
			}
			if n := d.Type.Params.NumFields(); n > 5 {
				t.Errorf("%s: %s has %d parameters, at most 5: make a struct of what belongs together", s.at(d.Name), d.Name.Name, n)
			}
		}
	}
}

// Nothing in the repository may hold only on the machine where it was written.
func TestNoMachinePaths(t *testing.T) {
	paths := []string{"/wo" + "rk/", "/ro" + "ot/", "/tmp/" + "wt", "/tmp/" + "bench", "/ho" + "me/"}
	walk(t, func(name string) {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(body[:min(len(body), 8000)], 0) {
			return // not text
		}
		for i, line := range strings.Split(string(body), "\n") {
			for _, p := range paths {
				if strings.Contains(line, p) {
					t.Errorf("%s:%d names %s, which is a path of one machine", name, i+1, p)
				}
			}
		}
	})
}

// The table is a test of the tree only if it can fail.
func TestTheTableItself(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"server/mcp", "agent/plan", true},
		{"agent/plan", "agent", false},
		{"agent/semparse", "kb", false},
		{"agent/semparse/train", "eval/bench", true},
		{"agent/semparse/lexicon", "eval", false},
		{"eval/bench", "server", false},
		{"cmd/gateway", "server", true},
		{"workbook", "schema", false},
		{"journal", "workbook", false},
		{"kb/embed", "kb", true},
	} {
		rule, ok := ruleOf(tt.from)
		if got := ok && covered(tt.to, mayImport[rule]); got != tt.want {
			t.Errorf("%s may import %s: %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
}
