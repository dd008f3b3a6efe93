package proposals

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/i18n"
	"countersign/models"
)

// Draft is a prepared change: what would be done, to what, and how it looks. A target without a version is only
// to be created: it has a type and a name, and gets its id when it is.
type Draft struct {
	Title         string
	Target        models.Ref
	TargetVersion int64
	// Args are the tool's arguments with every name resolved to an id. They are what a confirm executes.
	Args    any
	Changes []models.Change
	// Items are the records of a change of several, in place of Changes and of a Target with an id.
	Items    []models.Item
	Warnings []string
	Reason   string
	// Asks are arguments without a value that the card asks its person for.
	Asks []string
	// Editable are the arguments that the person may give another value before confirming.
	Editable []Editable
}

// Records are the records that the change is about: none while there is only one to be created.
func (d Draft) Records() (records []models.Ref) {
	for _, item := range d.Items {
		records = append(records, item.Target)
	}
	if d.TargetVersion > 0 {
		records = append(records, d.Target)
	}
	return records
}

// canonical is the RFC 8785 form of a value: the same value always gives the same bytes.
func canonical(v any) (models.JSON, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("proposals: encode: %w", err)
	}
	value := jsontext.Value(raw)
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil {
		return nil, fmt.Errorf("proposals: canonical form: %w", err)
	}
	return models.JSON(value), nil
}

// digestOf binds a proposal to its tool, arguments, target and version, requester and everything that the
// card shows. It is recomputed from the stored row when somebody decides, so that a changed row is refused.
func digestOf(p *models.Proposal) (string, error) {
	shown := map[string]any{
		"id": p.ID, "tool": p.Tool, "args": p.Args, "requestedBy": p.RequestedBy,
		"target": map[string]any{"type": p.TargetType, "id": p.TargetID, "version": p.TargetVersion, "name": p.TargetName},
		"title":  p.Title, "changes": p.Changes, "warnings": p.Warnings, "reason": p.Reason,
	}
	if p.Several() {
		shown["items"] = p.Items
	}
	if p.UndoesID != nil {
		shown["undoes"] = *p.UndoesID
	}
	bound, err := canonical(shown)
	if err != nil {
		return "", err
	}
	return hashOf(bound), nil
}

// OutsideWarning is the warning of a card that a model made after it had read text that somebody else wrote, in a record.
func OutsideWarning(lang string, record models.Ref) string {
	return i18n.T(lang, "proposal.outside", "name", record.Name)
}

func hashOf(bound models.JSON) string {
	sum := sha256.Sum256(bound)
	return hex.EncodeToString(sum[:])
}
