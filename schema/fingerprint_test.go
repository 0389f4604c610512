package schema

import (
	"fmt"
	"reflect"
	"testing"
	"time"
)

// fill gives every field below v a value: lists get one element.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 1)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// leaves calls change for every field below v, with a function that alters it and
// one that puts it back.
func leaves(path string, v reflect.Value, change func(path string, v reflect.Value, other any)) {
	switch v.Kind() {
	case reflect.Pointer:
		leaves(path, v.Elem(), change)
	case reflect.Slice:
		change(path+" cut", v, reflect.Zero(v.Type()).Interface())
		leaves(path, v.Index(0), change)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			change(path, v, time.Unix(1, 2))
			return
		}
		for i := range v.NumField() {
			leaves(path+"."+v.Type().Field(i).Name, v.Field(i), change)
		}
	case reflect.String:
		change(path, v, reflect.ValueOf("x").Convert(v.Type()).Interface())
	case reflect.Bool:
		change(path, v, true)
	case reflect.Int, reflect.Int64:
		change(path, v, reflect.ValueOf(7).Convert(v.Type()).Interface())
	case reflect.Float64:
		change(path, v, 7.5)
	default:
		panic(fmt.Sprintf("%s is of a kind that Fingerprint's test does not know: %s", path, v.Kind()))
	}
}

func TestFingerprintSeesEveryField(t *testing.T) {
	c, again := &Context{}, &Context{}
	fill(reflect.ValueOf(c).Elem())
	fill(reflect.ValueOf(again).Elem())
	before := c.Fingerprint()
	if before != again.Fingerprint() {
		t.Error("two equal contexts have two fingerprints")
	}
	n := 0
	leaves("Context", reflect.ValueOf(c).Elem(), func(path string, v reflect.Value, other any) {
		n++
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		v.Set(reflect.ValueOf(other))
		if c.Fingerprint() == before {
			t.Errorf("Fingerprint does not see %s", path)
		}
		v.Set(old)
	})
	if n < 60 {
		t.Errorf("the test changed %d fields, want all of them", n)
	}
}

func TestFingerprintSeesWhereTextsEnd(t *testing.T) {
	one := &Context{Metrics: []Metric{{Name: "ab", Expression: "c"}}}
	two := &Context{Metrics: []Metric{{Name: "a", Expression: "bc"}}}
	if one.Fingerprint() == two.Fingerprint() {
		t.Error("Fingerprint does not tell ab, c from a, bc")
	}
}

func BenchmarkFingerprint(b *testing.B) {
	for _, n := range []int{10, 500} {
		b.Run(fmt.Sprintf("tables=%d", n), func(b *testing.B) {
			c := &Context{}
			for i := range n {
				t := &Table{Ref: Ref{Workbook: fmt.Sprint("book", i), Table: "facts"}}
				for j := range 8 {
					col := &Column{Description: "a column of some use"}
					col.Name = fmt.Sprint("column_", j)
					for range 20 {
						col.Profile.Top = append(col.Profile.Top, ValueCount{Value: "a value of a cell", Rows: 3})
					}
					t.Columns = append(t.Columns, col)
				}
				c.Tables = append(c.Tables, t)
			}
			b.ReportAllocs()
			for b.Loop() {
				c.Fingerprint()
			}
		})
	}
}
