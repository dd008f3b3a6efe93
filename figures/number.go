package figures

import "strings"

// currencies are the words and signs that stand before or after an amount, with the code of each; "?" is one that
// stands for several.
var currencies = map[string]string{
	"hkd": "HKD", "hk": "HKD", "usd": "USD", "us": "USD", "cny": "CNY", "rmb": "CNY", "eur": "EUR", "gbp": "GBP", "jpy": "JPY",
	"twd": "TWD", "ntd": "TWD", "nt": "TWD", "sgd": "SGD", "aud": "AUD", "mop": "MOP", "krw": "KRW", "inr": "INR", "idr": "IDR",
	"myr": "MYR", "thb": "THB", "php": "PHP", "vnd": "VND", "cad": "CAD", "chf": "CHF", "nzd": "NZD",
}

// before are the signs and words right before an amount, the longest first.
var before = []struct{ sign, code string }{
	{"hk$", "HKD"},
	{"us$", "USD"},
	{"nt$", "TWD"},
	{"mop$", "MOP"},
	{"s$", "SGD"},
	{"a$", "AUD"},
	{"c$", "CAD"},
	{"rm", "MYR"},
	{"$", "?"},
	{"¥", "?"},
	{"€", "EUR"},
	{"£", "GBP"},
	{"₩", "KRW"},
	{"₹", "INR"},
	{"港幣", "HKD"},
	{"人民幣", "CNY"},
	{"美金", "USD"},
	{"新台幣", "TWD"},
	{"新臺幣", "TWD"},
	{"台幣", "TWD"},
}

// after are the words right after an amount.
var after = []struct{ word, code string }{
	{"港元", "HKD"},
	{"港幣", "HKD"},
	{"蚊", "HKD"},
	{"美元", "USD"},
	{"美金", "USD"},
	{"人民幣", "CNY"},
	{"新台幣", "TWD"},
	{"台幣", "TWD"},
	{"日圓", "JPY"},
	{"日元", "JPY"},
	{"歐元", "EUR"},
	{"英鎊", "GBP"},
	{"元", "?"},
}

// scales are the words that multiply a number, with their zeros, the longest first. Latin letters must end there.
var scales = []struct {
	word  string
	zeros int
}{
	{"thousand", 3},
	{"million", 6},
	{"billion", 9},
	{"bn", 9},
	{"mn", 6},
	{"mil", 6},
	{"k", 3},
	{"m", 6},
	{"b", 9},
	{"百萬", 6},
	{"千萬", 7},
	{"萬", 4},
	{"万", 4},
	{"億", 8},
	{"亿", 8},
	{"千", 3},
}

// numberWords are numbers in words that count before one of scales, as in three million.
var numberWords = map[string]int64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
	"twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
	"ninety": 90,
}

// numberInWords takes the number at pos, whose first word has n letters, and reports whether there is one.
func (s *scanner) numberInWords(n int) bool {
	rest := s.rest()
	value := numberWords[rest[:n]]
	zeros, length, ok := readScale(rest[n:])
	if value == 0 || !ok || zeros == 0 {
		return false
	}
	f := Figure{value: value * one * power(zeros), unit: one * power(zeros), scaled: true}
	end := s.pos + n + length
	end += wordsAfter(&f, s.text[end:])
	s.take(f, s.pos, end)
	return true
}

// percents are the signs of a percentage.
var percents = []string{"%", "percent", "per cent", "pct", "巴仙", "個百分點", "百分點"}

// abouts say that the figure after them is rounded.
var abouts = []string{
	"about", "around", "approximately", "approx.", "roughly", "~", "≈", "約", "大約", "左右", "大概",
	"over", "more than", "nearly", "almost", "超過", "逾", "接近", "將近",
}

// number takes the number at pos, with the currency before it and the words after it.
func (s *scanner) number() {
	f, n, ok := readNumber(s.rest())
	if !ok {
		s.pos += idEnd(s.rest())
		return
	}
	start, end := s.pos, s.pos+n
	f.about = endsWithAny(strings.TrimRight(s.text[:start], " "), abouts)
	if code, length := currencyBefore(s.text[:start]); code != "" {
		f.currency, start = code, start-length
		f.about = f.about || endsWithAny(strings.TrimRight(s.text[:start], " "), abouts)
	} else if strings.HasSuffix(s.text[:start], "百分之") {
		f.percent, start = true, start-len("百分之")
	}
	end += wordsAfter(&f, s.text[end:])
	f.plain = f.plain && f.currency == "" && !f.percent
	if f.about {
		f.unit = lastStep(f.value, f.unit)
	}
	s.take(f, start, end)
}

// wordsAfter reads the percent sign, the currency or the unit after a number, and gives what of it belongs to the figure.
func wordsAfter(f *Figure, text string) int {
	gap := spaces(text)
	word := text[gap:]
	for _, sign := range percents {
		if strings.HasPrefix(word, sign) {
			f.percent = true
			return gap + len(sign)
		}
	}
	latin := strings.TrimPrefix(word, "-")
	latin = latin[:run(latin, isLetter)]
	switch {
	case latin == "times" || strings.HasPrefix(word, "倍"):
		f.times = true
	case latin == "day" || latin == "days" || strings.HasPrefix(word, "天") || strings.HasPrefix(word, "日"):
		f.days = true
	case len(latin) == 3 && currencies[latin] != "" && f.currency == "" && word[0] != '-':
		f.currency = currencies[latin]
		return gap + len(latin)
	}
	for _, a := range after {
		if !strings.HasPrefix(word, a.word) {
			continue
		}
		if f.currency == "" || f.currency == "?" {
			f.currency = a.code
		}
		return gap + len(a.word)
	}
	return 0
}

// readNumber reads digits, thousands apart or not, with the words that multiply them. It is not ok where letters or
// more digits make it the beginning of an id, a version or an ordinal.
func readNumber(text string) (f Figure, length int, ok bool) {
	for length < len(text) && isDigit(text[length]) {
		value, unit, n, ok := readDigits(text[length:])
		if !ok {
			return f, 0, false
		}
		f.plain = length == 0 && n == 4 && unit == one
		length += n
		zeros, n, ok := readScale(text[length:])
		if !ok || value > (1<<62)/power(zeros) {
			return f, 0, false
		}
		f.value, f.unit = f.value+value*power(zeros), unit*power(zeros)
		f.scaled = f.scaled || zeros > 0
		length += n
		if zeros == 0 || isLetter(text[length-1]) {
			break // 1億2,000萬 goes on
		}
	}
	return f, length, true
}

// readDigits reads a number in digits.
func readDigits(text string) (value, unit int64, length int, ok bool) {
	n := run(text, isDigit)
	whole := text[:n]
	for grouped := n <= 3; grouped && len(text) > n && text[n] == ',' && run(text[n+1:], isDigit) == 3; n += 4 {
		whole += text[n+1 : n+4]
	}
	fraction := ""
	if len(text) > n+1 && text[n] == '.' && isDigit(text[n+1]) {
		fraction = text[n+1 : n+1+run(text[n+1:], isDigit)]
		n += 1 + len(fraction)
	}
	again := len(text) > n+1 && text[n] == '.' && isDigit(text[n+1])
	if len(whole) > maxDigits || again {
		return 0, 0, 0, false
	}
	return valueOf(whole, fraction), power(max(4-len(fraction), 0)), n, true
}

// valueOf is a decimal in ten-thousandths; what is finer is rounded.
func valueOf(whole, fraction string) int64 {
	var v int64
	for _, d := range whole {
		v = v*10 + int64(d-'0')
	}
	padded := fraction + "00000"
	for _, d := range padded[:4] {
		v = v*10 + int64(d-'0')
	}
	if padded[4] >= '5' {
		v++
	}
	return v
}

// readScale reads the word that multiplies a number. It is not ok when the letters after it are anything but such a
// word, a currency or a percent sign.
func readScale(text string) (zeros, length int, ok bool) {
	gap := spaces(text)
	word := text[gap:]
	latin := word[:run(word, isWord)]
	for _, s := range scales {
		if s.word == latin || s.word[0] >= utf8Start && strings.HasPrefix(word, s.word) {
			return s.zeros, gap + len(s.word), true
		}
	}
	if gap > 0 || latin == "" || currencies[latin] != "" || latin == "percent" || latin == "pct" {
		return 0, 0, true
	}
	return 0, 0, false
}

// utf8Start is the first byte that is not of ASCII.
const utf8Start = 0x80

// currencyBefore is the currency that a text ends with, and its length.
func currencyBefore(text string) (code string, length int) {
	gap := 0
	if strings.HasSuffix(text, " ") {
		gap, text = 1, text[:len(text)-1]
	}
	for _, b := range before {
		if strings.HasSuffix(text, b.sign) && !letterBefore(text, len(b.sign)) {
			return b.code, gap + len(b.sign)
		}
	}
	n := 0
	for n < len(text) && isLetter(text[len(text)-1-n]) {
		n++
	}
	word := text[len(text)-n:]
	if currencies[word] != "" && (gap == 0 || n == 3) {
		return currencies[word], gap + n
	}
	return "", 0
}

// letterBefore reports whether a letter stands before the last bytes of a text, which begin with one.
func letterBefore(text string, last int) bool {
	i := len(text) - last
	return i > 0 && isLetter(text[i]) && isLetter(text[i-1])
}

func endsWithAny(text string, words []string) bool {
	for _, w := range words {
		if strings.HasSuffix(text, w) {
			return true
		}
	}
	return false
}

// lastStep is what one step of the last digit that is not zero is worth.
func lastStep(value, unit int64) int64 {
	for value > 0 && value%(unit*10) == 0 {
		unit *= 10
	}
	return unit
}
