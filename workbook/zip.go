package workbook

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// The limits of one file, large enough for any sheet that people use.
const (
	maxPart      = 4 << 30 // bytes of one part once unpacked
	maxRatioSize = 64 << 20
	maxRatio     = 250 // unpacked to packed, for parts over maxRatioSize
	maxParts     = 20_000
	maxDepth     = 128 // elements inside elements
	maxSmallPart = 64 << 20
)

// container is an opened zip file whose parts are found by name without case.
type container struct {
	zr    *zip.Reader
	parts map[string]*zip.File
}

// openContainer reads the directory of a zip file and checks what it claims.
func openContainer(r io.ReaderAt, size int64) (*container, error) {
	zr, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("reading zip directory: %w", err)
	}
	if n := len(zr.File); n > maxParts {
		return nil, &limitError{"the file has too many parts", maxParts, int64(n), "parts"}
	}
	c := &container{zr: zr, parts: make(map[string]*zip.File, len(zr.File))}
	for _, f := range zr.File {
		c.parts[partName(f.Name)] = f
	}
	return c, nil
}

func partName(s string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(s, `\`, "/")), "/"))
}

func (c *container) has(name string) bool { return c.parts[partName(name)] != nil }

// check refuses a part that claims to be larger than the limits.
func (c *container) check(f *zip.File) error {
	size, packed := int64(f.UncompressedSize64), int64(f.CompressedSize64)
	if f.UncompressedSize64 > maxPart {
		return &limitError{"part " + f.Name + " is too large once unpacked", maxPart, size, "bytes"}
	}
	if size > maxRatioSize && size/max(packed, 1) > maxRatio {
		return &limitError{"part " + f.Name + " unpacks to an implausible multiple of its size", maxRatio, size / max(packed, 1), "times"}
	}
	if f.Flags&1 != 0 {
		return errEncryptedPart
	}
	return nil
}

// errDecoded says that a callback has read an element to its end.
var errDecoded = errors.New("decoded")

var errEncryptedPart = errors.New("the part is encrypted")

// open returns a part that may be no longer than it claims; reading to its end
// verifies size and checksum.
func (c *container) open(name string) (io.ReadCloser, error) {
	f := c.parts[partName(name)]
	if f == nil {
		return nil, fmt.Errorf("part %s is missing", name)
	}
	if err := c.check(f); err != nil {
		return nil, err
	}
	rc, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("opening part %s: %w", name, err)
	}
	return &sizedReader{rc: rc, name: f.Name, left: int64(f.UncompressedSize64), size: int64(f.UncompressedSize64)}, nil
}

// sizedReader fails as soon as a part turns out longer than it claimed.
type sizedReader struct {
	rc         io.ReadCloser
	name       string
	left, size int64 // bytes still to come, and in all
}

func (s *sizedReader) Read(p []byte) (int, error) {
	n, err := s.rc.Read(p)
	// The zip reader fails so when more comes out than the directory says.
	if s.left -= int64(n); s.left < 0 || errors.Is(err, zip.ErrFormat) {
		return n, &limitError{"part " + s.name + " holds more than it claims", s.size, s.size + 1, "bytes or more"}
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("unpacking part %s: %w", s.name, err)
	}
	return n, err
}

func (s *sizedReader) Close() error { return s.rc.Close() }

// each walks the elements of a small part: start is called with every opening
// element and the names of those around it.
func (c *container) each(name string, start func(d *xml.Decoder, path []string, e xml.StartElement) error) error {
	rc, err := c.open(name)
	if err != nil {
		return err
	}
	defer rc.Close()
	if f := c.parts[partName(name)]; f.UncompressedSize64 > maxSmallPart {
		return &limitError{"part " + name + " is too large", maxSmallPart, int64(f.UncompressedSize64), "bytes"}
	}
	d := xml.NewDecoder(rc)
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	d.Strict = false
	var path []string
	for {
		t, err := d.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading part %s: %w", name, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(path) >= maxDepth {
				return &limitError{"part " + name + " is nested too deeply", maxDepth, int64(len(path) + 1), "levels"}
			}
			switch err := start(d, path, t); {
			case err == errDecoded: // with all that is in it
			case err != nil:
				return err
			default:
				path = append(path, t.Name.Local)
			}
		case xml.EndElement:
			if len(path) > 0 {
				path = path[:len(path)-1]
			}
		}
	}
}

// attr returns an attribute by its local name.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// rel is one relationship of a part.
type rel struct{ kind, target string }

// rels reads the relationships of a part, by id; external ones keep their
// target as it is, with kind "external".
func (c *container) rels(part string) (map[string]rel, error) {
	dir, base := path.Split(part)
	name := dir + "_rels/" + base + ".rels"
	out := map[string]rel{}
	if !c.has(name) {
		return out, nil
	}
	err := c.each(name, func(_ *xml.Decoder, _ []string, e xml.StartElement) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		r := rel{kind: path.Base(attr(e, "Type")), target: attr(e, "Target")}
		switch {
		case strings.EqualFold(attr(e, "TargetMode"), "External"):
			r.kind = "external"
		case strings.HasPrefix(r.target, "/"):
			r.target = partName(r.target)
		default:
			r.target = partName(dir + r.target)
		}
		out[attr(e, "Id")] = r
		return nil
	})
	return out, err
}
