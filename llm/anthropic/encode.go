package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"countersign/llm"
)

// defaultMaxTokens bounds an answer whose request does not say: the dialect demands a bound, and this one is
// within what every model can.
const defaultMaxTokens = 4096

// boundField is the field of the bound, which cannot be left out.
const boundField = "max_tokens"

// encode writes a request. The last block of the tools and of the system prompt is marked for the prompt cache:
// they are the same in every request of a turn.
func encode(o Options, req llm.Request) (sdk.MessageNewParams, error) {
	params := sdk.MessageNewParams{Model: o.Model, MaxTokens: int64(req.MaxTokens)}
	if req.MaxTokens == 0 || o.Learned.Drops(boundField) {
		params.MaxTokens = defaultMaxTokens
	}
	if strings.TrimSpace(req.System) != "" {
		params.System = []sdk.TextBlockParam{{Text: req.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	if req.Temperature != nil {
		params.Temperature = param.NewOpt(*req.Temperature)
	}
	h := history{ids: map[string]string{}, taken: map[string]bool{}}
	for _, message := range req.Messages {
		if o.Learned.Set["strip_thinking"] == true {
			message.Replay = nil
		}
		if err := h.add(message); err != nil {
			return params, err
		}
	}
	params.Messages = h.messages
	err := addTools(&params, req, h.called)
	if o.Learned.Drops("cache_control") {
		uncache(&params)
	}
	return params, err
}

// uncache takes the marks for the prompt cache off, which some compatible servers refuse.
func uncache(params *sdk.MessageNewParams) {
	for i := range params.System {
		params.System[i].CacheControl = sdk.CacheControlEphemeralParam{}
	}
	for i := range params.Tools {
		params.Tools[i].OfTool.CacheControl = sdk.CacheControlEphemeralParam{}
	}
}

// addTools offers the tools. A history with calls is refused where no tool is offered; then the tools that were
// called are named, and may not be called.
func addTools(params *sdk.MessageNewParams, req llm.Request, called []string) error {
	tools, forbidden := req.Tools, req.ToolChoice == llm.ToolsForbidden
	if len(tools) == 0 {
		forbidden = true
		for _, name := range called {
			tools = append(tools, llm.Tool{Name: name, Schema: json.RawMessage(`{"type":"object"}`)})
		}
	}
	for _, tool := range tools {
		encoded, err := encodeTool(tool)
		if err != nil {
			return err
		}
		params.Tools = append(params.Tools, sdk.ToolUnionParam{OfTool: &encoded})
	}
	if len(tools) == 0 {
		return nil
	}
	params.Tools[len(tools)-1].OfTool.CacheControl = sdk.NewCacheControlEphemeralParam()
	if forbidden {
		none := sdk.NewToolChoiceNoneParam()
		params.ToolChoice.OfNone = &none
	}
	return nil
}

func encodeTool(tool llm.Tool) (sdk.ToolParam, error) {
	var schema map[string]any
	if err := json.Unmarshal(tool.Schema, &schema); err != nil {
		return sdk.ToolParam{}, fmt.Errorf("anthropic: schema of tool %s: %w", tool.Name, err)
	}
	encoded := sdk.ToolParam{Name: tool.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
	if tool.Description != "" {
		encoded.Description = param.NewOpt(tool.Description)
	}
	return encoded, nil
}

// history writes the messages. Roles alternate in it, and no text is blank: both would be refused.
type history struct {
	messages []sdk.MessageParam
	// ids are the ids on the wire of the last assistant message's calls, by their own. taken are all on the wire.
	ids   map[string]string
	taken map[string]bool
	// called names the tools that were called.
	called []string
}

func (h *history) add(m llm.Message) error {
	switch m.Role {
	case llm.RoleUser:
		h.append(sdk.MessageParamRoleUser, textBlocks(m.Text)...)
	case llm.RoleTool:
		h.addResult(m)
	case llm.RoleAssistant:
		blocks, err := h.assistant(m)
		if err != nil {
			return err
		}
		h.append(sdk.MessageParamRoleAssistant, blocks...)
	default:
		return fmt.Errorf("anthropic: unknown role %q", m.Role)
	}
	return nil
}

// append adds blocks to the last message where that is of the same role.
func (h *history) append(role sdk.MessageParamRole, blocks ...sdk.ContentBlockParamUnion) {
	if len(blocks) == 0 {
		return
	}
	if last := len(h.messages) - 1; last >= 0 && h.messages[last].Role == role {
		h.messages[last].Content = append(h.messages[last].Content, blocks...)
		return
	}
	h.messages = append(h.messages, sdk.MessageParam{Role: role, Content: blocks})
}

// addResult puts the result of a call into the user message after it, behind other results and before text.
func (h *history) addResult(m llm.Message) {
	id, known := h.ids[m.CallID]
	if !known {
		id = h.wireID(m.CallID)
	}
	result := &sdk.ToolResultBlockParam{ToolUseID: id}
	if strings.TrimSpace(m.Text) != "" {
		result.Content = []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: m.Text}}}
	}
	h.append(sdk.MessageParamRoleUser, sdk.ContentBlockParamUnion{OfToolResult: result})
	content := h.messages[len(h.messages)-1].Content
	slices.SortStableFunc(content, func(a, b sdk.ContentBlockParamUnion) int {
		return rank(a) - rank(b)
	})
}

// rank is lower for the results of calls, which must stand first.
func rank(block sdk.ContentBlockParamUnion) int {
	if block.OfToolResult != nil {
		return 0
	}
	return 1
}

// assistant writes text, then calls, with the thinking where it stood.
func (h *history) assistant(m llm.Message) ([]sdk.ContentBlockParamUnion, error) {
	blocks := textBlocks(m.Text)
	clear(h.ids)
	for _, call := range m.Calls {
		id := h.wireID(call.ID)
		h.ids[call.ID] = id
		if !slices.Contains(h.called, call.Name) {
			h.called = append(h.called, call.Name)
		}
		blocks = append(blocks, sdk.NewToolUseBlock(id, inputOf(call), call.Name))
	}
	return insertThinking(blocks, m.Replay)
}

// idForm is what this dialect takes for the id of a call.
var idForm = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// wireID is the id itself where it is of the form and not taken; a history may come from another provider.
// Otherwise it is made of the id and what was there before, and so the same in every request.
func (h *history) wireID(id string) string {
	if h.taken[id] || !idForm.MatchString(id) {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", len(h.taken), id))
		id = "toolu_" + hex.EncodeToString(sum[:12])
	}
	h.taken[id] = true
	return id
}

// inputOf is the arguments as an object, which is all that may stand there.
func inputOf(call llm.ToolCall) json.RawMessage {
	args := llm.ParseArguments(call.Arguments)
	if len(args.Objects) != 1 {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(args.Objects[0])
}

func textBlocks(text string) []sdk.ContentBlockParamUnion {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return []sdk.ContentBlockParamUnion{sdk.NewTextBlock(text)}
}

// replay is what Done.Replay holds: blocks of thinking, and their positions in the content.
type replay struct {
	Thinking []json.RawMessage `json:"thinking"`
	At       []int             `json:"at"`
}

// insertThinking puts blocks of thinking back. Replay data of another dialect holds none.
func insertThinking(blocks []sdk.ContentBlockParamUnion, data json.RawMessage) ([]sdk.ContentBlockParamUnion, error) {
	if len(data) == 0 {
		return blocks, nil
	}
	var r replay
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("anthropic: replay data: %w", err)
	}
	for i, thinking := range r.Thinking {
		at := len(blocks)
		if i < len(r.At) {
			at = min(max(r.At[i], 0), len(blocks))
		}
		raw := param.Override[sdk.ThinkingBlockParam](thinking)
		blocks = slices.Insert(blocks, at, sdk.ContentBlockParamUnion{OfThinking: &raw})
	}
	return blocks, nil
}
