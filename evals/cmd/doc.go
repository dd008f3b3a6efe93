// Command evals runs the evaluations of the assistant and prints a score by category: against recorded answers, or
// against a live endpoint when one is given.
package main
