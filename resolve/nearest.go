package resolve

import (
	"cmp"
	"context"
	"slices"
	"unicode"

	"countersign/rbac"
	"countersign/store"
)

const (
	// maxPieces bounds the pieces of a text by which the database chooses names to rank.
	maxPieces = 16
	// maxRanked bounds the runes of a text and of a name that are compared with each other.
	maxRanked = 80
)

// findNearest ranks the names that share a piece with the text. Where these are few, the most recently updated
// names join them, so that a short word with a slip is found, too, and there is something to choose from.
func (s *search) findNearest(ctx context.Context, reader *store.Reader, g rbac.Grant) error {
	pool, err := reader.SimilarNames(ctx, g, s.Kind, s.Parent, pieces(s.key))
	if err != nil {
		return err
	}
	if len(pool) < MaxCandidates {
		recent, err := reader.SimilarNames(ctx, g, s.Kind, s.Parent, nil)
		if err != nil {
			return err
		}
		pool = append(pool, recent...)
	}
	s.nearest = rank(s.key, pool)
	return nil
}

// pieces are the pairs of neighbouring runes of a folded text that hold no space; of a short text in Chinese,
// where one rune is a word, also the runes themselves.
func pieces(key string) []string {
	var list []string
	add := func(piece []rune) {
		if s := string(piece); len(list) < maxPieces && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	runes := []rune(key)
	for i := range runes {
		if i+1 < len(runes) && runes[i] != ' ' && runes[i+1] != ' ' {
			add(runes[i : i+2])
		}
		if len(runes) <= 3 && unicode.Is(unicode.Han, runes[i]) {
			add(runes[i : i+1])
		}
	}
	return list
}

// rank orders names by their likeness to a folded text, each record by the best of its names, and keeps the
// first MaxCandidates. Equally near ones stay in their order.
func rank(key string, pool []store.NameHit) []store.NameHit {
	type scored struct {
		hit  store.NameHit
		like float64
	}
	var list []scored
	at := map[string]int{}
	for _, hit := range pool {
		like := likeness(key, hit.MatchedKey)
		i, seen := at[hit.RecordID]
		if !seen {
			at[hit.RecordID] = len(list)
			list = append(list, scored{hit, like})
		} else if like > list[i].like {
			list[i].like = like
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.like, a.like) })
	hits := make([]store.NameHit, min(len(list), MaxCandidates))
	for i := range hits {
		hits[i] = list[i].hit
	}
	return hits
}

// likeness of a folded text to a folded name, from 0 to 1. Half of it is how well the text fits somewhere in the
// name, for people type a part and slip in it; the rest how much of both is the same, and how they begin.
func likeness(text, name string) float64 {
	a, b := ranked(text), ranked(name)
	return 0.5*fit(a, b) + 0.3*dice(a, b) + 0.2*prefix(a, b)
}

func ranked(s string) []rune {
	runes := []rune(s)
	return runes[:min(len(runes), maxRanked)]
}

// fit is 1 minus the share of text that must be edited to make it a part of name. Two neighbours in the wrong
// order are one edit.
func fit(text, name []rune) float64 {
	before, last, row := make([]int, len(name)+1), make([]int, len(name)+1), make([]int, len(name)+1)
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
	return 1 - float64(slices.Min(last))/float64(len(text))
}

// dice is the share of neighbouring pairs that both have, the edges included.
func dice(a, b []rune) float64 {
	pairs := map[[2]rune]int{}
	for _, pair := range edgedPairs(a) {
		pairs[pair]++
	}
	shared := 0
	for _, pair := range edgedPairs(b) {
		if pairs[pair] > 0 {
			pairs[pair]--
			shared++
		}
	}
	return 2 * float64(shared) / float64(len(a)+1+len(b)+1)
}

func edgedPairs(runes []rune) [][2]rune {
	pairs := make([][2]rune, 0, len(runes)+1)
	previous := ' '
	for _, r := range runes {
		pairs = append(pairs, [2]rune{previous, r})
		previous = r
	}
	return append(pairs, [2]rune{previous, ' '})
}

// prefix is the share of the text with which the name begins.
func prefix(text, name []rune) float64 {
	n := 0
	for n < min(len(text), len(name)) && text[n] == name[n] {
		n++
	}
	return float64(n) / float64(len(text))
}
