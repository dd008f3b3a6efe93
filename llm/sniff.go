package llm

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
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

// byteOrderMark may stand before any text.
var byteOrderMark = []byte("\uFEFF")

// sniff looks at the first bytes of a body. It takes blanks, by which servers keep a connection open, and a byte
// order mark; everything else is left.
func sniff(body *bufio.Reader) (bodyForm, error) {
	if mark, _ := body.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
		_, _ = body.Discard(len(byteOrderMark))
	}
	for {
		c, err := body.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return formEmpty, nil
		case err != nil:
			return formOther, err
		case !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)):
			_ = body.UnreadByte()
			return formOf(body)
		}
	}
}

// fieldStart matches the beginning of a line of an event stream, in at most longestField bytes.
var fieldStart = regexp.MustCompile(`^(?:data|event|id|retry|error)?(?:[:\r\n]|$)`)

const longestField = len("event:")

func formOf(body *bufio.Reader) (bodyForm, error) {
	head, err := body.Peek(1)
	if err != nil {
		return formOther, err
	}
	switch head[0] {
	case '{', '[':
		return formJSON, nil
	case '<', 0x1f:
		return formForeign, nil
	case ':':
		return formStream, nil
	}
	head, err = body.Peek(longestField)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return formOther, err
	case fieldStart.Match(head):
		return formStream, nil
	}
	return formOther, nil
}
