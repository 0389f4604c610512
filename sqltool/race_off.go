//go:build !race

package sqltool

const raceDetector = false
