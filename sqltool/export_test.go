package sqltool

import "context"

// What the tests of the package's outside need of its inside.

// Raise shuts this process in as a worker would be.
func Raise(read, write string) Walls {
	return raiseWalls(wallSpec{ReadDirs: []string{read}, WriteDirs: []string{write}})
}

// FailWith injects failures into the file layer: fail is asked before each call.
func (s *Store) FailWith(fail func(op string) error) { s.disk.fail = fail }

// Locked opens a locked engine over a file's table and runs each statement on it,
// as if the guard had let it through.
func Locked(ctx context.Context, temp string, memoryMB int, v Version, table string, statements []string) ([]error, error) {
	f := file{Path: v.Dir + "/" + tablesFile}
	for _, t := range v.Tables {
		if t.Table == table {
			f.Tables = []fileTable{{Ref: t.Ref, Columns: viewColumns(t), Bare: true}}
		}
	}
	e, err := openEngine(ctx, settings{MemoryMB: memoryMB, Threads: 2, TempDir: temp}, []file{f})
	if err != nil {
		return nil, err
	}
	defer e.close()
	var out []error
	for _, q := range statements {
		_, err := e.strings(ctx, q)
		out = append(out, err)
	}
	return out, nil
}
