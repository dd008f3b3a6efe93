package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/agent"
	"countersign/internal/dbtest"
	"countersign/llm/llmtest"
	"countersign/models"
	"countersign/proposals"
	"countersign/store"
)

func TestWhatClaimsThatAChangeIsDone(t *testing.T) {
	t.Parallel()
	const none, vague, change = "", "vague", "change"
	for text, want := range map[string]string{
		"I've updated the deal.":                                 change,
		"I’ve just moved **Acme renewal** to Won.":               change,
		"The deal has been moved to Won.":                        change,
		"Acme renewal is now in Proposal.":                       change,
		"Acme renewal is now Won":                                change,
		"Successfully updated.":                                  change,
		"Here it is. We have now changed the owner to Siu Ming!": change,
		"- Updated the stage\n- Done":                            change,
		"The stage was changed to Won.":                          change,
		"It’s been moved to Engaging.":                           change,
		"Marked as won.":                                         change,
		"Deal D-77 marked as **Won**.":                           change,
		"Successfully marked the deal as lost.":                  change,
		"The owner is now Siu Ming.":                             change,
		"Siu Ming now owns the deal.":                            change,
		"The quotation has been sent.":                           vague,
		"I've emailed the quotation to them.":                    vague,
		"負責人而家係小明。":                                              change,
		"階段現為 Won。":                                              change,
		"報價單已寄出。":                                                vague,
		"封電郵send咗喇":                                              vague,
		"已刪除。":                                                   vague,
		"上星期小明已將商機改為 Won。":                                       none,
		"The deal was updated on 2 March.":                       none,
		"The quotation was sent last week.":                      none,
		"Once the quotation is sent, they get an e-mail.":        none,
		"報價單會喺你確認之後寄出。":                                          none,
		"The owner is Siu Ming now and then.":                    none,
		"Done.":                                                  vague,
		"✅ Done! Anything else?":                                 vague,
		"All done, the renewal is closed.":                       vague,
		"I've marked the deal as won.":                           vague,
		"It has been set to Won.":                                vague,
		"已更新商機。":                                                 change,
		"我已經將 Acme renewal 移到「贏單」。":                              change,
		"已改為 Won":                                                change,
		"幫你改咗喇":                                                  change,
		"負責人已成功轉交小明。":                                            change,
		"搞掂！":                                                    vague,
		"已完成。":                                                   vague,
		"完成了，還有其他嗎？":                                             none,
		"I have prepared the change; it waits for you.":          none,
		"Once you confirm, the deal is now in Won.":              none,
		"The stage will be updated after you confirm.":           none,
		"The deal has not been updated yet.":                     none,
		"I haven't moved it.":                                    none,
		"Has it been updated?":                                   none,
		"I've proposed that it be moved to Won.":                 none,
		"It was updated yesterday by Siu Ming.":                  none,
		"The deal has been moved by Siu Ming.":                   none,
		"A card is shown; nothing has been changed.":             none,
		"Acme renewal is worth HK$1,200 and is in stage New.":    none,
		"Updated: 2 March 2026":                                  none,
		"You can update it.":                                     none,
		"I looked up the deals that changed hands.":              none,
		"Two deals were won.":                                    none,
		"確認後便會更新。":                                               none,
		"我已準備好更改，等你確認。":                                          none,
		"尚未更新。":                                                  none,
		"將會移到 Won。":                                              none,
		"你可以更改階段。":                                               none,
		"已找到三個商機。":                                               none,
		"已由小明更新。":                                                none,
		"更新時間：3 月 2 日":                                           none,
		"":                                                       none,
	} {
		claims, changes := agent.Claims(text)
		got := none
		if claims {
			got = vague
		}
		if changes {
			got = change
		}
		require.Equal(t, want, got, "%q", text)
	}
}

// notices are the stored ones of the last reply of a conversation.
func (d *desk) notices(t *testing.T, actor models.Actor, conversation string) (list []models.Notice) {
	t.Helper()
	thread, err := d.conversations.Get(t.Context(), actor, conversation)
	require.NoError(t, err)
	require.NoError(t, thread.Messages[len(thread.Messages)-1].Notices.Into(&list))
	return list
}

func TestAnAnswerThatCallsAWaitingChangeDone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, db *store.DB) {
		endpoint := llmtest.Script(
			llmtest.CallTool("get_deal", `{"deal":"Acme renewal"}`).And(llmtest.CallTool("update_deal_stage", `{"deal":"Acme renewal","stage":"Won"}`)),
			llmtest.Say("I've moved it to Won."), llmtest.Say("It waits for your click."), llmtest.Say("Done!"),
			llmtest.CallTool("log_activity", `{"kind":"NOTE","subject":"called","deal":"Acme renewal"}`), llmtest.Say("Done, the note is there."),
			llmtest.Say("已更新。"), llmtest.Say("Done!"),
		)
		d := talk(t, db, endpoint)
		sam := d.Sales1
		conversation := ""
		ask := func(actor models.Actor, message string) (told string, stored []models.Notice) {
			all := d.send(t, actor, agent.Request{ConversationID: conversation, Message: message})
			conversation = only(t, all, "start")["conversationId"].(string)
			for _, e := range all {
				if e.Type == "notice" {
					told += e.Data["code"].(string)
				}
			}
			return told, d.notices(t, actor, conversation)
		}
		told, stored := ask(sam, "Look at the Acme renewal and mark it won")
		require.Equal(t, agent.CodeStillWaiting, told)
		require.Equal(t, []models.Notice{{Code: agent.CodeStillWaiting, Text: "Still waiting for your click: nothing has changed yet."}}, stored)
		told, _ = ask(sam, "And now?")
		require.Empty(t, told)
		told, _ = ask(sam, "Sure?")
		require.Equal(t, agent.CodeStillWaiting, told, "also in a later turn")
		told, _ = ask(sam, "Add a note that I called")
		require.Empty(t, told, "what the answer speaks of was done")
		chinese := sam
		chinese.Lang = "zh-HK"
		_, stored = ask(chinese, "更新了嗎？")
		require.Equal(t, "仍在等你按確認：目前未有任何更改。", stored[0].Text)
		d.Clock.Advance(proposals.TTL)
		told, _ = ask(sam, "And now?")
		require.Empty(t, told, "nothing waits any more")
	})
}
