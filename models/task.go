package models

import "time"

// Task is something that its assignee is to do, possibly about a company, a deal or a contact. It is open until
// DoneAt is set.
type Task struct {
	Record
	Title      string
	DueAt      *time.Time
	AssigneeID string
	DoneAt     *time.Time
	CompanyID  *string
	DealID     *string
	ContactID  *string
	ReminderAt *time.Time
}

// Names are the names that the task is found by: its title while it is open. What is done gives its name free.
func (t Task) Names() []string {
	if t.DoneAt != nil {
		return nil
	}
	return []string{t.Title}
}
