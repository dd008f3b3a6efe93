package tools

import (
	"context"
	"fmt"
	"strings"

	"countersign/crm"
	"countersign/models"
	"countersign/rbac"
)

type pipelineRow struct {
	ID     string     `json:"id"`
	Name   string     `json:"name"`
	Stages []stageRow `json:"stages"`
}

type stageRow struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	OtherNames  models.Strings `json:"otherNames,omitempty"`
	Kind        string         `json:"kind"`
	Probability int            `json:"probabilityPercent"`
}

func newListPipelines(pipelines *crm.Pipelines) *Tool {
	return newTool(Definition{
		Name: "list_pipelines", Effect: Read, After: Continue, Permission: rbac.PipelineRead,
		Example: `/list_pipelines`,
	}, func(ctx context.Context, actor models.Actor, _ struct{}) (Result, error) {
		all, err := pipelines.List(ctx, actor)
		if err != nil {
			return Result{}, err
		}
		list := make([]pipelineRow, len(all))
		lines := make([]string, len(all))
		for i, p := range all {
			list[i] = pipelineRow{ID: p.ID, Name: p.Name}
			stages := make([]string, len(p.Stages))
			for j, s := range p.Stages {
				list[i].Stages = append(list[i].Stages, stageRow{s.ID, s.Name, s.OtherNames, string(s.Kind), s.Probability})
				stages[j] = fmt.Sprintf("%s %d%%", s.Name, s.Probability)
			}
			lines[i] = dots(p.Name, strings.Join(stages, " → "))
		}
		summary := shownOf(actor.Lang, "pipelines.found", len(list), int64(len(list)))
		return Result{Data: rowsOf(list, int64(len(list))), Summary: summary, Text: listText(summary, lines)}, nil
	})
}
