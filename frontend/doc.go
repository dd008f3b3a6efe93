// Package frontend holds the web client (a React application, see README.md in this folder) and serves
// its build from the binary. It knows nothing of the API: security headers, sessions and compression
// belong to the server's middleware.
package frontend
