package agent

import (
	"regexp"
	"strings"

	"countersign/models"
)

// greeting is a whole message that only greets, thanks or says good-bye. When in doubt it does not match, and
// the model is offered its tools.
var greeting = regexp.MustCompile(`^(hi|hello|hey|hiya|good (morning|afternoon|evening)|thanks?( you| a lot| so much)?|thx|bye|goodbye|see you|ok|okay|` +
	`你好|您好|哈囉|嗨|早晨|早安|午安|晚安|多謝|謝謝|唔該|唔該晒|多謝晒|再見|拜拜|好的|好)( there| everyone| all| team|呀|啊|喎|你|您)?$`)

// smallTalk reports whether a message needs no tools.
func smallTalk(message string) bool {
	return greeting.MatchString(strings.Trim(models.FoldName(message), " !?.,~！？。，～"))
}
