// Package confirm is the only door to proposals.Decide: it joins the state machine with the tools that
// carry changes out, and tells the conversation what came of a decision. Doors through which a person acts
// call it; the agent, and with it every path of a model, never imports it.
package confirm
