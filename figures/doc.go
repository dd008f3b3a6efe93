// Package figures finds the amounts, counts, percentages, dates and times in a text, in English and Chinese, and
// judges which of them have a source: a result of a tool, a person's own words, today's date, or simple arithmetic
// on these.
//
// It is pure. Whoever asks decides what becomes of a figure without a source.
package figures
