package llmtest

import (
	"time"

	"countersign/llm"
)

// Options make a model at an endpoint, with idle times that a test can wait for.
func Options(base string, change ...func(*llm.Options)) llm.Options {
	o := llm.Options{BaseURL: base, Model: "test-model", Client: llm.NewHTTPClient(nil), Limits: llm.DefaultLimits()}
	o.Limits.Idle, o.Limits.Tail = 2*time.Second, 100*time.Millisecond
	for _, c := range change {
		c(&o)
	}
	return o
}
