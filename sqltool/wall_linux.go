package sqltool

import (
	"fmt"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// raiseWalls confines this process for the rest of its life: files by landlock,
// system calls by seccomp, memory and core dumps by limits.
func raiseWalls(s wallSpec) Walls {
	var w Walls
	w.Limits = reason(setLimits(s))
	w.Landlock = reason(confineFiles(s))
	w.Seccomp = reason(denySyscalls())
	return w
}

// confineFiles applies the strongest rules that the kernel knows: files and, where
// it can, the network and signals to other processes.
func confineFiles(s wallSpec) (err error) {
	for _, c := range []landlock.Config{landlock.V6, landlock.V5, landlock.V4, landlock.V3, landlock.V2, landlock.V1} {
		err = c.Restrict(
			landlock.RODirs(s.ReadDirs...).IgnoreIfMissing(),
			landlock.ROFiles(s.ReadFiles...).IgnoreIfMissing(),
			landlock.ROFiles("/dev/urandom", "/proc/meminfo").IgnoreIfMissing(),
			landlock.RODirs("/proc/self", "/sys/fs/cgroup").IgnoreIfMissing(), // DuckDB asks for its memory limit and dies where it may not
			landlock.RWDirs(s.WriteDirs...).IgnoreIfMissing(),
		)
		if err == nil {
			return nil
		}
	}
	return err
}

func setLimits(s wallSpec) error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("no core dumps: %w", err)
	}
	if s.AddressMB > 0 && !raceDetector {
		b := uint64(s.AddressMB) << 20
		if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: b, Max: b}); err != nil {
			return fmt.Errorf("address space: %w", err)
		}
	}
	if err := setNice(niceWorker); err != nil {
		return fmt.Errorf("nice: %w", err)
	}
	endAtCPULimit()
	return nil
}

// denied are the system calls that a worker has no use for: the network, other
// programs, other processes, mounts and namespaces.
var denied = []string{
	"socket", "connect", "bind", "listen", "accept", "accept4", "sendto", "sendmsg", "sendmmsg", "recvfrom", "recvmsg",
	"execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd",
	"mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "bpf", "perf_event_open", "keyctl", "add_key",
	"request_key", "init_module", "finit_module", "delete_module", "kexec_load", "reboot", "swapon", "swapoff",
	"kill", "rt_sigqueueinfo", "pidfd_send_signal", "open_by_handle_at", "kexec_file_load", "acct", "quotactl", "syslog",
	"io_uring_setup", "io_uring_enter", "io_uring_register", "userfaultfd",
}

func denySyscalls() error {
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionAllow,
			Syscalls:      []seccomp.SyscallGroup{{Action: seccomp.ActionErrno, Names: denied}},
		},
	})
}
