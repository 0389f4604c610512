package sqltool

// Walls says what holds a worker beside the guard and the locked engine.
type Walls struct {
	Landlock string `json:"landlock"` // "" where it holds, else why not
	Seccomp  string `json:"seccomp"`
	Limits   string `json:"limits"`
}

// wallSpec is what a worker may touch.
type wallSpec struct {
	ReadDirs  []string `json:"read_dirs,omitempty"`
	ReadFiles []string `json:"read_files,omitempty"`
	WriteDirs []string `json:"write_dirs,omitempty"`
	AddressMB int64    `json:"address_mb,omitempty"` // RLIMIT_AS; 0 is none
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
