// Package tools holds the tools that the assistant, slash commands and other channels call, and the one
// pipeline that runs them: look up, check the arguments against the schema, authorize, resolve names,
// run or propose, compact, audit.
//
// A tool is one Go file, one description beside it and one test. Its arguments are a Go struct from which
// the JSON Schema comes. What it may do is its [Effect]: reads and creates run; sensitive tools have no way
// to run at all, they only prepare a draft that becomes a proposal; destructive ones answer with a link.
package tools
