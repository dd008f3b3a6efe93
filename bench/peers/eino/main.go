// Command eino is the turn of the benchmarks by eino's ReAct agent. It has a module of its own, so that the product's
// gets none of eino's dependencies.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/cloudwego/eino-ext/components/model/openai"
	"github.com/cloudwego/eino/components/tool"
	"github.com/cloudwego/eino/components/tool/utils"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/flow/agent/react"
	"github.com/cloudwego/eino/schema"
)

const (
	module  = "github.com/cloudwego/eino"
	system  = "You are the assistant of a CRM. Answer briefly."
	message = "How is the Acme renewal going?"
)

var answer = strings.Repeat("word ", 20)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "eino:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var lookUps atomic.Int64
	agent, err := newAgent(ctx, &lookUps)
	if err != nil {
		return err
	}
	input := []*schema.Message{schema.SystemMessage(system), schema.UserMessage(message)}
	return measure(os.Stdout, "eino", version(), func() error {
		before := lookUps.Load()
		text, err := turn(ctx, agent, input)
		if err == nil && (text != answer || lookUps.Load() == before) {
			err = fmt.Errorf("the turn went wrong: %q", text)
		}
		return err
	})
}

func turn(ctx context.Context, agent *react.Agent, input []*schema.Message) (string, error) {
	stream, err := agent.Stream(ctx, input)
	if err != nil {
		return "", err
	}
	defer stream.Close()
	var text strings.Builder
	for {
		chunk, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return text.String(), nil
		case err != nil:
			return "", err
		}
		text.WriteString(chunk.Content)
	}
}

type dealQuery struct {
	Deal string `json:"deal"`
}

type deal struct {
	Title    string `json:"title"`
	Stage    string `json:"stage"`
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

func newAgent(ctx context.Context, lookUps *atomic.Int64) (*react.Agent, error) {
	model, err := openai.NewChatModel(ctx, &openai.ChatModelConfig{APIKey: "none", BaseURL: endpoint(), Model: "bench"})
	if err != nil {
		return nil, err
	}
	getDeal, err := utils.InferTool("get_deal", "Get a deal by its name.", func(_ context.Context, q dealQuery) (deal, error) {
		lookUps.Add(1)
		return deal{Title: q.Deal, Stage: "New", Amount: "1200.00", Currency: "HKD"}, nil
	})
	if err != nil {
		return nil, err
	}
	return react.NewAgent(ctx, &react.AgentConfig{
		ToolCallingModel: model, MaxStep: 8, ToolsConfig: compose.ToolsNodeConfig{Tools: []tool.BaseTool{getDeal}},
	})
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, dep := range info.Deps {
		if dep.Path == module {
			return strings.TrimPrefix(dep.Version, "v")
		}
	}
	return "unknown"
}
