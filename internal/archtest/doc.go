// Package archtest holds the shape of the code to the design.
//
// [Packages] is the table of docs/architecture.md as data: which package may import which. The tests read the module
// with go/parser, so that they need no build and see every file, and report each import that the table does not
// allow, each package that it does not know or that has no doc.go, and calls that are not allowed where they stand.
package archtest
