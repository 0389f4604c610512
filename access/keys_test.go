package access

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, path string) *Keys {
	t.Helper()
	k, err := New(Config{Path: path})
	if err != nil {
		t.Fatalf("New(%s) = %v", path, err)
	}
	return k
}

func TestKeyLife(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "keys.json")
	k := open(t, path)
	if any, err := k.Any(); any || err != nil {
		t.Fatalf("Any() of no file = %v, %v, want false, nil", any, err)
	}
	key, secret, err := k.Create("finance")
	if err != nil {
		t.Fatalf("Create = %v", err)
	}
	p, err := k.Authenticate(secret)
	if err != nil || p.Name != "finance" || p.KeyID != key.ID {
		t.Errorf("Authenticate(secret) = %+v, %v, want finance and %s", p, err, key.ID)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if tail := secret[strings.LastIndex(secret, "_")+1:]; strings.Contains(string(data), tail) {
		t.Error("the key file holds the secret")
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the key file has mode %v, want 0600", info.Mode().Perm())
	}
	list, err := k.List()
	if err != nil || len(list) != 1 || list[0].Hash != nil || list[0].Salt != nil {
		t.Errorf("List() = %+v, %v, want one key without salt and hash", list, err)
	}
}

func TestRevokedElsewhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	serving := open(t, path)
	key, secret, err := serving.Create("bot")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := serving.Authenticate(secret); err != nil {
		t.Fatalf("Authenticate before the revocation = %v", err)
	}
	if err := open(t, path).Revoke(key.ID); err != nil {
		t.Fatalf("Revoke in another process = %v", err)
	}
	if _, err := serving.Authenticate(secret); !errors.Is(err, ErrKey) {
		t.Errorf("Authenticate after it = %v, want ErrKey", err)
	}
	if any, _ := serving.Any(); any {
		t.Error("Any() counts a revoked key")
	}
}

func TestRefused(t *testing.T) {
	k := open(t, filepath.Join(t.TempDir(), "keys.json"))
	_, secret, err := k.Create("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, secret string }{
		{"empty", ""},
		{"no prefix", "xx" + secret[2:]},
		{"one letter off", secret[:len(secret)-2] + "!!"},
		{"longer", secret + "a"},
		{"unknown id", "ar_00000000_" + strings.Repeat("a", 43)},
		{"huge", "ar_00000000_" + strings.Repeat("a", 1<<20)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if p, err := k.Authenticate(tt.secret); !errors.Is(err, ErrKey) {
				t.Errorf("Authenticate = %+v, %v, want ErrKey", p, err)
			}
		})
	}
	var none *NoKeyError
	if err := k.Revoke("nope"); !errors.As(err, &none) {
		t.Errorf("Revoke(nope) = %v, want a NoKeyError", err)
	}
}

func TestDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(path, []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{Path: path}); err == nil {
		t.Error("New of a damaged file = nil: it must not serve as if there were no keys")
	}
}
