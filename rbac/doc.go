// Package rbac decides who may do what, and over which rows.
//
// Permissions are declared once, in [Registry]. Roles grant them with a [Scope] in the database; casbin
// enforces the policy, and a [Snapshot] compiled from it answers in a map look-up. [Authorizer.Authorize]
// is the only place where a [Grant] comes into being, and every store method on CRM data demands one:
// a query without authorization does not compile. Everything fails closed.
package rbac
