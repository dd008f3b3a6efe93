package agent

// Claims tells whether a text calls a change done, and whether it says so of a change of a record.
func Claims(text string) (claims, change bool) {
	c := claimOf(text)
	return c != noClaim, c == changeClaim
}
