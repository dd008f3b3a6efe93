package models

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Date is a calendar day without time zone, written 2006-01-02.
type Date string

// ParseDate accepts exactly the form 2006-01-02 of a day that exists.
func ParseDate(s string) (Date, error) {
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return "", fmt.Errorf("models: %q is not a date: %w", s, err)
	}
	if day.Year() < 1 {
		return "", fmt.Errorf("models: %q is not a date: years start at 0001", s)
	}
	return Date(s), nil
}

// Value implements driver.Valuer.
func (d Date) Value() (driver.Value, error) { return string(d), nil }

// Scan implements sql.Scanner; drivers give dates as text or as a time.
func (d *Date) Scan(src any) error {
	switch v := src.(type) {
	case time.Time:
		*d = Date(v.Format(time.DateOnly))
	case string:
		*d = Date(v[:min(len(v), len(time.DateOnly))])
	case []byte:
		return d.Scan(string(v))
	default:
		return fmt.Errorf("models: scan %T into Date", src)
	}
	return nil
}

// Zone is the organisation's time zone, in which days and months begin: Hong Kong, which knows no daylight saving.
func Zone() *time.Location { return time.FixedZone("HKT", 8*60*60) }

// Start is the moment at which the day begins in [Zone].
func (d Date) Start() time.Time {
	t, err := time.ParseInLocation(time.DateOnly, string(d), Zone())
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// DateOf is the day of a moment in [Zone].
func DateOf(t time.Time) Date { return Date(t.In(Zone()).Format(time.DateOnly)) }
