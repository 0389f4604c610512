package workbook

import (
	"strconv"
	"time"
)

// Text prints the value in the form that SQL reads back: plain digits, ISO
// dates, "" for NULL.
func (v Value) Text(t Type) string {
	if v.Null {
		return ""
	}
	switch t.Kind {
	case Bool:
		return strconv.FormatBool(v.Int != 0)
	case Int:
		if v.Str != "" {
			return v.Str
		}
		return strconv.FormatInt(v.Int, 10)
	case Decimal:
		if v.Str != "" {
			return v.Str
		}
		return dec{mant: v.Int, scale: t.Scale}.plain()
	case Float:
		return strconv.FormatFloat(v.Float, 'g', -1, 64)
	case Date:
		return time.Unix(v.Int*86400, 0).UTC().Format("2006-01-02")
	case Time:
		return time.UnixMicro(v.Int).UTC().Format("15:04:05.999999")
	case Timestamp:
		return time.UnixMicro(v.Int).UTC().Format("2006-01-02 15:04:05.999999")
	}
	return v.Str
}
