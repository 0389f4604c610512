package sqltool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// disk is the file layer of a store's changes: every call by which a version comes
// to be passes here.
type disk struct {
	fail func(op string) error // tests: a failure in place of the call; nil in use
}

func (d *disk) do(op string, call func() error) error {
	if d.fail != nil {
		if err := d.fail(op); err != nil {
			return err
		}
	}
	return call()
}

// writeFile replaces a file whole: write beside it, fsync, rename, fsync the folder.
func (d *disk) writeFile(path string, data []byte) error {
	var f *os.File
	err := d.do("create", func() (err error) {
		f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
		return err
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	err = d.do("write", func() error { _, err := f.Write(data); return err })
	if err == nil {
		err = d.do("sync", f.Sync)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = d.do("rename", func() error { return os.Rename(f.Name(), path) })
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), errors.Join(err, os.Remove(f.Name())))
	}
	return d.sync(filepath.Dir(path))
}

// sync makes a file's content, or the names in a folder, durable.
func (d *disk) sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.do("sync", f.Sync), f.Close())
}

// syncTree makes a folder with all its files durable.
func (d *disk) syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return d.sync(path)
	})
}

// move renames a folder and makes both its old and its new name durable.
func (d *disk) move(from, to string) error {
	if err := d.do("rename", func() error { return os.Rename(from, to) }); err != nil {
		return err
	}
	return errors.Join(d.sync(filepath.Dir(to)), d.sync(filepath.Dir(from)))
}
