package workbook

import (
	"errors"
	"fmt"
	"io"
)

// readStrings reads the shared strings into the arena: the text of every run,
// without phonetic hints.
func (b *xlsxBook) readStrings(part string) error {
	rc, err := b.open(part)
	if err != nil {
		return err
	}
	defer rc.Close()
	s := newXMLScan(rc, part)
	var text []byte
	phonetic := false
	for {
		err := s.next()
		if errors.Is(err, io.EOF) {
			return drain(rc)
		}
		if err != nil {
			return err
		}
		switch string(s.name) {
		case "si":
			if s.end || s.empty {
				b.strings = append(b.strings, b.arena.add(text))
				if int64(len(b.strings)) > b.maxCells {
					return &limitError{"the workbook has too many texts", b.maxCells, int64(len(b.strings)), "texts"}
				}
			}
			if text = text[:0]; !s.end {
				phonetic = false
			}
		case "rPh":
			phonetic = !s.end && !s.empty
		case "t":
			if !s.end && !s.empty && !phonetic {
				text = append(text, s.text()...)
			}
		}
	}
}

// drain reads a part to its end, which verifies its size and checksum.
func drain(r io.Reader) error {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return fmt.Errorf("verifying a part: %w", err)
	}
	return nil
}
