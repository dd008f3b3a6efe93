// Package migrations holds the schema as goose SQL, written by hand for each dialect under the same
// version numbers. A test in package store proves that both give the same tables, columns, nullability
// and unique keys.
package migrations
