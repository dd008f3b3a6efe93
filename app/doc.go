// Package app wires the product: it is the only place where parts are put together, for the server, the
// console commands and tests alike, and it starts and stops them in order.
package app
