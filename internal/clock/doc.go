// Package clock gives tests a clock that stands still until they move it.
package clock
