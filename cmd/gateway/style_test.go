package main

import (
	"os/exec"
	"testing"
)

// What is printed to be pasted stays one word, whatever a workbook's headers hold.
func TestShellWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	for _, tt := range []struct{ text, word, want string }{
		{"total", "total", "total"},
		{"average discount", `"average discount"`, "average discount"},
		{`a" ; echo b; "`, `'a" ; echo b; "'`, `a" ; echo b; "`},
		{"$(echo b) `echo b` !!", "'$(echo b) `echo b` !!'", "$(echo b) `echo b` !!"},
		{`it's "x"`, `'it'\''s "x"'`, `it's "x"`},
		{"a\nb\x1b[31m", `"a b[31m"`, "a b[31m"},
		{"", `""`, ""},
	} {
		if got := shellWord(tt.text); got != tt.word {
			t.Errorf("shellWord(%q) = %s, want %s", tt.text, got, tt.word)
		}
		out, err := exec.Command(sh, "-c", "printf %s "+shellWord(tt.text)).Output()
		if err != nil || string(out) != tt.want {
			t.Errorf("a shell reads %s as %q, %v; want %q", shellWord(tt.text), out, err, tt.want)
		}
	}
}
