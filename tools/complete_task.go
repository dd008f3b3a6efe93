package tools

import (
	"context"

	"countersign/apperr"
	"countersign/audit"
	"countersign/crm"
	"countersign/i18n"
	"countersign/models"
	"countersign/rbac"
	"countersign/resolve"
	"countersign/store"
)

type completeTaskArgs struct {
	Task string `json:"task" kind:"task" jsonschema:"The task: its ID, or its title or a part of it."`
}

// taskCompleter is the tool complete_task, which marks one's own task as done. Anybody may undo that on the page.
type taskCompleter struct {
	tasks    *crm.Tasks
	resolver *resolve.Resolver
}

func newCompleteTask(s Services) *Tool {
	tool := newCreatingTool(Definition{
		Name: "complete_task", After: Continue, Permission: rbac.TaskUpdate,
		Main: "task", Example: `/complete_task "Send the offer"`,
	}, s.Runner, taskCompleter{s.Tasks, s.Resolver}, rbac.TaskUpdate)
	tool.propose.noUndo = "undo.task_done"
	return tool
}

func (c taskCompleter) resolve(ctx context.Context, actor models.Actor, in completeTaskArgs) (completeTaskArgs, error) {
	ref, err := namedForWrite(ctx, c.resolver, actor, models.TypeTask, in.Task)
	in.Task = ref.ID
	return in, err
}

func (c taskCompleter) create(ctx context.Context, tx *store.Tx, actor models.Actor, in completeTaskArgs) (creation, error) {
	tasks := bound(c.tasks, tx)
	before, err := tasks.Get(ctx, actor, in.Task)
	if err != nil {
		return creation{}, err
	}
	task, err := tasks.Complete(ctx, actor, in.Task)
	if apperr.HasCode(err, crm.CodeNotYourTask) {
		return creation{}, apperr.New(apperr.Forbidden, crm.CodeNotYourTask, i18n.T(actor.Lang, "task.not_yours", "title", before.Title, "assignee", before.AssigneeName))
	}
	if err != nil {
		return creation{}, err
	}
	done := creation{Result: taskResult(actor.Lang, "task.done", *task), record: taskRefOf(*task), version: before.Version}
	if before.DoneAt != nil {
		done.Result = taskResult(actor.Lang, "task.done_already", *task)
		return done, nil
	}
	// When it was done is the moment of the write, which is yet to come when this is a trial.
	done.fields = []crm.Difference{{Field: audit.Field{Name: "doneAt", After: i18n.T(actor.Lang, "task.state_done")}}}
	return done, nil
}
