package figures

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// hanDigits are the Chinese digits, hanSteps what multiplies them below 萬.
var (
	hanDigits = map[rune]int{'零': 0, '〇': 0, '一': 1, '二': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
	hanSteps  = map[rune]int{'十': 10, '百': 100, '千': 1000}
)

// hasHan is a text that may hold a number in Chinese characters.
func hasHan(text string) bool {
	return strings.ContainsAny(text, "零〇一二兩三四五六七八九十")
}

// hanNumber reads the number in Chinese characters that text begins with, such as 三百二十 and 二〇二六, and gives it
// in digits. A single character counts only before 萬 and 億 and after 百分之: elsewhere it is mostly a word, as in 一些
// and 十分. What multiplies the rest, such as 萬, stays. The length is 0 where there is no such number.
func hanNumber(before, text string) (digits string, length int) {
	run, length := hanRun(text)
	if len(run) == 0 || endsWithAny(before, []string{"星期", "禮拜", "週", "周"}) {
		return "", 0
	}
	value, ok := hanValue(run)
	scaled := startsWithAny(text[length:], []string{"萬", "億", "万", "亿"}) || strings.HasSuffix(before, "百分之")
	if !ok || len(run) == 1 && !scaled {
		return "", 0
	}
	return strconv.Itoa(value), length
}

// ParseHan reads a number that is all of text, such as 十五 and 三百二十; ok is false for anything else.
func ParseHan(text string) (value int, ok bool) {
	run, length := hanRun(text)
	if length == 0 || length < len(text) {
		return 0, false
	}
	return hanValue(run)
}

// hanRun is the Chinese digits, with what multiplies them, that text begins with.
func hanRun(text string) (run []rune, length int) {
	for _, r := range text {
		_, digit := hanDigits[r]
		if !digit && hanSteps[r] == 0 {
			break
		}
		run = append(run, r)
		length += utf8.RuneLen(r)
	}
	return run, length
}

// hanValue is the value of Chinese digits: one after the other, when they are at least four, or with what multiplies
// each. 三百五 is short for 三百五十.
func hanValue(run []rune) (value int, ok bool) {
	digit, last, zero := -1, 10_000, false
	for _, r := range run {
		step := hanSteps[r]
		switch {
		case step == 0 && hanDigits[r] == 0:
			zero = true
		case step == 0 && digit >= 0, step >= last, step > 10 && digit < 0:
			return hanYear(run)
		case step == 0:
			digit = hanDigits[r]
		default:
			if digit < 0 {
				digit = 1 // 十二
			}
			value, digit, last = value+digit*step, -1, step
		}
	}
	switch {
	case digit < 0:
	case last >= 100 && last < 10_000 && !zero:
		value += digit * last / 10
	default:
		value += digit
	}
	return value, value > 0
}

// hanYear reads digits one after the other, as in a year.
func hanYear(run []rune) (value int, ok bool) {
	for _, r := range run {
		digit, isDigit := hanDigits[r]
		if !isDigit {
			return 0, false
		}
		value = 10*value + digit
	}
	return value, len(run) >= 4 && len(run) <= maxDigits
}

func startsWithAny(text string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}
