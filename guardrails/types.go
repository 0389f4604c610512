package guardrails

// castable are the types that a value may be cast to. Types of extensions, of
// catalogs and of the schema are not among them.
var castable = map[string]bool{
	"BOOLEAN": true, "TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true, "HUGEINT": true, "BIGNUM": true,
	"UTINYINT": true, "USMALLINT": true, "UINTEGER": true, "UBIGINT": true, "UHUGEINT": true,
	"FLOAT": true, "DOUBLE": true, "DECIMAL": true, "VARCHAR": true, "BLOB": true, "BIT": true, "UUID": true,
	"DATE": true, "TIME": true, "TIME WITH TIME ZONE": true, "TIMESTAMP": true, "TIMESTAMP WITH TIME ZONE": true,
	"TIMESTAMP_S": true, "TIMESTAMP_MS": true, "TIMESTAMP_NS": true, "INTERVAL": true,
	"LIST": true, "ARRAY": true, "STRUCT": true, "MAP": true, "UNION": true, "NULL": true,
}

// typ checks a type that a statement names.
func (w *walker) typ(t node) {
	info := t.node("type_info")
	if t.string("id") == "UNBOUND" && same(info.string("name"), "json") && info.string("schema") == "" && info.string("catalog") == "" {
		return
	}
	if !castable[t.string("id")] || info != nil && info["extension_info"] != nil || info.string("alias") != "" {
		name := t.string("id")
		if n := info.string("name"); n != "" {
			name = n
		}
		w.refuse("function", "cast to a plain type such as VARCHAR, BIGINT, DECIMAL(18, 2), DATE or TIMESTAMP", "the type %q", name)
		return
	}
	for k := range info {
		switch k {
		case "type", "alias", "extension_info", "width", "scale", "size":
		case "child_type":
			w.typ(w.object(info, k))
		case "child_types":
			for _, c := range w.objects(info, k) {
				w.typ(w.object(c, "second"))
			}
		default:
			w.refuse("syntax", "", "a type with an unknown part %q", k)
		}
	}
}

// constant checks a literal: a scalar of a plain type.
func (w *walker) constant(v node) {
	for k := range v {
		switch k {
		case "type":
			w.typ(w.object(v, k))
		case "is_null", "value":
			if !bare(v[k]) {
				w.refuse("syntax", "", "a constant that is no plain value")
			}
		default:
			w.refuse("syntax", "", "a constant with an unknown part %q", k)
		}
	}
}

// object returns a key's object, or nil for null. Anything else there is a shape
// that the walk does not know.
func (w *walker) object(n node, k string) node {
	if n[k] == nil {
		return nil
	}
	m, ok := n[k].(map[string]any)
	if !ok {
		w.refuse("syntax", "", "a part %q of an unknown shape", k)
	}
	return m
}

// objects returns a key's objects. Anything else there is a shape that the walk
// does not know.
func (w *walker) objects(n node, k string) []node {
	if n[k] == nil {
		return nil
	}
	a, ok := n[k].([]any)
	out := make([]node, 0, len(a))
	for _, e := range a {
		m, isObject := e.(map[string]any)
		ok = ok && isObject
		out = append(out, m)
	}
	if !ok {
		w.refuse("syntax", "", "a part %q of an unknown shape", k)
	}
	return out
}

// only refuses an object that has other keys than these.
func (w *walker) only(n node, what string, keys ...string) {
	for k := range n {
		known := false
		for _, a := range keys {
			known = known || a == k
		}
		if !known {
			w.refuse("syntax", "", "%s with an unknown part %q", what, k)
		}
	}
}

// bare reports whether a part of a tree holds nothing that could be walked: no
// expression, query or table hides in it.
func bare(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if k == "class" || k == "node" || k == "query" || k == "function_name" || !bare(e) {
				return false
			}
		}
	case []any:
		for _, e := range x {
			if !bare(e) {
				return false
			}
		}
	}
	return true
}
