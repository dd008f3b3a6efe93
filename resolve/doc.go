// Package resolve turns what a person types for a record, its ID or a name, into the record.
//
// A [Resolver] takes one deterministic order for every kind of record: an ID; for people "me" and the e-mail
// address, which contacts have, too; the exact folded name, other names included; a name that contains the text; and at last an error with
// the nearest names. Every step sees only what the actor may read. Reading takes the best of several hits,
// writing never guesses. Services take IDs only: tools, the look-up of the API and importers come here first.
package resolve
