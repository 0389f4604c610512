package sqltool_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/allrows/allrows/sqltool"
)

// wallEnv makes the test binary shut itself in and try to get out. Its value is
// "readable folder|writable folder".
const wallEnv = "ALLROWS_TEST_WALL"

// maybeProbe prints one line for everything that a worker could do and should not,
// or could not do and should.
func maybeProbe() {
	read, write, ok := strings.Cut(os.Getenv(wallEnv), "|")
	if !ok {
		return
	}
	w := sqltool.Raise(read, write)
	if w != (sqltool.Walls{}) {
		fmt.Printf("walls: %+v\n", w)
	}
	may := func(what string, want bool, err error) {
		if (err == nil) != want {
			fmt.Printf("%s: %v, want allowed: %v\n", what, err, want)
		}
	}
	_, err := os.ReadFile(filepath.Join(read, "data"))
	may("reading the data folder", true, err)
	may("writing the data folder", false, os.WriteFile(filepath.Join(read, "data"), []byte("x"), 0o600))
	may("making a file in the data folder", false, os.WriteFile(filepath.Join(read, "new"), nil, 0o600))
	may("writing its own folder", true, os.WriteFile(filepath.Join(write, "spill"), []byte("x"), 0o600))
	_, err = os.ReadFile("/etc/passwd")
	may("reading /etc/passwd", false, err)
	_, err = os.ReadDir("/")
	may("listing /", false, err)
	_, err = os.Open(filepath.Join(filepath.Dir(read), "other"))
	may("reading beside its folders", false, err)
	_, err = net.Listen("tcp", "127.0.0.1:0")
	may("listening", false, err)
	_, err = net.Dial("unix", "/nowhere")
	if err == nil || !strings.Contains(err.Error(), "not permitted") {
		fmt.Println("a unix socket:", err)
	}
	may("running a program", false, exec.Command("/bin/true").Run())
	p, err := os.FindProcess(os.Getppid())
	if err == nil {
		err = p.Signal(syscall.Signal(0))
	}
	may("signalling its parent", false, err)
	os.Exit(0)
}

// A worker reads the data folder, writes its own, and nothing else.
func TestWallsHold(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the walls of the worker are Linux's")
	}
	dir := t.TempDir()
	read, write := filepath.Join(dir, "read"), filepath.Join(dir, "write")
	for _, d := range []string{read, write} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{filepath.Join(read, "data"), filepath.Join(dir, "other")} {
		if err := os.WriteFile(f, []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{wallEnv + "=" + read + "|" + write}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if len(out) > 0 {
		t.Errorf("the walls let through:\n%s", out)
	}
}

// What the guard should stop, the locked engine stops too, as far as it can.
func TestLockedEngine(t *testing.T) {
	store, r, v := loaded(t, "w.csv", "city,pay\nLyon,3\n")
	other := publish(t, store, r, write(t, "o.csv", "secret\nx\n"), "o", "v1")
	path := filepath.Join(other.Dir, "tables.duckdb")
	refused := []string{
		"ATTACH '" + path + "' AS o (READ_ONLY)",
		"SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM '/etc/passwd'", "SELECT * FROM read_text('/etc/hostname')",
		"SELECT * FROM glob('/*')", "SELECT * FROM read_parquet('" + path + "')",
		"COPY (SELECT 1) TO '" + filepath.Join(t.TempDir(), "out.csv") + "'", "EXPORT DATABASE '" + t.TempDir() + "'",
		"INSTALL httpfs", "LOAD httpfs", "LOAD '" + path + "'", "CREATE SECRET s (TYPE s3)",
		"SET enable_external_access = true", "SET lock_configuration = false", "SET memory_limit = '100GB'", "SET threads = 64",
		"SET temp_directory = '/'", "RESET enable_external_access", "PRAGMA memory_limit = '100GB'",
		"SELECT * FROM o.o", "SELECT * FROM o", "SELECT 1; SELECT 2",
	}
	allowed := []string{"SELECT * FROM w", "SELECT * FROM w.w", "SELECT 1"}
	for _, mb := range []int{128, 1000, 1024, 1365, 2048, 5000} {
		errs, err := sqltool.Locked(t.Context(), t.TempDir(), mb, v, "w", append(allowed, refused...))
		if err != nil {
			t.Fatalf("an engine of %d MiB: %v", mb, err)
		}
		for i, q := range append(allowed, refused...) {
			if want := i < len(allowed); (errs[i] == nil) != want {
				t.Errorf("%s: %v, want allowed: %v", q, errs[i], want)
			}
		}
	}
}
