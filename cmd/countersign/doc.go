// Command countersign is the product: server, console tools and health check in one binary.
package main
