package main

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// The addresses that serve prints can be opened, also where it listens on all.
func TestAnnouncedAddress(t *testing.T) {
	for _, tt := range []struct{ ip, want string }{
		{"127.0.0.1", "http://127.0.0.1:8080/docs"},
		{"::", "http://localhost:8080/docs"},
		{"0.0.0.0", "http://localhost:8080/docs"},
		{"::1", "http://[::1]:8080/docs"},
	} {
		var out bytes.Buffer
		(&app{stderr: &out}).announce(&net.TCPAddr{IP: net.ParseIP(tt.ip), Port: 8080})
		if !strings.Contains(out.String(), tt.want+"\n") {
			t.Errorf("%s is announced as %s, want %s", tt.ip, out.String(), tt.want)
		}
	}
}
