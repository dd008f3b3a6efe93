// Package jobs says what work is done in the background, and through which port it is enqueued, so that a transaction can
// enqueue without knowing what carries the jobs out.
package jobs
