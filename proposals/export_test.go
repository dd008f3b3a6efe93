package proposals

// The pure parts of what binds a proposal.
var (
	Canonical = canonical
	DigestOf  = digestOf
)
