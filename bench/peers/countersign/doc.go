// Command countersign measures turns of the product as its users have them, for the benchmarks beside other agent
// libraries: the built binary with a database, over HTTP and its event stream, by people who have signed in.
// Everything is kept and checked as always: messages, turns, the ledger of model calls, rights, audit.
//
// A person may send ten messages a minute, so there are as many people as the turns need, and each sends ten.
package main
