// Package workers carries out jobs, with River over the connections of package store: what comes up at an interval, and
// what services enqueue in their transactions. It is the only one that knows River.
package workers
