// Package models holds the records of the product as plain values: their fields, enumerations, money,
// dates, names and ids, and the [Actor] in whose name everything happens. It runs no queries and knows
// no transport; struct fields map to columns of the same snake_case name.
package models
