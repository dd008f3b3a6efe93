package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"countersign/apperr"
	"countersign/i18n"
	"countersign/llm"
	"countersign/models"
)

// CodeNoModelList is the code of an Unavailable list of models.
const CodeNoModelList = "MODEL_LIST_UNAVAILABLE"

const (
	// listFresh is how long a list is given again without asking the endpoint.
	listFresh = time.Minute
	// maxListedName bounds a model's name in characters, maxListed the number of them.
	maxListedName = 200
	maxListed     = 5000
)

// modelLists holds the list of the present configuration, which its last change identifies.
type modelLists struct {
	mu      sync.Mutex
	names   []string
	of      time.Time
	fetched time.Time
}

func (l *modelLists) get(of, now time.Time) (names []string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.of.Equal(of) || now.Sub(l.fetched) >= listFresh {
		return nil, false
	}
	return slices.Clone(l.names), true
}

func (l *modelLists) put(names []string, of, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names, l.of, l.fetched = slices.Clone(names), of, now
}

// Models lists what the stored endpoint offers, sorted, for choosing a name; the list may be a minute old. Without a
// configuration it is empty. The actor needs ai-config:read. Errors: Unavailable with [CodeNoModelList] and a sentence
// in the person's language when the endpoint gives no list, NotConfigured when its key cannot be read.
func (p *Prober) Models(ctx context.Context, actor models.Actor) ([]string, error) {
	view, err := p.Config.Get(ctx, actor)
	if err != nil || !view.Configured {
		return []string{}, err
	}
	if names, ok := p.lists.get(*view.UpdatedAt, p.Now()); ok {
		return names, nil
	}
	names, err := p.fetch(ctx, actor)
	if err != nil {
		return nil, err
	}
	p.lists.put(names, *view.UpdatedAt, p.Now())
	return names, nil
}

func (p *Prober) fetch(ctx context.Context, actor models.Actor) ([]string, error) {
	config, err := p.Config.Model(ctx)
	if err != nil {
		return nil, err
	}
	model, err := p.Dialects.Model(config)
	if err != nil {
		return nil, err
	}
	lister, ok := model.(llm.Lister)
	if !ok {
		return nil, noList(actor, llm.Fail(llm.InvalidRequest, llm.CodeNoModelList), true)
	}
	names, err := lister.Models(ctx)
	if err != nil {
		return nil, noList(actor, err, config.APIKey.IsSet())
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return name != models.CleanLine(name) || utf8.RuneCountInString(name) > maxListedName
	})
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxListed)], nil
}

// noList words the failure of a list; what ended with the caller stays as it is.
func noList(actor models.Actor, err error, hasKey bool) error {
	failed, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return err
	}
	text := probeText(failed, hasKey)
	if failed.Code == llm.CodeEndpointNotFound {
		text = "no_list"
	}
	return apperr.New(apperr.Unavailable, CodeNoModelList, i18n.T(actor.Lang, "probe."+text, "status", failed.Status)).WithCause(err)
}
