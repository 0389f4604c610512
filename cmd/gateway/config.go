package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
)

// config is every setting of the program, from defaults, the configuration
// file, the environment and flags: the later wins. Its origins say which did.
type config struct {
	Data       string        // folder of workbooks, index, journal and keys
	Listen     string        // address of serve
	Admin      string        // address of the admin listener, or ""
	Hosts      []string      // host names that serve answers to, beside IP addresses and localhost
	Grace      time.Duration // what in-flight requests get at shutdown
	Announce   time.Duration // how long serve says "not ready" before it stops listening
	Watch      bool          // serve reloads sources that change
	Workers    int           // worker processes
	Timeout    time.Duration // per query
	MemoryMB   int           // per worker
	KeepVers   int           // versions kept of each workbook
	IndexRows  int           // rows of a table up to which they are indexed one by one
	Threshold  float64       // confidence below which a question is asked back
	LogLevel   string
	LogFormat  string
	ConfigFile string            // the file that was read, or ""
	origins    map[string]string // key -> default, file, env NAME, flag --name
	values     *koanf.Koanf
}

// setting is one key with its default and what it is for.
type setting struct{ key, def, what string }

// settings lists every key there is: the one table that the file, the
// environment, flags and `config show` are held against.
var settings = []setting{
	{"data.dir", "", "folder of workbooks, index, journal and keys"},
	{"server.listen", "127.0.0.1:8080", "address that serve listens on"},
	{"server.hosts", "", "host names that serve answers to, comma-separated, beside IP addresses and localhost"},
	{"server.admin", "", "address of the admin listener (/metrics, /livez, /readyz); empty is none"},
	{"server.grace", "30s", "what requests in flight get at shutdown"},
	{"server.announce", "0s", "how long serve says it is not ready before it stops listening"},
	{"server.watch", "false", "true: serve reloads a loaded file once it has changed and been quiet for a second"},
	{"sql.workers", "2", "worker processes that run queries"},
	{"sql.timeout", "10s", "time limit of one query"},
	{"sql.memory_mb", "1024", "memory limit of one worker, in MiB"},
	{"versions.keep", "5", "versions kept of each workbook"},
	{"index.rows", "10000", "rows up to which every row of a table is indexed"},
	{"agent.threshold", "0", "confidence below which a reading is asked back, 0 to 1; 0 is the calibrated default"},
	{"log.level", "info", "debug, info, warn or error"},
	{"log.format", "text", "text or json"},
}

// Variables with our prefix that are no settings: short names, and those of
// the tests and of container images.
var otherEnv = []string{"ALLROWS_DATA", "ALLROWS_CONFIG", "ALLROWS_BENCH", "ALLROWS_CASES", "ALLROWS_LESSON", "ALLROWS_REQUIRE"}

const envPrefix = "ALLROWS_"

// configError is a setting that cannot be used: exit code 78.
type configError struct{ Where, What string }

// Error is one line that names the key and the reason.
func (e *configError) Error() string { return "configuration: " + e.Where + ": " + e.What }

// readConfig merges the layers. flags maps keys to values given on the command
// line; environ is in the form of os.Environ.
func readConfig(file string, flags map[string]string, environ []string) (*config, error) {
	c := &config{origins: map[string]string{}, values: koanf.New(".")}
	defaults := map[string]any{}
	for _, s := range settings {
		defaults[s.key] = s.def
	}
	if err := c.layer(defaults, func(string) string { return "default" }); err != nil {
		return nil, err
	}
	env := envMap(environ)
	if file == "" {
		file = env["ALLROWS_CONFIG"]
	}
	fromFile, name, err := readFile(file)
	if err != nil {
		return nil, err
	}
	c.ConfigFile = name
	if err := c.layer(fromFile, func(string) string { return "file " + name }); err != nil {
		return nil, err
	}
	fromEnv, err := readEnv(env)
	if err != nil {
		return nil, err
	}
	if err := c.layer(fromEnv, func(k string) string { return "env " + envName(k) }); err != nil {
		return nil, err
	}
	given := map[string]any{}
	for k, v := range flags {
		given[k] = v
	}
	if err := c.layer(given, func(string) string { return "flag" }); err != nil {
		return nil, err
	}
	return c, c.decode()
}

// layer lays values over what there is and remembers where they came from.
func (c *config) layer(values map[string]any, origin func(key string) string) error {
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(settings, func(s setting) bool { return s.key == k }) {
			return &configError{strings.TrimPrefix(origin(k), "file "), unknownKey(k)}
		}
		c.origins[k] = origin(k)
	}
	return c.values.Load(confmap.Provider(values, "."), nil)
}

// readFile returns the flat settings of a YAML file. Without a name, the file
// of the user's configuration folder is read if it is there.
func readFile(name string) (map[string]any, string, error) {
	wanted := name != ""
	if !wanted {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil, "", nil // no home folder: nothing to read
		}
		name = filepath.Join(dir, "allrows", "config.yaml")
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && !wanted {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", &configError{name, "cannot be read: " + reason(err)}
	}
	tree, err := yaml.Parser().Unmarshal(data)
	if err != nil {
		return nil, "", &configError{name, strings.ReplaceAll(err.Error(), "\n", " ")}
	}
	k := koanf.New(".")
	if err := k.Load(confmap.Provider(tree, ""), nil); err != nil {
		return nil, "", &configError{name, err.Error()}
	}
	flat := k.All()
	for key, v := range flat {
		if list, ok := v.([]any); ok {
			words := make([]string, len(list))
			for i, w := range list {
				words[i] = fmt.Sprint(w)
			}
			flat[key] = strings.Join(words, ",")
		}
	}
	return flat, name, nil
}

// readEnv returns the settings named by ALLROWS_SECTION_KEY, or by
// ALLROWS_SECTION_KEY_FILE, whose value is the content of the named file. A
// variable that looks like a misspelt setting is an error, others are not ours.
func readEnv(env map[string]string) (map[string]any, error) {
	known := map[string]string{}
	for _, s := range settings {
		known[envName(s.key)] = s.key
	}
	out := map[string]any{}
	if dir := env["ALLROWS_DATA"]; dir != "" {
		out["data.dir"] = dir
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		base, fromFile := strings.CutSuffix(name, "_FILE")
		key, ok := known[name]
		switch {
		case ok:
			out[key] = env[name]
		case fromFile && known[base] != "":
			data, err := os.ReadFile(env[name])
			if err != nil {
				return nil, &configError{name, "cannot be read: " + reason(err)}
			}
			out[known[base]] = strings.TrimSpace(string(data))
		case !slices.Contains(otherEnv, name):
			if best := nearest(name, slices.Collect(maps.Keys(known))); best != "" {
				return nil, &configError{name, "is no setting; did you mean " + best + "?"}
			}
		}
	}
	return out, nil
}

func envMap(environ []string) map[string]string {
	env := map[string]string{}
	for _, e := range environ {
		if k, v, ok := strings.Cut(e, "="); ok && v != "" && strings.HasPrefix(k, envPrefix) { // empty is unset
			env[k] = v
		}
	}
	return env
}

func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// decode reads the merged values into the fields and refuses what makes no sense.
func (c *config) decode() error {
	d := decoder{c: c}
	c.Data = d.text("data.dir")
	c.Listen = d.text("server.listen")
	c.Admin = d.text("server.admin")
	c.Hosts = d.list("server.hosts")
	c.Grace = d.duration("server.grace")
	c.Announce = d.duration("server.announce")
	c.Watch = d.oneOf("server.watch", "true", "false") == "true"
	c.Workers = d.count("sql.workers", 1, 64)
	c.Timeout = d.duration("sql.timeout")
	c.MemoryMB = d.count("sql.memory_mb", 128, 1<<20)
	c.KeepVers = d.count("versions.keep", 1, 1000)
	c.IndexRows = d.count("index.rows", 0, 1_000_000)
	c.Threshold = d.fraction("agent.threshold")
	c.LogLevel = d.oneOf("log.level", "debug", "info", "warn", "error")
	c.LogFormat = d.oneOf("log.format", "text", "json")
	if c.Data == "" {
		c.Data = defaultData()
	}
	return d.err
}

// decoder keeps the first error.
type decoder struct {
	c   *config
	err error
}

func (d *decoder) fail(key, what string) {
	if d.err == nil {
		where := key
		if o := d.c.origins[key]; o != "default" {
			where += " (" + o + ")"
		}
		d.err = &configError{where, fmt.Sprintf("%q %s", d.text(key), what)}
	}
}

func (d *decoder) text(key string) string { return strings.TrimSpace(d.c.values.String(key)) }

func (d *decoder) list(key string) []string {
	return strings.FieldsFunc(d.text(key), func(r rune) bool { return r == ',' || r == ' ' })
}

func (d *decoder) duration(key string) time.Duration {
	v, err := time.ParseDuration(d.text(key))
	if err != nil || v < 0 {
		d.fail(key, `is no duration; write it like "10s" or "2m"`)
	}
	return v
}

func (d *decoder) count(key string, low, high int) int {
	v, err := strconv.Atoi(d.text(key))
	if err != nil || v < low || v > high {
		d.fail(key, fmt.Sprintf("is not a whole number from %d to %d", low, high))
	}
	return v
}

func (d *decoder) fraction(key string) float64 {
	v, err := strconv.ParseFloat(d.text(key), 64)
	if err != nil || !(v >= 0 && v <= 1) {
		d.fail(key, "is not a number from 0 to 1")
	}
	return v
}

func (d *decoder) oneOf(key string, words ...string) string {
	v := d.text(key)
	if !slices.Contains(words, v) {
		d.fail(key, "is not one of "+strings.Join(words, ", "))
	}
	return v
}

// defaultData is the folder "allrows" of the user's data folder.
func defaultData() string {
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "allrows")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "allrows-data"
	}
	return filepath.Join(home, ".local", "share", "allrows")
}

// reason is the last part of a file error: without the path, which is said already.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
