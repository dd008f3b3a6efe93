// Package seed fills a database: with demo data of the project's own making, or with a data set from CSV files.
//
// Both loaders work in one transaction, through the services, as the system actor "importer", whose rights are
// declared in package rbac. What they load has field history and audit like anything else. Only people at the
// server's console start them.
package seed
