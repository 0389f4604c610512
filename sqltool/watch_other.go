//go:build !linux

package sqltool

import "time"

// This system does not tell a process its resident memory, and has no limits worth
// setting: the gateway's deadline holds alone.

func residentMB() int { return 0 }

func limitCPU(time.Duration, int) {}

func stepBack() func() bool { return func() bool { return false } }
