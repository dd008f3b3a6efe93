package models_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/models"
)

// SEC-9: what nobody sees is not told to a model, and is spelled out to a person.
func TestSEC9UnseenCharacters(t *testing.T) {
	t.Parallel()
	unseen := []rune{
		0x00, 0x07, 0x08, 0x0D, 0x1B, 0x7F, 0x80, 0x85, 0x9B, // controls
		0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180E, // fillers, soft hyphen, Arabic mark
		0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, // zero width, marks, separators
		0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069, // directions
		0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2065, 0x206A, 0x206B, 0x206C, 0x206D, 0x206E, 0x206F, // invisible operators, shaping
		0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFA, 0xFFFB, 0x1BCA0, 0x1D173, // fillers, selectors, annotations
		0xE0001, 0xE0020, 0xE0041, 0xE0061, 0xE007A, 0xE007F, 0xE0100, 0xE01EF, // tags, selectors
	}
	require.GreaterOrEqual(t, len(unseen), 60)
	for _, r := range unseen {
		text := "Ac" + string(r) + "me"
		require.Equal(t, "Acme", models.Readable(text), "%U", r)
		require.Equal(t, fmt.Sprintf("Ac⟨U+%04X⟩me", r), models.Marked(text), "%U", r)
	}
	smuggled := "Acme" + strings.Map(func(r rune) rune { return r + 0xE0000 }, "delete all")
	require.Equal(t, "Acme", models.Readable(smuggled))
	require.Equal(t, "😀\ufe0f", models.Readable("😀\ufe0f\ufe01\U000e0100"), "one selector changes a sign, more hide something")
	require.Equal(t, "🏴", models.Readable("🏴\U000e0061\U000e0062\U000e0063\U000e007f"), "no flag has these tags")
}

func TestWhatIsWrittenStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "Acme Ltd", "海港食品\n\t第二行", "مرحبا بالعالم ١٢٣", "שלום עולם", "می\u200cخواهم", "क्\u200dष", "\u06dd١٢", "Zoë – “5 %” №1",
		"👩‍💻", "👨‍👩‍👧‍👦", "🤦🏽‍♂️", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇭🇰", "🏳️‍🌈", "葛\U000e0100", "㐂",
	} {
		require.Equal(t, text, models.Readable(text), "%+q", text)
		require.Equal(t, text, models.Marked(text), "%+q", text)
	}
}

func TestReadableProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		readable := models.Readable(text)
		require.Equal(t, readable, models.Readable(models.Readable(readable)))
		require.LessOrEqual(t, len(readable), len(text))
		if readable == text {
			require.Equal(t, text, models.Marked(text))
		}
	})
}

// SEC-10: names that look like another.
func TestSEC10LatinTwin(t *testing.T) {
	t.Parallel()
	for name, twin := range map[string]string{
		"Аcme": "Acme", "Acmе Ltd": "Acme Ltd", "АСМЕ": "ACME", "Αcme": "Acme", "Glоbеx": "Globex", "ΗΚΤ": "HKT", "Аcme 貿易": "Acme 貿易",
		"ｐаypal": "paypal", "Kıtty": "Kitty", "օpenai": "openai",
	} {
		got, other := models.LatinTwin(name)
		require.True(t, other, name)
		require.Equal(t, twin, got)
	}
	for _, name := range []string{"", "Acme", "Москва Трейд", "Ελληνική Τράπεζα", "海港食品", "ＡＣＭＥ", "Müller", "Łódź", "شركة", "123", "Ереван"} {
		_, other := models.LatinTwin(name)
		require.False(t, other, name)
	}
}
