package store

import (
	"slices"
	"strings"

	"countersign/models"
)

// A gram is a short piece of a folded name by which an index finds it: three letters or digits in a row,
// where an underscore stands for a space and for the edge of a run of them, or one or two runes with
// something else among them, such as Chinese. What a text contains, its grams contain, so that the names
// that hold all grams of a text are few and LIKE decides among them. Grams of different kinds of
// record never meet: each begins with the mark of its kind. An owner of records is a gram, too.

// kindMarks are what the grams of a kind begin with.
var kindMarks = map[models.RecordType]string{
	models.TypeCompany: "c", models.TypeDeal: "d", models.TypeProduct: "p", models.TypePerson: "u",
	models.TypeTeam: "t", models.TypePipeline: "l", models.TypeStage: "s", models.TypeContact: "n", models.TypeTask: "k",
	models.TypeQuotation: "q",
}

// edge stands for a space and for what comes before and after a run of narrow runes.
const edge = '_'

// thirdLetters are all that a gram of three can end with.
const thirdLetters = "_0123456789abcdefghijklmnopqrstuvwxyz"

// narrow runes are those of which one or two say too little.
func narrow(r rune) bool { return r == ' ' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' }

// nameGrams are the grams of a name as they are stored, that of its owner included.
func nameGrams(kind models.RecordType, key string, owner *string) string {
	return strings.Join(append(gramsOf(kind, key, true), ownerGram(kind, owner)), " ")
}

// ownerGram marks records of an owner, or those without one. It is longer than other grams.
func ownerGram(kind models.RecordType, owner *string) string {
	if owner == nil {
		return kindMarks[kind] + "shared"
	}
	return kindMarks[kind] + (*owner)[max(0, len(*owner)-12):]
}

// queryGrams are sets of grams: a name that contains the text holds one set in full. There are none for a
// single letter or digit.
func queryGrams(kind models.RecordType, key string) (sets [][]string) {
	if set := gramsOf(kind, key, false); len(set) > 0 {
		return [][]string{set}
	}
	if runes := []rune(key); len(runes) == 2 {
		for _, third := range thirdLetters {
			sets = append(sets, []string{kindMarks[kind] + string([]rune{letter(runes[0]), letter(runes[1]), third})})
		}
	}
	return sets
}

// gramsOf cuts a folded text. whole says that it is a name, and not a part of one.
func gramsOf(kind models.RecordType, key string, whole bool) []string {
	c := cutter{mark: kindMarks[kind]}
	runes := []rune(key)
	for i := 0; i < len(runes); {
		end := i
		for end < len(runes) && narrow(runes[end]) {
			end++
		}
		if end > i {
			c.run(runes[i:end], whole || i > 0, whole || end < len(runes))
			i = end
			continue
		}
		c.wide(runes, i, whole)
		i++
	}
	return c.grams
}

// cutter gathers the distinct grams of a text.
type cutter struct {
	mark  string
	grams []string
}

// run cuts a run of narrow runes, which ends at an edge on the left, on the right, or runs on unknown.
func (c *cutter) run(runes []rune, left, right bool) {
	padded := make([]rune, 0, len(runes)+2)
	if left {
		padded = append(padded, ' ')
	}
	padded = append(padded, runes...)
	if right {
		padded = append(padded, ' ')
	}
	for i := 0; i+3 <= len(padded); i++ {
		c.add(padded[i : i+3])
	}
}

// wide cuts around a rune that is not narrow. In a part of a name the pairs say what the rune alone would.
func (c *cutter) wide(runes []rune, i int, whole bool) {
	if whole || len(runes) == 1 {
		c.add(runes[i : i+1])
	}
	if i > 0 && narrow(runes[i-1]) {
		c.add(runes[i-1 : i+1])
	}
	if i+1 < len(runes) {
		c.add(runes[i : i+2])
	}
}

func (c *cutter) add(runes []rune) {
	var b strings.Builder
	b.WriteString(c.mark)
	for _, r := range runes {
		b.WriteRune(letter(r))
	}
	if gram := b.String(); !slices.Contains(c.grams, gram) {
		c.grams = append(c.grams, gram)
	}
}

// letter writes a rune in a gram: ASCII that would end a word of the index becomes its full-width form,
// which a folded name never holds.
func letter(r rune) rune {
	switch {
	case r == ' ':
		return edge
	case narrow(r), r >= 0x80:
		return r
	default:
		return r + 0xFEE0
	}
}

// gramSearch asks for names of a kind that hold one of sets in full and, where owners are given, one of those; and
// that are like a pattern, where that is given.
type gramSearch struct {
	kind    models.RecordType
	sets    [][]string
	owners  []string
	pattern string
}

// rows is a FROM item "n" with the names that an index gives for a search, and its values. What is around it
// cannot lead the planner to another index.
func (s gramSearch) rows(d dialect) condition {
	like := condition{"r.kind = ?", []any{s.kind}}
	if s.pattern != "" {
		like = condition{like.sql + ` AND r.name_key LIKE ? ESCAPE '\'`, append(like.args, s.pattern)}
	}
	const columns = "SELECT r.kind, r.record_id, r.name_key, r.owner_id, r.updated_at FROM "
	if d == dialectSQLite {
		return condition{
			"(" + columns + "record_grams CROSS JOIN record_names r ON r.id = record_grams.rowid WHERE record_grams MATCH ? AND " + like.sql + ") n",
			append([]any{s.match()}, like.args...),
		}
	}
	held := s.held()
	return condition{
		"(WITH held AS MATERIALIZED (" + columns + "record_names r WHERE " + held.sql + " AND " + like.sql + ") SELECT * FROM held) n",
		append(held.args, like.args...),
	}
}

// held is the search in the language of PostgreSQL's arrays.
func (s gramSearch) held() condition {
	const array = "string_to_array(r.grams, ' ')"
	one := func(operator string, grams []string) condition {
		return condition{array + operator + "string_to_array(?, ' ')", []any{strings.Join(grams, " ")}}
	}
	held := one(" && ", slices.Concat(s.sets...))
	if !s.single() {
		sets := make([]condition, len(s.sets))
		for i, set := range s.sets {
			sets[i] = one(" @> ", set)
		}
		held = or(sets...)
	}
	if len(s.owners) > 0 {
		owned := one(" && ", s.owners)
		held = condition{held.sql + " AND " + owned.sql, append(held.args, owned.args...)}
	}
	return held
}

// single reports whether every set is of one gram.
func (s gramSearch) single() bool {
	return !slices.ContainsFunc(s.sets, func(set []string) bool { return len(set) != 1 })
}

// match is the search in the language of FTS5. Grams hold no quotes.
func (s gramSearch) match() string {
	sets := make([]string, len(s.sets))
	for i, set := range s.sets {
		sets[i] = `("` + strings.Join(set, `" AND "`) + `")`
	}
	match := "(" + strings.Join(sets, " OR ") + ")"
	if len(s.owners) > 0 {
		match += ` AND ("` + strings.Join(s.owners, `" OR "`) + `")`
	}
	return match
}
