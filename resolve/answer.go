package resolve

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

const (
	// maxNamed bounds how many candidates a message spells out.
	maxNamed = 5
	// maxQuoted bounds the runes of a text from outside that a message repeats.
	maxQuoted = 80
)

// candidates are the records that an undecided search leaves to choose from, with what tells them apart.
func (r *Resolver) candidates(ctx context.Context, actor models.Actor, s *search) ([]apperr.Candidate, error) {
	hits := s.nearest
	if s.how != HowNone {
		hits = s.hits[:min(len(s.hits), MaxCandidates)]
	}
	list := make([]apperr.Candidate, len(hits))
	for i, hit := range hits {
		list[i] = apperr.Candidate{Type: string(s.Kind), ID: hit.RecordID, Name: hit.Name, Detail: hit.Detail}
	}
	return list, r.addEmails(ctx, actor, hits, list)
}

// addEmails tells people apart whom name and team do not. The addresses are masked unless the actor may see
// personal data of everyone.
func (r *Resolver) addEmails(ctx context.Context, actor models.Actor, hits []store.NameHit, list []apperr.Candidate) error {
	type look struct{ name, detail string }
	alike := map[look]int{}
	for _, c := range list {
		alike[look{models.FoldName(c.Name), c.Detail}]++
	}
	var unmasked *bool
	for i := range list {
		c := &list[i]
		if hits[i].Email == "" || alike[look{models.FoldName(c.Name), c.Detail}] < 2 {
			continue
		}
		if unmasked == nil {
			pii, err := r.gate.Try(ctx, actor, rbac.ContactPII)
			if err != nil {
				return err
			}
			all := pii.Scope() == rbac.ScopeAll
			unmasked = &all
		}
		email := hits[i].Email
		if !*unmasked {
			email = MaskEmail(email)
		}
		c.Detail = strings.TrimPrefix(c.Detail+" · "+email, " · ")
	}
	return nil
}

// MaskEmail keeps the first letter and the domain of an address.
func MaskEmail(email string) string {
	local, domain, _ := strings.Cut(email, "@")
	first, _ := utf8.DecodeRuneInString(local)
	return string(first) + "•••@" + domain
}

// message says why an undecided search has no match.
func (s *search) message(candidates []apperr.Candidate) string {
	switch {
	case s.how != HowNone:
		found := i18n.T(s.lang, "resolve.count."+string(s.Kind), "count", s.total)
		if s.total >= store.MaxCounted {
			found = i18n.T(s.lang, "resolve.at_least", "found", found)
		}
		return i18n.T(s.lang, "resolve.ambiguous", "found", found, "text", quoted(s.Text), "names", s.names(candidates, s.total))
	case len(candidates) > 0:
		return i18n.T(s.lang, "resolve.nearest", "kind", s.noun(), "text", quoted(s.Text), "names", s.names(candidates, 0))
	default:
		return i18n.T(s.lang, "resolve.none", "kind", s.noun(), "text", quoted(s.Text))
	}
}

// names spells the first candidates out, and says how many more of total there are.
func (s *search) names(candidates []apperr.Candidate, total int64) string {
	named := candidates[:min(len(candidates), maxNamed)]
	list := make([]string, len(named))
	for i, c := range named {
		list[i] = i18n.T(s.lang, "resolve.name", "name", quoted(c.Name))
		if c.Detail != "" {
			list[i] = i18n.T(s.lang, "resolve.detailed", "name", list[i], "detail", quoted(c.Detail))
		}
	}
	names := strings.Join(list, i18n.T(s.lang, "resolve.separator"))
	if more := total - int64(len(named)); more > 0 {
		names = i18n.T(s.lang, "resolve.more", "names", names, "count", more)
	}
	return names
}

func (s *search) noun() string { return i18n.T(s.lang, "resolve.kind."+string(s.Kind)) }

// quoted makes a text from outside fit for a message: one line without invisible characters, cut to length.
func quoted(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, models.CleanLine(text))
	if runes := []rune(text); len(runes) > maxQuoted {
		return string(runes[:maxQuoted]) + "…"
	}
	return text
}
