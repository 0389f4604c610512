// Package access says who asks: the principals behind API keys.
//
// [Keys] holds the keys of one data folder. A key is shown once, when it is
// made; the file keeps an argon2id hash of it. Whoever presents a key becomes
// its [Principal], and nothing else in Allrows sees the secret.
package access

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/crypto/argon2"
)

// The cost of one hash (OWASP's second choice: 19 MiB, two passes). Secrets have
// 256 random bits, so the cost guards the file more than the guessing.
const (
	hashMemory = 19 * 1024
	hashPasses = 2
	hashBytes  = 32
	saltBytes  = 16
	prefix     = "ar"
)

// ErrKey is returned for a key that is missing, malformed, unknown or revoked:
// the caller learns no more than that.
var ErrKey = errors.New("access: the API key is not valid")

// NoKeyError is returned for an id that names no key.
type NoKeyError struct{ ID string }

// Error names the id.
func (e *NoKeyError) Error() string { return fmt.Sprintf("access: no key has the id %q", e.ID) }

// Principal is who asks.
type Principal struct {
	Name  string // what answers and audit records carry
	KeyID string // the key presented; "" for local access without keys
}

// Local is the principal of the command line, and of a loopback server that
// has no keys.
var Local = Principal{Name: "local"}

// Key is one key as it is stored and listed: never its secret.
type Key struct {
	ID      string     `json:"id"`
	Name    string     `json:"name"` // the principal that it stands for
	Salt    []byte     `json:"salt,omitempty"`
	Hash    []byte     `json:"hash,omitempty"`
	Created time.Time  `json:"created"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

// Config configures [Keys]. Path is required.
type Config struct {
	Path string           // the file of the keys
	Now  func() time.Time // default time.Now
	Rand io.Reader        // default crypto/rand
}

// Keys are the API keys of one data folder. It follows its file: a key that
// another process revokes stops working here at the next request.
type Keys struct {
	cfg Config

	mu      sync.Mutex
	stamp   string           // of the file as last read
	keys    []Key            //
	trusted map[[32]byte]int // sha256 of a secret that was verified -> index in keys
}

// New returns the keys of a file, which need not exist yet.
func New(cfg Config) (*Keys, error) {
	if cfg.Path == "" {
		return nil, errors.New("access: Config.Path is empty")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Rand = cmp.Or(cfg.Rand, rand.Reader)
	k := &Keys{cfg: cfg}
	return k, k.refresh()
}

// Create makes a key for a principal and returns its secret, which is stored
// nowhere and cannot be shown again.
func (k *Keys) Create(name string) (Key, string, error) {
	if name = strings.TrimSpace(name); name == "" || len(name) > 100 {
		return Key{}, "", errors.New("access: a key needs a name of 1 to 100 bytes")
	}
	raw := make([]byte, 4+32+saltBytes)
	if _, err := io.ReadFull(k.cfg.Rand, raw); err != nil {
		return Key{}, "", fmt.Errorf("access: making a key: %w", err)
	}
	id := hex.EncodeToString(raw[:4])
	secret := prefix + "_" + id + "_" + base64.RawURLEncoding.EncodeToString(raw[4:36])
	salt := raw[36:]
	key := Key{ID: id, Name: name, Salt: salt, Hash: hash(secret, salt), Created: k.cfg.Now().UTC().Truncate(time.Second)}
	err := k.edit(func(keys []Key) ([]Key, error) { return append(keys, key), nil })
	if err != nil {
		return Key{}, "", err
	}
	return shown(key), secret, nil
}

// List returns all keys, oldest first, without salts and hashes.
func (k *Keys) List() ([]Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(); err != nil {
		return nil, err
	}
	out := make([]Key, 0, len(k.keys))
	for _, key := range k.keys {
		out = append(out, shown(key))
	}
	return out, nil
}

// Any reports whether a key is in force.
func (k *Keys) Any() (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(); err != nil {
		return false, err
	}
	for _, key := range k.keys {
		if key.Revoked == nil {
			return true, nil
		}
	}
	return false, nil
}

// Revoke ends a key. The error is a [*NoKeyError] where the id names none.
func (k *Keys) Revoke(id string) error {
	return k.edit(func(keys []Key) ([]Key, error) {
		for i := range keys {
			if keys[i].ID != id {
				continue
			}
			if keys[i].Revoked == nil {
				now := k.cfg.Now().UTC().Truncate(time.Second)
				keys[i].Revoked = &now
			}
			return keys, nil
		}
		return nil, &NoKeyError{ID: id}
	})
}

// Authenticate returns the principal of a secret. The error is [ErrKey] for
// any secret that is not in force.
func (k *Keys) Authenticate(secret string) (Principal, error) {
	parts := strings.SplitN(secret, "_", 3)
	if len(secret) > 200 || len(parts) != 3 || parts[0] != prefix {
		return Principal{}, ErrKey
	}
	// Held over the hash on purpose: one hash at a time bounds the memory that
	// a flood of wrong keys can take.
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refresh(); err != nil {
		return Principal{}, err
	}
	sum := sha256.Sum256([]byte(secret))
	if i, ok := k.trusted[sum]; ok {
		return Principal{Name: k.keys[i].Name, KeyID: k.keys[i].ID}, nil
	}
	for i, key := range k.keys {
		if key.ID != parts[1] || key.Revoked != nil {
			continue
		}
		if subtle.ConstantTimeCompare(hash(secret, key.Salt), key.Hash) == 1 {
			k.trusted[sum] = i
			return Principal{Name: key.Name, KeyID: key.ID}, nil
		}
	}
	return Principal{}, ErrKey
}

// refresh reads the file again if it changed. The caller holds mu or is alone.
func (k *Keys) refresh() error {
	info, err := os.Stat(k.cfg.Path)
	if errors.Is(err, fs.ErrNotExist) {
		k.keys, k.trusted, k.stamp = nil, map[[32]byte]int{}, ""
		return nil
	}
	if err != nil {
		return fmt.Errorf("access: looking at the keys: %w", err)
	}
	stamp := fmt.Sprint(info.ModTime().UnixNano(), info.Size())
	if stamp == k.stamp {
		return nil
	}
	data, err := os.ReadFile(k.cfg.Path)
	if err != nil {
		return fmt.Errorf("access: reading the keys: %w", err)
	}
	var keys []Key
	if err := json.Unmarshal(data, &keys); err != nil {
		return fmt.Errorf("access: the key file %s is damaged, restore it from a backup: %w", filepath.Base(k.cfg.Path), err)
	}
	k.keys, k.trusted, k.stamp = keys, map[[32]byte]int{}, stamp
	return nil
}

// edit replaces the file under a lock that other processes honour.
func (k *Keys) edit(change func([]Key) ([]Key, error)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(k.cfg.Path), 0o700); err != nil {
		return fmt.Errorf("access: making the folder of the keys: %w", err)
	}
	lock := flock.New(k.cfg.Path + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("access: locking the keys: %w", err)
	}
	defer lock.Unlock()
	if err := k.refresh(); err != nil {
		return err
	}
	keys, err := change(append([]Key(nil), k.keys...))
	if err != nil {
		return err
	}
	if err := write(k.cfg.Path, keys); err != nil {
		return fmt.Errorf("access: writing the keys: %w", err)
	}
	k.stamp = ""
	return k.refresh()
}

// write replaces the file by write, fsync, rename: readable by its owner alone.
func write(path string, keys []Key) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetIndent("", "  ")
	if err := enc.Encode(keys); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".keys-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(buf.Bytes())
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func hash(secret string, salt []byte) []byte {
	return argon2.IDKey([]byte(secret), salt, hashPasses, hashMemory, 1, hashBytes)
}

func shown(k Key) Key {
	k.Salt, k.Hash = nil, nil
	return k
}
