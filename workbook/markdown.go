package workbook

import (
	"context"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	source "github.com/yuin/goldmark/text"
)

// readMarkdown reads the tables of a markdown document, those written as HTML
// included.
func (o *opening) readMarkdown(ctx context.Context) error {
	raw, err := o.whole()
	if err != nil {
		return err
	}
	src, encoding := decodeText(raw)
	o.wb.Ledger.Details = append(o.wb.Ledger.Details, "encoding "+encoding)
	d := &document{maxCells: o.opt.MaxCells}
	if err := d.readMarkdown(ctx, src); err != nil {
		return err
	}
	return o.readDocument(ctx, "markdown", d)
}

func (d *document) readMarkdown(ctx context.Context, src []byte) error {
	root := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser().Parse(source.NewReader(src))
	return ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, ctx.Err()
		}
		switch n := n.(type) {
		case *ast.Heading:
			d.head(d.inline(n, src))
		case *ast.Paragraph, *ast.TextBlock:
			d.paragraph(d.inline(n, src))
		case *ast.HTMLBlock:
			if err := d.htmlBlock(ctx, n, src); err != nil {
				return ast.WalkStop, err
			}
		case *extast.Table:
			if err := d.markdownTable(n, src); err != nil {
				return ast.WalkStop, err
			}
		default:
			return ast.WalkContinue, nil
		}
		return ast.WalkSkipChildren, nil
	})
}

func (d *document) htmlBlock(ctx context.Context, n *ast.HTMLBlock, src []byte) error {
	var b []byte
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b = append(b, line.Value(src)...)
	}
	if n.HasClosure() {
		b = append(b, n.ClosureLine.Value(src)...)
	}
	return d.readHTML(ctx, b)
}

func (d *document) markdownTable(n *extast.Table, src []byte) error {
	t := d.begin()
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		t.rows = append(t.rows, nil)
		if row.Kind() == extast.KindTableHeader {
			t.heads = len(t.rows)
		}
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			if err := d.add(t, docCell{text: collapse(d.inline(c, src))}); err != nil {
				return err
			}
		}
	}
	d.end(t)
	return nil
}

// inline is the text of a node without its marks.
func (d *document) inline(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(src))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(src))
		case *ast.RawHTML:
			if s := strings.ToLower(string(n.Segments.Value(src))); strings.HasPrefix(s, "<br") {
				b.WriteByte(' ')
			}
		case *ast.Image:
			d.pictures++
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
