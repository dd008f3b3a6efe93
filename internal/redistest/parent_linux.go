package redistest

import "syscall"

// diesWithParent has the kernel kill the server when the test process ends in any way, such as a timeout panic.
func diesWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
