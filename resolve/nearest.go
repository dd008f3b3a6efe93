package resolve

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"countersign/rbac"
	"countersign/store"
)

const (
	// maxWindows bounds the windows of a text by which the database chooses names to rank.
	maxWindows = 16
	// maxCompared bounds how many names are compared with a text rune by rune, those that share most pairs with it.
	maxCompared = 100
	// maxRanked bounds the runes of a text and of a name that are compared with each other.
	maxRanked = 80
)

// findNearest ranks the names that hold all of the text but a stretch. Where these are few, those join them that
// share a window with the text, and then the most recently updated names, so that a short word with a slip
// is found, too, and there is something to choose from.
func (s *search) findNearest(ctx context.Context, reader *store.Reader, g rbac.Grant) error {
	var pool []store.NameHit
	for _, sets := range [][][]string{gaps(s.key), windows(s.key), nil} {
		more, err := reader.SimilarNames(ctx, g, s.Kind, s.Parent, sets)
		if err != nil {
			return err
		}
		if pool = append(pool, more...); len(pool) >= MaxCandidates {
			break
		}
	}
	var err error
	s.nearest, err = reader.DescribeNames(ctx, g, s.Kind, rank(s.key, pool))
	return err
}

// gaps cut a folded text into stretches in two ways, and give what is left of it without each: where a person has
// slipped once, all is right in one of them.
func gaps(key string) (sets [][]string) {
	runes := []rune(key)
	least := min(len(runes)/4+1, 5)
	for parts := max(least, 2); parts <= min(least+1, len(runes)); parts++ {
		for i := range parts {
			before, after := runes[:i*len(runes)/parts], runes[(i+1)*len(runes)/parts:]
			sets = append(sets, []string{strings.TrimSpace(string(before)), strings.TrimSpace(string(after))})
		}
	}
	return sets
}

// windows are three neighbouring runes of a folded text that hold no space, two where there is Chinese
// among them, and single ones in a short text, where one rune is a word.
func windows(key string) (sets [][]string) {
	runes := []rune(key)
	for i := range runes {
		for width := 1; width <= 3 && i+width <= len(runes) && len(sets) < maxWindows; width++ {
			window := runes[i : i+width]
			chinese := slices.ContainsFunc(window, func(r rune) bool { return unicode.Is(unicode.Han, r) })
			if slices.Contains(window, ' ') || chinese != (width < 3) || width == 1 && len(runes) > 3 {
				continue
			}
			sets = append(sets, []string{string(window)})
		}
	}
	return sets
}

// scored is a name and how like the text it is.
type scored struct {
	hit  store.NameHit
	name []rune
	like float64
}

func byLikeness(a, b scored) int { return cmp.Compare(b.like, a.like) }

// rank orders names by their likeness to a folded text, each record by the best of its names, and keeps the
// first MaxCandidates. Equally near ones stay in their order.
func rank(key string, pool []store.NameHit) []store.NameHit {
	text := ranked(key)
	list := promising(text, pool)
	for i := range list {
		list[i].like = likeness(text, list[i].name)
	}
	slices.SortStableFunc(list, byLikeness)
	var hits []store.NameHit
	for _, s := range list {
		known := slices.ContainsFunc(hits, func(h store.NameHit) bool { return h.RecordID == s.hit.RecordID })
		if !known && len(hits) < MaxCandidates {
			hits = append(hits, s.hit)
		}
	}
	return hits
}

// promising are the names that share most pairs of neighbours with a text, for their length.
func promising(text []rune, pool []store.NameHit) []scored {
	pairs := map[[2]rune]bool{}
	for i := range len(text) + 1 {
		first, second := pair(text, i)
		pairs[[2]rune{first, second}] = true
	}
	list := make([]scored, len(pool))
	for n, hit := range pool {
		name, shared := ranked(hit.MatchedKey), 0
		for i := range len(name) + 1 {
			if first, second := pair(name, i); pairs[[2]rune{first, second}] {
				shared++
			}
		}
		list[n] = scored{hit, name, float64(shared) / float64(len(text)+len(name))}
	}
	slices.SortStableFunc(list, byLikeness)
	return list[:min(len(list), maxCompared)]
}

// likeness of a folded text to a folded name, from 0 to 1. Half of it is how well the text fits somewhere in the
// name, for people type a part and slip in it; the rest how much of both is the same, and how they begin.
func likeness(a, b []rune) float64 {
	return 0.5*fit(a, b) + 0.3*dice(a, b) + 0.2*prefix(a, b)
}

func ranked(s string) []rune {
	runes := []rune(s)
	return runes[:min(len(runes), maxRanked)]
}

// fit is 1 minus the share of text that must be edited to make it a part of name. Two neighbours in the wrong
// order are one edit.
func fit(text, name []rune) float64 {
	var rows [3][maxRanked + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for i := range text { // last starts as zeros: a part may begin anywhere
		row[0] = i + 1
		for j := range name {
			edits := last[j]
			if text[i] != name[j] {
				edits++
			}
			edits = min(edits, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && text[i] == name[j-1] && text[i-1] == name[j] {
				edits = min(edits, before[j-1]+1)
			}
			row[j+1] = edits
		}
		before, last, row = last, row, before
	}
	return 1 - float64(slices.Min(last[:len(name)+1]))/float64(len(text))
}

// dice is the share of neighbouring pairs that both have, the edges included.
func dice(a, b []rune) float64 {
	var taken [maxRanked + 1]bool
	shared := 0
	for i := range len(b) + 1 {
		first, second := pair(b, i)
		for j := range len(a) + 1 {
			if x, y := pair(a, j); !taken[j] && x == first && y == second {
				taken[j] = true
				shared++
				break
			}
		}
	}
	return 2 * float64(shared) / float64(len(a)+1+len(b)+1)
}

// pair is the i-th pair of neighbours, from the edge before the first rune to the edge after the last.
func pair(runes []rune, i int) (first, second rune) {
	first, second = ' ', ' '
	if i > 0 {
		first = runes[i-1]
	}
	if i < len(runes) {
		second = runes[i]
	}
	return first, second
}

// prefix is the share of the text with which the name begins.
func prefix(text, name []rune) float64 {
	n := 0
	for n < min(len(text), len(name)) && text[n] == name[n] {
		n++
	}
	return float64(n) / float64(len(text))
}
