// Package quoting holds the arithmetic of quotations. It is the only place where their amounts are computed: pages,
// cards and documents show what was stored from here.
package quoting
