package sqltool

import (
	"bytes"
	"os"
	"os/signal"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// residentMB returns the resident memory of this process.
func residentMB() int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return pages * os.Getpagesize() >> 20
}

// limitCPU gives a request the processor time that its deadline allows on all
// threads, and some more: who passes it runs although the gateway should have
// ended it. A limit of 0 is none.
func limitCPU(limit time.Duration, threads int) {
	if limit <= 0 {
		return
	}
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return
	}
	total := time.Duration(used.Utime.Nano()+used.Stime.Nano()) + (limit+2*time.Second)*time.Duration(max(1, threads))
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: uint64(total/time.Second) + 1, Max: unix.RLIM_INFINITY})
}

// endAtCPULimit ends this process when it passes its processor time.
func endAtCPULimit() {
	over := make(chan os.Signal, 1)
	signal.Notify(over, unix.SIGXCPU)
	go func() {
		<-over
		os.Exit(exitCPU)
	}()
}

// Priorities of a worker, and how long a request may take before it steps back
// behind the short ones of other workers.
const (
	niceWorker = 2
	niceLong   = 15
	longAfter  = 300 * time.Millisecond
)

// setNice sets the priority of every thread of this process: it leads a process
// group of its own.
func setNice(n int) error { return unix.Setpriority(unix.PRIO_PGRP, 0, n) }

// stepBack lowers the priority of a request that takes long. The returned function
// ends that and reports whether the worker could not return to its old priority,
// which takes a privilege.
func stepBack() func() (stuck bool) {
	t := time.AfterFunc(longAfter, func() { _ = setNice(niceLong) })
	return func() bool { return !t.Stop() && setNice(niceWorker) != nil }
}
