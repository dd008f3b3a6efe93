// Package store keeps the records in one SQL database, SQLite or PostgreSQL, through GORM.
//
// A [Reader] reads, a [Tx] also writes, and both exist only inside [Runner.View] and [Runner.InTx]:
// nothing else reaches the database. Every method on CRM data takes an rbac.Grant; its row filter becomes
// part of the WHERE clause in scope.go and nowhere else. Differences of the dialects live in dialect.go,
// driver errors are translated at this edge in errors.go.
package store
