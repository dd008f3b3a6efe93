package seed

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"countersign/apperr"
	"countersign/models"
)

const (
	// maxFile bounds a file, and with it the memory that reading takes.
	maxFile = 16 << 20
	// maxCell bounds a value in characters: three of them fit into a deal's title.
	maxCell = 90
)

// table is a CSV file with a header. Rows are numbered by line, the header is row 1.
type table struct {
	name   string
	rows   []row
	column map[string]int
	// unused are the columns that nobody asked for.
	unused []string
	wrong  *problems
}

type row struct {
	*table
	number int
	cells  []string
}

// readTable reads a file that must have the columns, in any order. What is wrong with rows goes to wrong, and those
// rows are left out; the error says that there is no such table at all.
func readTable(files fs.FS, name string, wrong *problems, columns ...string) (*table, error) {
	content, err := readText(files, name)
	if err != nil {
		return nil, err
	}
	reader := csv.NewReader(bytes.NewReader(content))
	reader.FieldsPerRecord = -1 // counted here, to say it in words
	t := &table{name: name, column: map[string]int{}, wrong: wrong}
	header, err := reader.Read()
	if err != nil {
		return nil, unreadable(name, "has no header. Its first row must name the columns: "+strings.Join(columns, ", ")+".", err)
	}
	if err := t.readHeader(header, columns); err != nil {
		return nil, err
	}
	if err := t.readRows(reader); err != nil {
		return nil, err
	}
	return t, nil
}

// readText reads a file of UTF-8 text, without the mark that some programs put before it.
func readText(files fs.FS, name string) ([]byte, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, unreadable(name, "cannot be opened. Give the folder that holds it.", err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return nil, unreadable(name, "cannot be read.", err)
	case len(content) > maxFile:
		return nil, unreadable(name, fmt.Sprintf("is larger than %d MB.", maxFile>>20), nil)
	case !utf8.Valid(content):
		return nil, unreadable(name, "is not UTF-8 text. Save it as CSV in UTF-8.", nil)
	}
	return bytes.TrimPrefix(content, []byte("\uFEFF")), nil
}

func unreadable(name, what string, cause error) error {
	return apperr.InvalidField(name, name+" "+what).WithCause(cause)
}

func (t *table) readHeader(header, columns []string) error {
	for i, title := range header {
		title = models.FoldName(title)
		if _, twice := t.column[title]; twice {
			return unreadable(t.name, fmt.Sprintf("has two columns %q.", title), nil)
		}
		t.column[title] = i
		if title != "" && !slices.Contains(columns, title) {
			t.unused = append(t.unused, title)
		}
	}
	for _, column := range columns {
		if _, found := t.column[column]; !found {
			return unreadable(t.name, fmt.Sprintf("has no column %q. Its columns are: %.200s.", column, strings.Join(header, ", ")), nil)
		}
	}
	return nil
}

func (t *table) readRows(reader *csv.Reader) error {
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return unreadable(t.name, fmt.Sprintf("cannot be read from row %d on: a quotation mark is out of place.", syntax.StartLine), err)
		}
		if err != nil {
			return unreadable(t.name, "cannot be read.", err)
		}
		line, _ := reader.FieldPos(0)
		t.add(row{t, line, cells})
	}
}

// add keeps a row whose cells can be told apart. Rows of empty cells, which spreadsheets leave behind, are none.
func (t *table) add(r row) {
	blank := true
	for i, cell := range r.cells {
		r.cells[i] = models.CleanLine(cell)
		blank = blank && r.cells[i] == ""
		if utf8.RuneCountInString(r.cells[i]) > maxCell {
			t.wrong.add(t.name, r.number, "", "A value may have at most %d characters.", maxCell)
			return
		}
	}
	switch {
	case blank:
	case len(r.cells) != len(t.column):
		t.wrong.add(t.name, r.number, "", "There are %d values, but the header names %d columns.", len(r.cells), len(t.column))
	default:
		t.rows = append(t.rows, r)
	}
}

// get is a value, which may be empty.
func (r row) get(column string) string { return r.cells[r.column[column]] }

// must is a value that may not be empty.
func (r row) must(column string) string {
	value := r.get(column)
	if value == "" {
		r.bad(column, "A value is missing.")
	}
	return value
}

// date is a day, nil where there is none.
func (r row) date(column string) *models.Date {
	value := r.get(column)
	if value == "" {
		return nil
	}
	day, err := models.ParseDate(value)
	if err != nil {
		r.bad(column, "%q is not a date. Write it like 2017-12-31.", value)
		return nil
	}
	return &day
}

// money is an amount that is not negative, nil where there is none.
func (r row) money(column, currency string) *models.Money {
	value := r.get(column)
	if value == "" {
		return nil
	}
	amount, err := models.ParseMoney(value, currency)
	if err != nil || amount.Minor < 0 {
		r.bad(column, "%q is not an amount of 0 or more. Write it like 1234.50.", value)
		return nil
	}
	return &amount
}

// whole is a whole number that is not negative, 0 where there is none.
func (r row) whole(column string) int {
	value := r.get(column)
	if value == "" {
		return 0
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		r.bad(column, "%q is not a whole number of 0 or more.", value)
	}
	return n
}

// bad notes what is wrong with a value.
func (r row) bad(column, format string, args ...any) {
	r.wrong.add(r.name, r.number, column, format, args...)
}
