package models

// ProposalCounts counts what came of proposals. Made is how many there were; each of them is in one of Pending, Executed,
// Cancelled, Stale, Failed, Expired and Superseded, an expired one whether or not that has been written yet. Decided is
// how many of them a person has confirmed or cancelled.
type ProposalCounts struct {
	Made     int64 `json:"made"`
	Pending  int64 `json:"pending"`
	Decided  int64 `json:"decided"`
	Executed int64 `json:"executed"`
	// Edited and Undone are executed ones: those of which a person had changed values, and those taken back since.
	Edited    int64 `json:"edited"`
	Undone    int64 `json:"undone"`
	Cancelled int64 `json:"cancelled"`
	// Explained are the cancelled ones with a reason.
	Explained  int64 `json:"explained"`
	Stale      int64 `json:"stale"`
	Failed     int64 `json:"failed"`
	Expired    int64 `json:"expired"`
	Superseded int64 `json:"superseded"`
}

// Add adds the counts of other proposals.
func (o *ProposalCounts) Add(other ProposalCounts) {
	o.Made += other.Made
	o.Pending += other.Pending
	o.Decided += other.Decided
	o.Executed += other.Executed
	o.Edited += other.Edited
	o.Undone += other.Undone
	o.Cancelled += other.Cancelled
	o.Explained += other.Explained
	o.Stale += other.Stale
	o.Failed += other.Failed
	o.Expired += other.Expired
	o.Superseded += other.Superseded
}

// Share is how large a part of the decided proposals some of them are, from 0 to 1; nil while none is decided.
func (o *ProposalCounts) Share(some int64) *float64 {
	if o.Decided == 0 {
		return nil
	}
	share := float64(some) / float64(o.Decided)
	return &share
}
