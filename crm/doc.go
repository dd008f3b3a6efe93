// Package crm holds the services of the CRM records: companies, contacts, deals, quotations, activities,
// tasks, pipelines, products, and the search over them.
//
// A service method authorizes through the gate, works in one transaction on rows that the grant reaches,
// and writes field history and audit in that same transaction. Every door (REST, the assistant's tools,
// channels, imports) calls these methods and nothing below them. They take ids; names are resolved before,
// by package resolve. A record outside the actor's scope answers NotFound in the words of one that does
// not exist; one that may be read but not changed answers Forbidden.
package crm
