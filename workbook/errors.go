package workbook

import "fmt"

// The codes of a [FileError].
const (
	CodeNotFound    = "not_found"    // no such file, or it cannot be read
	CodeEmpty       = "empty"        // nothing in it
	CodeTruncated   = "truncated"    // the file ends too early
	CodeCorrupt     = "corrupt"      // its parts do not hold together
	CodeExtension   = "extension"    // the content is not what the name says
	CodeEncrypted   = "encrypted"    // protected by a password
	CodeUnsupported = "unsupported"  // a format that Allrows does not read
	CodeLimit       = "limit"        // larger than Allrows agrees to read
	CodeNoTable     = "no_table"     // readable, but holds no table
	CodeOverride    = "bad_override" // the .allrows.yaml beside the file is wrong
)

// FileError says why a file is no workbook: what was found, and what to do.
type FileError struct {
	Path string // as given to Open
	Code string // one of the codes above
	Text string // what is wrong and what to do, one or two sentences
	Err  error  // the cause, where there is one; its text is not for people
}

// Error returns the path and the text.
func (e *FileError) Error() string { return fmt.Sprintf("workbook: %s: %s", e.Path, e.Text) }

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// limitError is a limit that was passed, with the actual figure.
type limitError struct {
	what          string
	limit, actual int64
	unit          string
}

func (e *limitError) Error() string {
	return fmt.Sprintf("%s: %s %s, the limit is %s", e.what, groupDigits(e.actual), e.unit, groupDigits(e.limit))
}

// groupDigits prints n with thousands marks.
func groupDigits(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
