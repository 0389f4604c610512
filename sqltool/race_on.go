//go:build race

package sqltool

// raceDetector tells that this binary reserves far more address space than it uses.
const raceDetector = true
