package settings_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/apperr"
	"countersign/internal/dbtest"
	"countersign/models"
	"countersign/rbac"
	"countersign/settings"
)

func (s *system) rules() *settings.ApprovalRules {
	return settings.NewApprovalRules(s.DB, s.Gate, s.Clock.Now, []settings.RuledTool{
		{Name: "update_deal", Rights: [][]rbac.Permission{{rbac.DealUpdate}}},
		{Name: "create_task", RunsAtOnce: true, Rights: [][]rbac.Permission{{rbac.TaskCreate}}},
		{Name: "reassign_owner", Rights: [][]rbac.Permission{{rbac.DealAssign, rbac.DealUpdate}, {rbac.TaskCreate}}},
	})
}

func TestApprovalRules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		ctx, now := t.Context(), s.Clock.Now()
		low, err := s.rules().Create(ctx, s.Admin, settings.RuleInput{
			Tool: "update_deal", Role: "sales", Metric: models.RuleAmount, Threshold: "500,000", Currency: "HKD", Effect: models.RuleApprove,
			ApproverRole: "manager", EscalationRole: "admin", EscalatesAfterHours: 4,
		})
		require.NoError(t, err)
		require.Equal(t, models.ApprovalRule{
			ID: low.ID, Tool: "update_deal", Role: "sales", Metric: models.RuleAmount, Threshold: 500_000_00, Currency: "HKD", Effect: models.RuleApprove,
			ApproverRole: "manager", ExpiresAfter: 24, EscalationRole: "admin", EscalatesAfter: 4, Version: 1, CreatedAt: now, UpdatedAt: now, UpdatedBy: s.Admin.UserID,
		}, *low)
		require.Equal(t, "approval-rule:create", s.last(t).Action)
		high, err := s.rules().Create(ctx, s.Admin, settings.RuleInput{Metric: models.RuleDiscount, Threshold: "12.5", Effect: models.RuleApprove, ApproverRole: "admin", ExpiresAfterHours: 168})
		require.NoError(t, err)
		first, err := s.rules().Create(ctx, s.Admin, settings.RuleInput{Tool: "create_task", Effect: models.RuleConfirm})
		require.NoError(t, err)
		list, err := s.rules().List(ctx, s.Admin)
		require.NoError(t, err)
		require.Equal(t, []models.ApprovalRule{*high, *low, *first}, list, "the widest approvers first")

		s.Clock.Advance(time.Hour)
		_, err = s.rules().Update(ctx, s.Admin, low.ID, 2, func(in settings.RuleInput) settings.RuleInput { return in })
		require.True(t, apperr.Is(err, apperr.Stale))
		require.Equal(t, int64(1), apperr.As(err).Extra["current"].(*models.ApprovalRule).Version)
		changed, err := s.rules().Update(ctx, s.Admin, low.ID, 1, func(in settings.RuleInput) settings.RuleInput {
			require.Equal(t, "500000.00", in.Threshold)
			in.Metric, in.Threshold, in.Currency = models.RuleCount, "10", ""
			return in
		})
		require.NoError(t, err)
		require.Equal(t, []any{int64(2), int64(10), "", s.Clock.Now()}, []any{changed.Version, changed.Threshold, changed.Currency, changed.UpdatedAt})
		require.Equal(t, "approval-rule:update", s.last(t).Action)
		require.True(t, apperr.Is(s.rules().Delete(ctx, s.Admin, low.ID, 1), apperr.Stale))
		require.NoError(t, s.rules().Delete(ctx, s.Admin, low.ID, 2))
		require.Equal(t, "approval-rule:delete", s.last(t).Action)
		require.True(t, apperr.Is(s.rules().Delete(ctx, s.Admin, low.ID, 2), apperr.NotFound))

		options, err := s.rules().Options(ctx, s.Admin)
		require.NoError(t, err)
		require.Len(t, options.Tools, 3)
		require.Equal(t, []string{"admin", "manager", "sales", "viewer"}, []string{options.Roles[0].Slug, options.Roles[1].Slug, options.Roles[2].Slug, options.Roles[3].Slug})
		for _, role := range options.Roles {
			for _, tool := range options.Tools {
				_, err := s.rules().Create(ctx, s.Admin, settings.RuleInput{Tool: tool.Name, Effect: models.RuleApprove, ApproverRole: role.Slug})
				require.Equal(t, slices.Contains(role.Approves, tool.Name), err == nil, "%s of %s: %v", role.Slug, tool.Name, err)
			}
		}
		require.Empty(t, options.Roles[3].Approves, "a viewer changes nothing")
		require.NotEmpty(t, options.Roles[0].Approves)
	})
}

// A rule that asks for nothing more than there is, or that nobody could meet, is refused in words, all mistakes at once.
func TestApprovalRulesThatAreRefused(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		approve := settings.RuleInput{Effect: models.RuleApprove, ApproverRole: "manager"}
		with := func(in settings.RuleInput, change func(*settings.RuleInput)) settings.RuleInput {
			change(&in)
			return in
		}
		for name, c := range map[string]struct {
			in   settings.RuleInput
			want []string
		}{
			"nothing at all":       {settings.RuleInput{}, []string{"effect"}},
			"unknown names":        {settings.RuleInput{Tool: "get_deal", Role: "boss", Metric: "age", Effect: models.RuleApprove, ApproverRole: "chief"}, []string{"tool", "role", "metric", "approverRole"}},
			"asks first already":   {settings.RuleInput{Tool: "update_deal", Effect: models.RuleConfirm}, []string{"effect"}},
			"only asks first":      {settings.RuleInput{Tool: "create_task", Metric: models.RuleCount, Threshold: "2", Effect: models.RuleConfirm, ApproverRole: "manager"}, []string{"metric", "approverRole"}},
			"no approver":          {settings.RuleInput{Effect: models.RuleApprove}, []string{"approverRole"}},
			"a limit of nothing":   {with(approve, func(in *settings.RuleInput) { in.Threshold, in.Currency = "5", "HKD" }), []string{"threshold", "currency"}},
			"no amount":            {with(approve, func(in *settings.RuleInput) { in.Metric, in.Threshold = models.RuleAmount, "much" }), []string{"threshold"}},
			"an unknown currency":  {with(approve, func(in *settings.RuleInput) { in.Metric, in.Threshold, in.Currency = models.RuleAmount, "5", "XYZ" }), []string{"threshold"}},
			"less than nothing":    {with(approve, func(in *settings.RuleInput) { in.Metric, in.Threshold, in.Currency = models.RuleAmount, "-5", "HKD" }), []string{"threshold"}},
			"more than everything": {with(approve, func(in *settings.RuleInput) { in.Metric, in.Threshold = models.RuleDiscount, "100.01" }), []string{"threshold"}},
			"too exact":            {with(approve, func(in *settings.RuleInput) { in.Metric, in.Threshold = models.RuleDiscount, "1.005" }), []string{"threshold"}},
			"no records":           {with(approve, func(in *settings.RuleInput) { in.Metric, in.Threshold = models.RuleCount, "0" }), []string{"threshold"}},
			"too long":             {with(approve, func(in *settings.RuleInput) { in.ExpiresAfterHours = 169 }), []string{"expiresAfterHours"}},
			"escalates to itself":  {with(approve, func(in *settings.RuleInput) { in.EscalationRole, in.EscalatesAfterHours = "manager", 1 }), []string{"escalationRole"}},
			"escalates too late":   {with(approve, func(in *settings.RuleInput) { in.EscalationRole, in.EscalatesAfterHours = "admin", 24 }), []string{"escalatesAfterHours"}},
			"cannot approve":       {with(approve, func(in *settings.RuleInput) { in.Tool, in.ApproverRole = "update_deal", "viewer" }), []string{"approverRole"}},
			"approves nothing":     {with(approve, func(in *settings.RuleInput) { in.ApproverRole = "viewer" }), []string{"approverRole"}},
			"escalates in vain": {with(approve, func(in *settings.RuleInput) {
				in.Tool, in.EscalationRole, in.EscalatesAfterHours = "update_deal", "viewer", 1
			}), []string{"escalationRole"}},
			"escalates to nobody": {with(approve, func(in *settings.RuleInput) { in.EscalatesAfterHours = 2 }), []string{"escalationRole"}},
		} {
			_, err := s.rules().Create(t.Context(), s.Admin, c.in)
			require.Equal(t, c.want, paths(err), name)
		}
		for _, actor := range []models.Actor{s.Manager, s.Sales1, s.Viewer} {
			_, err := s.rules().List(t.Context(), actor)
			require.True(t, apperr.Is(err, apperr.Forbidden))
			_, err = s.rules().Options(t.Context(), actor)
			require.True(t, apperr.Is(err, apperr.Forbidden))
			_, err = s.rules().Create(t.Context(), actor, approve)
			require.True(t, apperr.Is(err, apperr.Forbidden))
			_, err = s.rules().Update(t.Context(), actor, "x", 1, nil)
			require.True(t, apperr.Is(err, apperr.Forbidden))
			require.True(t, apperr.Is(s.rules().Delete(t.Context(), actor, "x", 1), apperr.Forbidden))
		}
	})
}

// Who approves must hold every right that a change of the tool needs, for one type of record at least.
func TestTheApproverOfARuleCouldMakeTheChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *system) {
		raw := dbtest.Raw(t, s.DB)
		allow := func(permission rbac.Permission) {
			_, err := raw.Exec("INSERT INTO role_permissions (role_slug, permission, scope) VALUES ('viewer', $1, 'own')", permission)
			require.NoError(t, err)
		}
		in := settings.RuleInput{Tool: "reassign_owner", Effect: models.RuleApprove, ApproverRole: "viewer"}
		allow(rbac.DealAssign)
		_, err := s.rules().Create(t.Context(), s.Admin, in)
		require.Equal(t, []string{"approverRole"}, paths(err), "one right of two")
		require.ErrorContains(t, err, "Choose a role that may make the change itself.")
		allow(rbac.DealUpdate)
		_, err = s.rules().Create(t.Context(), s.Admin, in)
		require.NoError(t, err)
		in.Tool = ""
		_, err = s.rules().Create(t.Context(), s.Admin, in)
		require.NoError(t, err, "some tool is enough for a rule about all")
		in.Tool = "create_task"
		_, err = s.rules().Create(t.Context(), s.Admin, in)
		require.Equal(t, []string{"approverRole"}, paths(err))
	})
}
