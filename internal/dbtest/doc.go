// Package dbtest gives tests real databases of both dialects, and a small world of people and records in them.
//
// [Each] runs a test once per dialect on a fresh migrated database of its own, a copy of one that is migrated
// once. [NewWorld] fills it with two teams, everyone a test of rights needs, and records of each of them.
// PostgreSQL comes from package pgtest: without it its half of a test is skipped, or fails where CI=true.
package dbtest
