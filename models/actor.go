package models

// Via is the way by which an actor came in.
type Via string

// The ways in. A tool call of the assistant has ViaAssistant, whoever it acts for.
const (
	ViaWeb       Via = "web"
	ViaAssistant Via = "assistant"
	ViaCommand   Via = "command"
	ViaWhatsApp  Via = "whatsapp"
	ViaMCP       Via = "mcp"
	ViaCLI       Via = "cli"
	ViaImport    Via = "import"
	ViaSystem    Via = "system"
)

// Actor is the person in whose name something happens, and through what. It is passed explicitly,
// never in a context. Role and team are not part of it: the authorizer reads them anew for every decision.
type Actor struct {
	UserID string
	Name   string
	Via    Via
	// System names a system actor (see [System]); doors that speak for people never set it.
	System string
	// Model is "provider/model" when a model chose the call, Client the name of an MCP client.
	Model  string
	Client string
	// ConversationID and ProposalID tie a write to where it was asked for and what was confirmed.
	ConversationID string
	ProposalID     string
	// ApproverID and ApproverName are who approved what the actor had asked for; empty where nobody had to.
	ApproverID   string
	ApproverName string
	IP           string
	UserAgent    string
	RequestID    string
	Lang         string
}

// System returns the actor of work that no signed-in person asked for, such as an import at the console.
// What it may do is declared by name in package rbac.
func System(name string) Actor { return Actor{Name: name, Via: ViaSystem, System: name} }

// As returns a copy that came in through via.
func (a Actor) As(via Via) Actor {
	a.Via = via
	return a
}
