package agent

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"countersign/i18n"
	"countersign/models"
	"countersign/tools"
)

// OpenProposals tells the proposals that were made in a conversation of the actor, each with its status as it is now.
type OpenProposals interface {
	OfConversation(ctx context.Context, actor models.Actor, conversationID string) ([]models.Proposal, error)
}

// claim is what a text says about changes.
type claim uint8

const (
	noClaim claim = iota
	// vagueClaim says that something is done, which may be something else than the change that waits.
	vagueClaim
	// changeClaim says that a record was changed.
	changeClaim
)

// claimRules are what a sentence of each language says when it calls a change done, and what takes that back.
// They are few: a claim that they miss still stands beside a card that says the truth.
var claimRules = []struct{ change, vague, hedge *regexp.Regexp }{
	{
		change: regexp.MustCompile(`\b(i|we)(['’]ve| have)?( now| just| already| successfully)* (updated|changed|moved|reassigned|transferred|renamed|edited)\b` +
			`|(\b(has|have)|['’]s) (now |just |already |successfully )*been (successfully )?(updated|changed|moved|reassigned|transferred|renamed|edited)\b` +
			`|\b(was|were) (now |just |successfully )*(updated|changed|moved|reassigned|transferred|renamed|edited)\b` +
			`|\b(is|are) now (in|at|set to|marked|moved|assigned|owned|won|lost)\b|\b(owner|stage|amount|status) is now\b|\bnow owns\b` +
			`|\bsuccessfully (updated|changed|moved|marked|reassigned|transferred|renamed)\b` +
			`|^\W*(updated|changed|moved|reassigned|transferred|renamed) (it|the|this|that|your)\b|^\W*(deal \S+ )?marked (it )?as\b`),
		vague: regexp.MustCompile(`^\W*(all )?(done|completed|all set)\b` +
			`|\b(i|we)(['’]ve| have)( now| just| already| successfully)* (done|made|set|marked|closed|saved|completed|sent|emailed|e-mailed|deleted)\b` +
			`|(\b(has|have)|['’]s) (now |just |already |successfully )*been (successfully )?(made|set|marked|closed|saved|completed|applied|sent|emailed|e-mailed|deleted)\b` +
			`|\bit['’]s done\b|\bis (now )?done\b`),
		hedge: regexp.MustCompile(`\?|\b(once|after|when|if|until|will|would|can|could|should|not|never|cannot|nothing|waiting|waits|pending|proposed|prepared|draft|confirm|approve|card|by|ago|last|yesterday|earlier|to be|on (\d|\w+day))\b|n['’]t\b`),
	},
	{
		change: regexp.MustCompile(`已(經)?(成功)?(為你|幫你|替你)?(將|把)?[^，。；！]{0,40}?(更新|更改|改為|改成|改做|移到|移至|移動|轉到|轉至|轉為|轉交|設為|標記為|指派|調整|修改)` +
			`|(更新|更改|改|移|搬|轉|調|換)(好)?(咗|晒|好了|完成)|成功(更新|更改|修改|轉交|移)` +
			`|(負責人|階段|金額|狀態)(而家|現在|現|已經)(係|是|為)`),
		vague: regexp.MustCompile(`搞掂|搞定|辦妥|辦好|做好(了|咗)|已(經)?(成功)?完成|完成(了|咗)|處理好(了|咗)|set咗|(寄|發|send|刪)(出)?咗|已(經)?(成功)?(為你|幫你)?(儲存|寄出|發出|發送|傳送|刪除)`),
		hedge: regexp.MustCompile(`[？?嗎]|確認|等你|待你|等待|等候|待處理|尚未|仍未|還沒|還未|未有|未(經)?(更|改|移|完|執)|沒有|冇|將會|即將|就會|便會|才會|先會|如果|若|一旦|準備|建議|提議|提出|擬|可以|需要|由.{1,12}(更新|更改|移|改)|上次|上個?(星期|禮拜|週|周|月)|昨日|昨天|之前`),
	},
}

// sentenceEnd is where one statement ends.
var sentenceEnd = regexp.MustCompile(`[.!;]\s|[。！；\n]`)

// claimOf gives the strongest claim of a text.
func claimOf(text string) claim {
	strongest := noClaim
	for _, sentence := range sentencesOf(strings.ToLower(text)) {
		for _, rule := range claimRules {
			switch {
			case rule.hedge.MatchString(sentence):
			case rule.change.MatchString(sentence):
				strongest = changeClaim
			case rule.vague.MatchString(sentence):
				strongest = max(strongest, vagueClaim)
			}
		}
	}
	return strongest
}

// sentencesOf cuts a text after its sentences, without its marks of emphasis and lists.
func sentencesOf(text string) []string {
	var sentences []string
	plain := strings.NewReplacer("*", "", "_", "", "`", "", "#", "").Replace(text)
	from := 0
	for _, at := range sentenceEnd.FindAllStringIndex(plain, -1) {
		sentences = append(sentences, strings.TrimSpace(plain[from:at[1]]))
		from = at[1]
	}
	return append(sentences, strings.TrimSpace(plain[from:]))
}

// checkClaims says that a change still waits, where the answer calls it done.
func (c *chat) checkClaims(ctx context.Context, text string) error {
	if !c.waiting && !c.proposed() {
		return nil
	}
	said := claimOf(text)
	if said == noClaim || said == vagueClaim && c.wrote() {
		return nil
	}
	made, err := c.service.Proposals.OfConversation(ctx, c.actor, c.ConversationID)
	if err != nil || !c.contradicts(made) {
		return err
	}
	return c.caution(ctx, models.Notice{Code: CodeStillWaiting, Text: i18n.T(c.actor.Lang, "notice.still_waiting")})
}

// wrote reports whether a call of this turn has written something, of which the answer may speak.
func (c *chat) wrote() bool {
	return slices.ContainsFunc(c.calls, func(call models.MadeCall) bool {
		return call.Status == models.CallOK && c.service.Executor.Effect(call.Name) == tools.Create
	})
}

// proposed reports whether a call of this turn has proposed a change.
func (c *chat) proposed() bool {
	return slices.ContainsFunc(c.calls, func(call models.MadeCall) bool { return call.Status == models.CallProposed })
}

// contradicts reports whether a proposal waits, of this turn or an earlier one. Where an earlier change was carried
// out, an answer may speak of that.
func (c *chat) contradicts(made []models.Proposal) bool {
	waits, executed := false, false
	for _, p := range made {
		if p.Status == models.ProposalPending && p.TurnID != nil && *p.TurnID == c.ID {
			return true
		}
		waits = waits || p.Status == models.ProposalPending
		executed = executed || p.Status == models.ProposalExecuted
	}
	return waits && !executed
}
