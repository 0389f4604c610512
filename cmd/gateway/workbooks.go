package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/allrows/allrows/sqltool"
	"github.com/allrows/allrows/web"
)

func newWorkbooks(a *app) *cobra.Command {
	c := &cobra.Command{Use: "workbooks", Short: "List workbooks and versions, roll back, remove", Args: noCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(
		&cobra.Command{Use: "list", Short: "List the workbooks", Args: args(cobra.NoArgs),
			RunE: func(*cobra.Command, []string) error { return a.listWorkbooks() }},
		&cobra.Command{Use: "versions NAME", Short: "List the versions of a workbook, newest first", Args: args(cobra.ExactArgs(1)),
			RunE: func(_ *cobra.Command, n []string) error { return a.listVersions(n[0]) }},
		&cobra.Command{Use: "rollback NAME VERSION", Short: "Serve an earlier version", Args: args(cobra.ExactArgs(2)),
			RunE: func(c *cobra.Command, n []string) error { return a.rollback(c.Context(), n[0], n[1]) }},
		&cobra.Command{Use: "rm NAME", Short: "Remove a workbook and its versions", Args: args(cobra.ExactArgs(1)),
			RunE: func(c *cobra.Command, n []string) error { return a.remove(c.Context(), n[0]) }})
	return c
}

type bookLine struct {
	Workbook string `json:"workbook"`
	Version  string `json:"version"`
	File     string `json:"file"`
	Tables   int    `json:"tables"`
	Rows     int64  `json:"rows"`
	LoadedAt string `json:"loaded_at"`
	Current  bool   `json:"current"`
}

func (a *app) listWorkbooks() error {
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	snap, err := g.store.Snapshot()
	if err != nil {
		return err
	}
	defer snap.Close()
	lines := []bookLine{}
	for _, v := range snap.Versions {
		line := bookLine{Workbook: v.Workbook, Version: v.ID, File: v.Manifest.File, Tables: len(v.Tables), LoadedAt: web.When(v.Manifest.LoadedAt), Current: true}
		for _, t := range v.Tables {
			line.Rows += t.Rows
		}
		lines = append(lines, line)
	}
	return a.printBooks(lines)
}

func (a *app) listVersions(called string) error {
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	name, err := g.store.Resolve(called)
	if err != nil {
		return err
	}
	versions, err := g.store.Versions(name)
	if err != nil {
		return err
	}
	lines := []bookLine{}
	for _, v := range versions {
		line := bookLine{Workbook: v.Workbook, Version: v.ID, File: v.Manifest.File, Tables: len(v.Tables), LoadedAt: web.When(v.Manifest.LoadedAt), Current: v.Current}
		for _, t := range v.Tables {
			line.Rows += t.Rows
		}
		lines = append(lines, line)
	}
	return a.printBooks(lines)
}

// version finds a version by its id or by the beginning that lists show.
func (g *gateway) version(called, id string) (sqltool.Version, error) {
	name, err := g.store.Resolve(called)
	if err != nil {
		return sqltool.Version{}, err
	}
	versions, err := g.store.Versions(name)
	if err != nil {
		return sqltool.Version{}, err
	}
	var found []sqltool.Version
	for _, v := range versions {
		if v.ID == id {
			return v, nil
		}
		if len(id) >= 4 && strings.HasPrefix(v.ID, id) {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		return sqltool.Version{}, &sqltool.NotFoundError{What: "version", Name: id}
	}
	return found[0], nil
}

func (a *app) printBooks(lines []bookLine) error {
	if a.json {
		return a.printJSON(lines)
	}
	out := grid{head: []string{"Workbook", "Version", "File", "Tables", "Rows", "Loaded", ""}, right: []bool{false, false, false, true, true}}
	for _, l := range lines {
		current := ""
		if l.Current {
			current = "current"
		}
		out.rows = append(out.rows, []string{l.Workbook, short(l.Version), oneLine(l.File, maxCell), web.Count(int64(l.Tables)), web.Count(l.Rows), l.LoadedAt, current})
	}
	return out.write(a.stdout)
}

func (a *app) rollback(ctx context.Context, called, version string) error {
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	v, err := g.version(called, version)
	if err != nil {
		return err
	}
	if err := g.store.Rollback(ctx, v.Workbook, v.ID); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"workbook": v.Workbook, "version": v.ID})
	}
	_, err = fmt.Fprintf(a.stdout, "%s serves version %s, loaded %s\n", v.Workbook, short(v.ID), web.When(v.Manifest.LoadedAt))
	return err
}

func (a *app) remove(ctx context.Context, called string) error {
	g, err := a.open(a.quiet())
	if err != nil {
		return err
	}
	defer g.Close()
	name, err := g.store.Resolve(called)
	if err != nil {
		return err
	}
	if err := g.store.Remove(ctx, name); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"removed": name})
	}
	_, err = fmt.Fprintf(a.stdout, "%s is removed\n", clean(name))
	return err
}
