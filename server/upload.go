package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"github.com/allrows/allrows/ingest"
	"github.com/allrows/allrows/schema"
	"github.com/allrows/allrows/workbook"
)

// Loaded is what became of one uploaded file.
type Loaded struct {
	File      string           `json:"file"`
	Workbook  string           `json:"workbook"`
	Version   string           `json:"version"`
	Unchanged bool             `json:"unchanged"` // this very file is loaded already
	Rows      int64            `json:"rows"`
	Chunks    int64            `json:"chunks"`
	Tables    []*schema.Table  `json:"tables"`
	Ledger    *workbook.Ledger `json:"ledger"`
	ElapsedMS float64          `json:"elapsed_ms"`
}

// postWorkbooks loads one file of a form: field file, and optionally name and
// replace. The answer is its ledger.
func (s *Server) postWorkbooks(c echo.Context) error {
	loaded, err := s.receive(c)
	if err != nil {
		return err
	}
	if len(loaded) != 1 {
		return c.JSON(http.StatusCreated, loaded)
	}
	if loaded[0].Unchanged {
		return c.JSON(http.StatusOK, loaded[0])
	}
	return c.JSON(http.StatusCreated, loaded[0])
}

// receive streams the files of a form to disk, then loads them one by one. The
// fields name and replace count for all files, wherever they stand in the form.
func (s *Server) receive(c echo.Context) ([]Loaded, error) {
	reader, err := c.Request().MultipartReader()
	if err != nil {
		return nil, badRequest("the body is no multipart form", err.Error())
	}
	if err := os.MkdirAll(s.cfg.Uploads, 0o700); err != nil {
		return nil, fmt.Errorf("server: making the folder of uploads: %w", err)
	}
	dir, err := os.MkdirTemp(s.cfg.Uploads, "up-*")
	if err != nil {
		return nil, fmt.Errorf("server: making the folder of an upload: %w", err)
	}
	defer os.RemoveAll(dir)
	form := uploadForm{dir: dir}
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, formError(err)
		}
		if err := form.take(part); err != nil {
			return nil, err
		}
	}
	if len(form.files) == 0 {
		return nil, badRequest("the form holds no file", "the field's name is file")
	}
	if form.name != "" && len(form.files) > 1 {
		return nil, badRequest("one name for several files", "")
	}
	return s.loadAll(c, form)
}

func (s *Server) loadAll(c echo.Context, form uploadForm) ([]Loaded, error) {
	var out []Loaded
	for _, path := range form.files {
		r, err := s.cfg.Front.Loader.Load(c.Request().Context(), ingest.Request{Path: path, Name: form.name, Replace: form.replace})
		if err != nil {
			return out, err
		}
		out = append(out, Loaded{File: filepath.Base(path), Workbook: r.Workbook, Version: r.Version, Unchanged: r.Unchanged, Rows: r.Rows,
			Chunks: int64(r.Chunks), Tables: r.Tables, Ledger: r.Ledger, ElapsedMS: float64(r.Elapsed.Microseconds()) / 1000})
	}
	return out, nil
}

type uploadForm struct {
	dir     string
	files   []string
	name    string
	replace bool
}

func (f *uploadForm) take(part *multipart.Part) error {
	defer part.Close()
	switch part.FormName() {
	case "file":
		if part.FileName() == "" {
			return nil // a browser's empty choice
		}
		return f.save(part)
	case "name", "replace":
		text, err := io.ReadAll(io.LimitReader(part, 1024))
		if err != nil {
			return formError(err)
		}
		if part.FormName() == "name" {
			f.name = strings.TrimSpace(string(text))
		} else {
			f.replace = string(text) == "true" || string(text) == "on"
		}
		return nil
	}
	return badRequest(fmt.Sprintf("the form has an unknown field %q", part.FormName()), "fields are file, name, replace")
}

func (f *uploadForm) save(part *multipart.Part) error {
	name, err := fileName(part.FileName())
	if err != nil {
		return err
	}
	path := filepath.Join(f.dir, name)
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return badRequest("the form holds two files of one name", "")
	}
	if err != nil {
		return fmt.Errorf("server: saving an upload: %w", err)
	}
	_, err = io.Copy(out, part)
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return formError(err)
	}
	f.files = append(f.files, path)
	return nil
}

// fileName is the base of a name that a client sent, whatever separators it
// used, without what no file should be called.
func fileName(sent string) (string, error) {
	name := sent[strings.LastIndexAny(sent, `/\`)+1:]
	bad := strings.IndexFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }) >= 0
	if bad || name == "" || strings.HasPrefix(name, ".") || len(name) > 200 {
		return "", badRequest("the file has no usable name", "")
	}
	return name, nil
}

func formError(err error) error {
	if known := bodyError(err); known != nil {
		return known
	}
	return badRequest("the form broke off", err.Error())
}

// sweepUploads removes what uploads of an earlier, killed process left.
func (s *Server) sweepUploads() {
	left, err := filepath.Glob(filepath.Join(s.cfg.Uploads, "up-*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && s.cfg.Now().Sub(info.ModTime()) > 2*uploadTime {
			if err := os.RemoveAll(dir); err != nil {
				s.log.Warn("sweeping an old upload", "error", err)
			}
		}
	}
}

// Book is one workbook of the list.
type Book struct {
	Workbook string           `json:"workbook"`
	File     string           `json:"file"`
	Version  string           `json:"version"`
	LoadedAt time.Time        `json:"loaded_at"`
	Tables   []*schema.Table  `json:"tables"`
	Ledger   *workbook.Ledger `json:"ledger,omitempty"`
}

// getWorkbooks lists the workbooks whose tables the caller's scope shows.
func (s *Server) getWorkbooks(c echo.Context) error {
	books, err := s.cfg.Front.Books(principalOf(c).Name)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"workbooks": books})
}
