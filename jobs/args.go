package jobs

// Chore is a round of work that comes up at an interval, such as removing what is old. There is one of each name at a time.
type Chore struct {
	Name string `json:"name"`
}

// Kind implements Args.
func (Chore) Kind() string { return "chore" }
