package resolve

import (
	"context"
	"strings"
	"unicode/utf8"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/store"
)

// search is one run through the steps, and what it found.
type search struct {
	Query
	lang string
	// key is the folded text.
	key string
	// pii is the right to personal data, for contacts.
	pii rbac.Grant
	how How
	// hits are the best first and one more than MaxCandidates at most; total counts those beyond, too.
	hits    []store.NameHit
	total   int64
	nearest []store.NameHit
}

// step looks for hits in one way; finding none it leaves the search as it is.
type step func(ctx context.Context, reader *store.Reader, g rbac.Grant) error

func (r *Resolver) search(ctx context.Context, actor models.Actor, q Query) (*search, error) {
	s := &search{Query: q, lang: actor.Lang, how: HowNone}
	permission, err := s.check()
	if err != nil {
		return nil, err
	}
	grant, err := r.gate.Authorize(ctx, actor, permission)
	if err != nil {
		return nil, err
	}
	if s.Kind == models.TypeContact {
		if s.pii, err = r.gate.Try(ctx, actor, rbac.ContactPII); err != nil {
			return nil, err
		}
	}
	return s, r.runner.View(ctx, func(reader *store.Reader) error {
		for _, step := range []step{s.byID, s.byPerson, s.byContactEmail, s.byExactName, s.byContainedName, s.findNearest} {
			if err := step(ctx, reader, grant); err != nil || len(s.hits) > 0 {
				return err
			}
		}
		return nil
	})
}

// check prepares the text, and gives the right that the search needs.
func (s *search) check() (rbac.Permission, error) {
	permission, named := store.NamePermission(s.Kind)
	if !named {
		return "", apperr.New(apperr.Invalid, "INVALID", i18n.T(s.lang, "resolve.unnamed"))
	}
	if utf8.RuneCountInString(s.Text) > MaxRunes {
		return "", apperr.New(apperr.Invalid, "INVALID", i18n.T(s.lang, "resolve.too_long", "kind", s.noun(), "max", MaxRunes))
	}
	s.Text = models.CleanLine(s.Text)
	if s.key = models.FoldName(s.Text); s.key == "" {
		return "", apperr.New(apperr.Invalid, "INVALID", i18n.T(s.lang, "resolve.empty", "kind", s.noun()))
	}
	return permission, nil
}

// decide chooses among the hits: nil when there are none, or several for a write.
func (s *search) decide() *store.NameHit {
	if len(s.hits) == 0 || (s.ForWrite && len(s.hits) > 1) {
		return nil
	}
	return &s.hits[0]
}

func (s *search) found(how How, hits ...store.NameHit) {
	if len(hits) > 0 {
		s.how, s.hits, s.total = how, hits, int64(len(hits))
	}
}

func (s *search) foundOne(how How, hit *store.NameHit) {
	if hit != nil {
		s.found(how, *hit)
	}
}

func (s *search) byID(ctx context.Context, reader *store.Reader, g rbac.Grant) error {
	id, ok := models.ParseID(s.key)
	if !ok {
		return nil
	}
	hit, err := reader.NameByID(ctx, g, s.Kind, id, s.Parent)
	s.foundOne(HowID, hit)
	return err
}

// byPerson knows the current user, and people by e-mail.
func (s *search) byPerson(ctx context.Context, reader *store.Reader, g rbac.Grant) (err error) {
	var hit *store.NameHit
	switch {
	case s.Kind != models.TypePerson:
	case isMe(s.key):
		hit, err = reader.NameByID(ctx, g, s.Kind, g.UserID(), "")
		s.foundOne(HowExact, hit)
	case strings.Contains(s.key, "@"):
		hit, err = reader.PersonByEmail(ctx, g, s.key)
		s.foundOne(HowEmail, hit)
	}
	return err
}

// byContactEmail knows contacts by e-mail, as far as the actor may see addresses. Several may share one.
func (s *search) byContactEmail(ctx context.Context, reader *store.Reader, g rbac.Grant) error {
	if s.Kind != models.TypeContact || !strings.Contains(s.key, "@") {
		return nil
	}
	hits, err := reader.ContactsByEmail(ctx, store.ContactGrants{Contact: g, PII: s.pii}, s.key, MaxCandidates+1)
	s.found(HowEmail, hits...)
	return err
}

func isMe(key string) bool { return key == "me" || key == "myself" || key == "我" }

func (s *search) byExactName(ctx context.Context, reader *store.Reader, g rbac.Grant) error {
	return s.byName(ctx, reader, g, HowExact, store.MatchExact)
}

func (s *search) byContainedName(ctx context.Context, reader *store.Reader, g rbac.Grant) error {
	return s.byName(ctx, reader, g, HowContains, store.MatchContains)
}

func (s *search) byName(ctx context.Context, reader *store.Reader, g rbac.Grant, how How, match store.NameMatch) error {
	q := store.NameQuery{Kind: s.Kind, Key: s.key, Match: match, Parent: s.Parent, Limit: MaxCandidates + 1}
	hits, err := reader.ByName(ctx, g, q)
	if err != nil {
		return err
	}
	s.found(how, hits...)
	if s.ForWrite && len(hits) > MaxCandidates {
		s.total, err = reader.CountByName(ctx, g, q)
	}
	return err
}
