package sqltool

import (
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// maxExact is the largest integer that a JSON number holds exactly everywhere.
const maxExact = 1 << 53

// canonical turns a driver's value of a DuckDB type into the form of [Result].
func canonical(v driver.Value, typ string) any {
	switch x := v.(type) {
	case nil:
		return nil
	case bool, string:
		return x
	case float64:
		return float(x)
	case float32:
		return float(float64(x))
	case time.Time:
		return moment(x, typ)
	case duckdb.Decimal:
		return x.String()
	case *big.Int:
		return integer(x)
	case []byte:
		if typ == "UUID" && len(x) == 16 {
			return fmt.Sprintf("%x-%x-%x-%x-%x", x[:4], x[4:6], x[6:8], x[8:10], x[10:])
		}
		return base64.StdEncoding.EncodeToString(x)
	case duckdb.Interval:
		return interval(x)
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = canonical(x[i], element(typ))
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = canonical(e, "")
		}
		return out
	}
	return small(v)
}

// small handles the sized integers and what has a text form of its own.
func small(v driver.Value) any {
	switch x := v.(type) {
	case int8:
		return int64(x)
	case int16:
		return int64(x)
	case int32:
		return int64(x)
	case int64:
		return wide(x)
	case int:
		return wide(int64(x))
	case uint8:
		return int64(x)
	case uint16:
		return int64(x)
	case uint32:
		return int64(x)
	case uint64:
		return integer(new(big.Int).SetUint64(x))
	case duckdb.OrderedMap:
		out := make(map[string]any, x.Len())
		values := x.Values()
		for i, k := range x.Keys() {
			out[text(canonical(k, ""))] = canonical(values[i], "")
		}
		return out
	case duckdb.Union:
		return canonical(x.Value, "")
	case fmt.Stringer:
		return x.String()
	}
	return fmt.Sprint(v)
}

func wide(x int64) any {
	if x > maxExact || x < -maxExact {
		return strconv.FormatInt(x, 10)
	}
	return x
}

func integer(x *big.Int) any {
	if x.IsInt64() {
		return wide(x.Int64())
	}
	return x.String()
}

func float(x float64) any {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return x
}

// moment prints dates, times and timestamps in ISO 8601, with as many digits of
// a second as they have.
func moment(t time.Time, typ string) string {
	switch {
	case typ == "DATE":
		return t.Format("2006-01-02")
	case typ == "TIMETZ" || typ == "TIME WITH TIME ZONE":
		return t.Format("15:04:05.999999Z07:00")
	case strings.HasPrefix(typ, "TIME") && !strings.HasPrefix(typ, "TIMESTAMP"):
		return t.Format("15:04:05.999999")
	case typ == "TIMESTAMPTZ" || typ == "TIMESTAMP WITH TIME ZONE":
		return t.UTC().Format("2006-01-02T15:04:05.999999Z")
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999999")
}

// interval prints a duration in ISO 8601.
func interval(i duckdb.Interval) string {
	var b strings.Builder
	b.WriteByte('P')
	part := func(n int64, unit byte) {
		if n != 0 {
			b.WriteString(strconv.FormatInt(n, 10))
			b.WriteByte(unit)
		}
	}
	part(int64(i.Months/12), 'Y')
	part(int64(i.Months%12), 'M')
	part(int64(i.Days), 'D')
	if i.Micros != 0 {
		b.WriteByte('T')
		part(i.Micros/3_600_000_000, 'H')
		part(i.Micros%3_600_000_000/60_000_000, 'M')
		if s := float64(i.Micros%60_000_000) / 1e6; s != 0 {
			b.WriteString(strconv.FormatFloat(s, 'f', -1, 64))
			b.WriteByte('S')
		}
	}
	if b.Len() == 1 {
		return "PT0S"
	}
	return b.String()
}

// text is the text form of a canonical value, the one that profiles and indexes
// hold: plain digits, ISO dates, "" for NULL.
func text(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case bool:
		return strconv.FormatBool(x)
	case int64:
		return strconv.FormatInt(x, 10)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// element returns the type of a list's elements.
func element(typ string) string { return strings.TrimSuffix(typ, "[]") }

// size estimates the bytes of a value as JSON.
func size(v any) int {
	switch x := v.(type) {
	case nil:
		return 4
	case string:
		return len(x) + 2
	case []any:
		n := 2
		for _, e := range x {
			n += size(e) + 1
		}
		return n
	case map[string]any:
		n := 2
		for k, e := range x {
			n += len(k) + 4 + size(e)
		}
		return n
	}
	return 8
}

// restore gives the numbers of a result that crossed a pipe their types again.
func (r *Result) restore() {
	for i, c := range r.Columns {
		float := c.Type == "DOUBLE" || c.Type == "FLOAT"
		for _, row := range r.Rows {
			row[i] = number(row[i], float)
		}
	}
}

// number turns a JSON number into an int64 or float64. Inside lists and structs,
// whose elements' types are not at hand, a point or an exponent makes a float.
func number(v any, isFloat bool) any {
	switch x := v.(type) {
	case json.Number:
		if !isFloat && !strings.ContainsAny(x.String(), ".eE") {
			if n, err := x.Int64(); err == nil {
				return n
			}
		}
		f, _ := x.Float64() // it was one when it was written
		return f
	case []any:
		for i := range x {
			x[i] = number(x[i], false)
		}
	case map[string]any:
		for k := range x {
			x[k] = number(x[k], false)
		}
	}
	return v
}
