// Package train loads development questions, runs the planner over them in
// memory and fits its weights.
//
// [Load] reads one set in the format of `gateway eval bench`; [Fit] trains the
// ranker and its calibration, deterministically; [Evaluate] measures by kind.
// Nothing here runs when questions are answered.
package train

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Case is one development question.
type Case struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	Tables     []string `json:"tables"`
	Answer     []any    `json:"answer"`
	SQL        string   `json:"sql"`
	AnswerType string   `json:"answer_type"`
	Meta       Meta     `json:"meta"`
	Set        string   `json:"-"` // the folder's name
	Dir        string   `json:"-"`
}

// Meta is what a set says about a question beside the answer.
type Meta struct {
	Kind         string `json:"kind"`
	Ordered      bool   `json:"ordered"`
	SingleTable  bool   `json:"single_table"`
	DB           string `json:"db_id"`
	Dev          []int  `json:"random_split_dev"`
	Now          string `json:"now"`
	Scale        string `json:"scale"`
	Alternatives []any  `json:"alternatives"`
	Struct       *Gold  `json:"struct"`
	TableID      string `json:"table_id"`
}

// Gold is the plan that a set gives: column numbers and conditions.
type Gold struct {
	Sel   int     `json:"sel"`
	Agg   string  `json:"agg"`
	Conds [][]any `json:"conds"`
}

// Load reads the questions of one unpacked set.
func Load(dir string) ([]*Case, error) {
	f, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("train: opening the questions: %w", err)
	}
	defer f.Close()
	var out []*Case
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		c := &Case{Set: filepath.Base(dir), Dir: dir}
		if err := json.Unmarshal(sc.Bytes(), c); err != nil {
			return nil, fmt.Errorf("train: reading a question of %s: %w", dir, err)
		}
		out = append(out, c)
	}
	return out, sc.Err()
}

// Group names the tables of a question: what training and testing may not share.
func (c *Case) Group() string {
	if c.Meta.DB != "" {
		return c.Set + "/" + c.Meta.DB
	}
	return c.Set + "/" + strings.Join(c.Tables, ",")
}

// Now is the date of the question.
func (c *Case) Now() time.Time {
	if t, err := time.Parse(time.RFC3339, c.Meta.Now); err == nil {
		return t
	}
	if len(c.Meta.Now) >= 10 {
		if t, err := time.Parse(time.DateOnly, c.Meta.Now[:10]); err == nil {
			return t
		}
	}
	return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
}

// Database is the loaded tables of a question, in memory.
type Database struct {
	Context *schema.Context
	rels    map[schema.Ref]*relation
	Values  *Values
}

// relation is the rows of one table: nil, float64, string or bool a cell.
type relation struct {
	cols map[string]int
	rows [][]any
	ids  []int

	mu    sync.Mutex
	byKey map[string]map[string][]int
}

// Cache loads databases once.
type Cache struct {
	mu  sync.Mutex
	dbs map[string]*entry
}

type entry struct {
	once sync.Once
	db   *Database
	err  error
}

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{dbs: map[string]*entry{}} }

// Get returns the database of a case.
func (k *Cache) Get(ctx context.Context, c *Case) (*Database, error) {
	key := c.Dir + "|" + strings.Join(c.Tables, "|")
	k.mu.Lock()
	e := k.dbs[key]
	if e == nil {
		e = &entry{}
		k.dbs[key] = e
	}
	k.mu.Unlock()
	e.once.Do(func() { e.db, e.err = open(ctx, c) })
	return e.db, e.err
}

// Drop forgets a database.
func (k *Cache) Drop(c *Case) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.dbs, c.Dir+"|"+strings.Join(c.Tables, "|"))
}

func open(ctx context.Context, c *Case) (*Database, error) {
	db := &Database{Context: &schema.Context{}, rels: map[schema.Ref]*relation{}}
	for _, path := range c.Tables {
		files, err := tableFiles(filepath.Join(c.Dir, path))
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			wb, err := workbook.Open(ctx, f, workbook.Options{})
			if err != nil {
				continue // an empty or unreadable table: the questions about it fail
			}
			for _, t := range wb.Tables {
				db.add(wb.Name, len(files), t)
			}
		}
	}
	if len(db.Context.Tables) == 0 {
		return nil, fmt.Errorf("train: no table of %s could be read", c.ID)
	}
	db.relate()
	db.Values = newValues(db)
	return db, nil
}

func tableFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("train: looking for a table: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var out []string
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, p)
		}
		return err
	})
	sort.Strings(out)
	return out, err
}

// add measures one table and keeps its rows.
func (db *Database) add(file string, files int, t *workbook.Table) {
	ref := schema.Ref{Workbook: "w", Table: t.Name}
	if files > 1 {
		ref.Table = file
	}
	for db.rels[ref] != nil {
		ref.Table += "_"
	}
	st := &schema.Table{Ref: ref, Title: t.Title, Sheet: t.Sheet, File: file}
	rel := &relation{cols: map[string]int{}}
	for i, c := range t.Columns {
		st.Columns = append(st.Columns, &schema.Column{Column: c})
		rel.cols[c.Name] = i
	}
	if t.Rows != nil {
		for id, vals := range t.Rows {
			row := make([]any, len(t.Columns))
			for i := range t.Columns {
				row[i] = plainValue(t.Columns[i].Type, vals[i])
			}
			rel.rows, rel.ids = append(rel.rows, row), append(rel.ids, id)
		}
	}
	st.Rows = int64(len(rel.rows))
	for i, c := range st.Columns {
		c.Profile = profile(rel, i)
	}
	db.rels[ref] = rel
	db.Context.Tables = append(db.Context.Tables, st)
}

func plainValue(t workbook.Type, v workbook.Value) any {
	if v.Null {
		return nil
	}
	switch t.Kind {
	case workbook.Int:
		return float64(v.Int)
	case workbook.Decimal:
		if v.Str != "" {
			f, _ := strconv.ParseFloat(v.Str, 64)
			return f
		}
		f := float64(v.Int)
		for range t.Scale {
			f /= 10
		}
		return f
	case workbook.Float:
		return v.Float
	case workbook.Bool:
		return v.Int != 0
	case workbook.Date:
		return time.Unix(v.Int*86400, 0).UTC().Format(time.DateOnly)
	case workbook.Timestamp:
		return time.UnixMicro(v.Int).UTC().Format("2006-01-02 15:04:05")
	case workbook.Time:
		return time.UnixMicro(v.Int).UTC().Format("15:04:05")
	}
	return v.Str
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// profile measures one column.
func profile(rel *relation, i int) schema.Profile {
	p := schema.Profile{}
	count := map[string]int64{}
	var lo, hi any
	for _, row := range rel.rows {
		v := row[i]
		if v == nil {
			p.Nulls++
			continue
		}
		count[text(v)]++
		if lo == nil || order(v, lo) < 0 {
			lo = v
		}
		if hi == nil || order(v, hi) > 0 {
			hi = v
		}
	}
	p.Distinct = int64(len(count))
	p.Unique = p.Nulls == 0 && int(p.Distinct) == len(rel.rows) && len(rel.rows) > 0
	p.Min, p.Max = text(lo), text(hi)
	return p
}
