package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// process is the id of a process of which Linux tells what it uses; elsewhere everything is 0.
type process int

// tick is the unit in which Linux counts processor time.
const tick = 10 * time.Millisecond

// cpu is the processor time that the process has used.
func (p process) cpu() time.Duration {
	// The second field is the name in brackets; user and system time are the twelfth and thirteenth after it.
	_, rest, _ := strings.Cut(p.read("stat"), ") ")
	return time.Duration(number(rest, 11)+number(rest, 12)) * tick
}

// rss is the resident memory in megabytes.
func (p process) rss() int { return number(p.read("statm"), 1) * os.Getpagesize() / 1e6 }

func (p process) read(file string) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p, file))
	if err != nil {
		return ""
	}
	return string(text)
}

// number gives a field of a text as a number, 0 when it is none.
func number(text string, field int) int {
	fields := strings.Fields(text)
	if field >= len(fields) {
		return 0
	}
	n, err := strconv.Atoi(fields[field])
	if err != nil {
		return 0
	}
	return n
}
