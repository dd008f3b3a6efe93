package tools

import (
	"context"

	"countersign/apperr"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
)

type completeTaskArgs struct {
	Task string `json:"task" kind:"task" jsonschema:"The task: its ID, or its title or a part of it."`
}

// newCompleteTask makes the tool that marks one's own task as done, which anybody may undo on the page.
func newCompleteTask(tasks *crm.Tasks, resolver *resolve.Resolver) *Tool {
	return newTool(Definition{
		Name: "complete_task", Effect: Create, After: Continue, Permission: rbac.TaskUpdate,
		Main: "task", Example: `/complete_task "Send the offer"`,
	}, func(ctx context.Context, actor models.Actor, in completeTaskArgs) (Result, error) {
		ref, err := namedForWrite(ctx, resolver, actor, models.TypeTask, in.Task)
		if err != nil {
			return Result{}, err
		}
		before, err := tasks.Get(ctx, actor, ref.ID)
		if err != nil {
			return Result{}, err
		}
		task, err := tasks.Complete(ctx, actor, ref.ID)
		if apperr.HasCode(err, crm.CodeNotYourTask) {
			return Result{}, apperr.New(apperr.Forbidden, crm.CodeNotYourTask, i18n.T(actor.Lang, "task.not_yours", "title", before.Title, "assignee", before.AssigneeName))
		}
		if err != nil {
			return Result{}, err
		}
		key := "task.done"
		if before.DoneAt != nil {
			key = "task.done_already"
		}
		return taskResult(actor.Lang, key, *task), nil
	})
}
