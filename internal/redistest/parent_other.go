//go:build !linux

package redistest

import "syscall"

// diesWithParent has no equal here: a test process that is killed leaves its server behind.
func diesWithParent() *syscall.SysProcAttr { return nil }
