package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// bodyForm is what a body looks like, whatever its content type says.
type bodyForm int

const (
	formOther bodyForm = iota
	formEmpty
	formStream
	formJSON
	formForeign
)

// sniffLimit is how many leading blanks are looked through.
const sniffLimit = 512

// sniff looks at the first bytes without taking them.
func sniff(body *bufio.Reader) (bodyForm, error) {
	for n := 1; n <= sniffLimit; n++ {
		head, err := body.Peek(n)
		if len(head) < n {
			if errors.Is(err, io.EOF) {
				return formEmpty, nil
			}
			return formOther, err
		}
		if c := head[n-1]; !strings.ContainsRune(" \t\r\n", rune(c)) {
			return formOf(body, n-1), nil
		}
	}
	return formOther, nil
}

func formOf(body *bufio.Reader, at int) bodyForm {
	head, _ := body.Peek(body.Buffered())
	head = head[at:]
	switch head[0] {
	case '{', '[':
		return formJSON
	case '<', 0x1f:
		return formForeign
	}
	for _, field := range []string{":", "data", "event", "id", "retry", "error", "\uFEFF"} {
		known := []byte(field)
		if bytes.HasPrefix(head, known) || bytes.HasPrefix(known, head) {
			return formStream
		}
	}
	return formOther
}
