package agent

import (
	"slices"

	"countersign/llm"
	"countersign/models"
)

// readable is a request without what a person would not see in it: a model must not be told what nobody can check.
func readable(request llm.Request) llm.Request {
	request.System = models.Readable(request.System)
	request.Messages = slices.Clone(request.Messages)
	for i := range request.Messages {
		request.Messages[i].Text = models.Readable(request.Messages[i].Text)
	}
	return request
}
