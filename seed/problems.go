package seed

import (
	"fmt"
	"strings"

	"countersign/apperr"
)

// The bounds of what is told about bad files: more does not help anybody.
const (
	maxSentences = 10
	maxProblems  = 100
)

// problems gathers what is wrong with files, in the order in which it was found.
type problems struct {
	fields []apperr.FieldError
	total  int
}

// add notes a wrong value by file, row and column; the column is empty for a row as a whole.
func (p *problems) add(file string, row int, column, format string, args ...any) {
	p.total++
	if p.total > maxProblems {
		return
	}
	place := fmt.Sprintf("%s, row %d", file, row)
	if column != "" {
		place += ", column " + column
	}
	message := place + ": " + fmt.Sprintf(format, args...)
	p.fields = append(p.fields, apperr.FieldError{Path: fmt.Sprintf("%s:%d:%s", file, row, column), Message: message})
}

// err is nil when nothing is wrong.
func (p *problems) err() error {
	if p.total == 0 {
		return nil
	}
	var sentences []string
	for _, field := range p.fields[:min(len(p.fields), maxSentences)] {
		sentences = append(sentences, field.Message)
	}
	if rest := p.total - len(sentences); rest > 0 {
		sentences = append(sentences, fmt.Sprintf("There are %d more problems.", rest))
	}
	return apperr.New(apperr.Invalid, "INVALID", strings.Join(sentences, "\n")+"\nNothing was imported.").WithFields(p.fields...)
}
