package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/crm"
	"countersign/models"
)

type summary struct {
	Total  group
	Groups *struct {
		Shown int
		Total int64
		Items []group
	}
}

type group struct {
	Group, ID              string
	Deals, Open, Won, Lost int64
	WinRatePercent         *float64
	Amounts                []amount
}

type amount struct {
	DealsWithAmount        int64
	Sum, Average, WonValue models.Money
	AverageWonValue        *models.Money
}

func money(minor int64, currency string) models.Money {
	return models.Money{Minor: minor, Currency: currency}
}

func TestSummarizeDealsTotal(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		got, o := done[summary](t, d, d.Admin, `/pipeline`)
		half, won := 50.0, money(45_000_00, "HKD")
		require.Nil(t, got.Groups)
		require.Equal(t, group{Deals: 6, Open: 4, Won: 1, Lost: 1, WinRatePercent: &half, Amounts: []amount{{
			DealsWithAmount: 5, Sum: money(474_000_50, "HKD"), Average: money(94_800_10, "HKD"), WonValue: won, AverageWonValue: &won,
		}}}, got.Total)
		require.Equal(t, "Total: 6 deals (4 open, 1 won, 1 lost) · HK$474,000.50 in all · won HK$45,000.00 · win rate 50.00%", o.Text)

		_, o = done[summary](t, d, chinese(d.Manager), `/pipeline status=open stage=New`)
		require.Equal(t, "總計：1 個商機（進行中 1，贏單 0，輸單 0） · 合共 HK$120,000.00", o.Text)

		none, o := done[summary](t, d, d.Sales1, `/summarize_deals status=won`)
		require.Equal(t, group{}, none.Total)
		require.Equal(t, "Total: 0 deals (0 open, 0 won, 0 lost)", o.Text)
	})
}

func TestSummarizeDealsKeepsCurrenciesApart(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, m := range []models.Money{money(1_00, "USD"), money(2_01, "USD"), money(7, "JPY")} {
			_, err := d.deals.Create(t.Context(), d.Sales1, crm.DealInput{Title: "Abroad", Amount: &m})
			require.NoError(t, err)
		}
		got, o := done[summary](t, d, d.Sales1, `/pipeline`)
		require.Equal(t, int64(5), got.Total.Deals, "one has no amount")
		require.Equal(t, []amount{
			{DealsWithAmount: 1, Sum: money(120_000_00, "HKD"), Average: money(120_000_00, "HKD"), WonValue: money(0, "HKD")},
			{DealsWithAmount: 1, Sum: money(7, "JPY"), Average: money(7, "JPY"), WonValue: money(0, "JPY")},
			{DealsWithAmount: 2, Sum: money(3_01, "USD"), Average: money(1_51, "USD"), WonValue: money(0, "USD")},
		}, got.Total.Amounts)
		require.Contains(t, o.Text, "HK$120,000.00 in all · JP¥7 in all · US$3.01 in all")
		require.NotContains(t, o.Text, "won HK", "nothing was won")
		require.Nil(t, got.Total.WinRatePercent, "nothing is decided")
	})
}

func TestSummarizeDealsGroups(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		for _, c := range []struct {
			actor   models.Actor
			command string
			want    []string
		}{
			{d.Admin, `/pipeline stage`, []string{"Won 1", "Proposal 2", "Lost 1", "New 1", "Proposal 1"}},
			{d.Admin, `/pipeline group_by=Owner`, []string{"Suki Sales 1", "Sam Sales 2", "Max Manager 1", "Mei Manager 1", "Siu Ming 小明 1"}},
			{d.Admin, `/pipeline team`, []string{"Beta 2", "Alpha 4"}},
			{d.Admin, `/pipeline company`, []string{"Harbour Foods 海港食品 1", "Acme Trading Limited 2", "(none) 1", "Globex Corporation 1", "Kowloon Ferry 1"}},
			{d.Admin, `/pipeline product`, []string{"(none) 5", "Harbour crane 1"}},
			{d.Admin, `/pipeline pipeline`, []string{"Selling 4", "Renewals 2"}},
			{d.Admin, `/pipeline month`, []string{"(none) 4", "2026-03 2"}},
			{d.Sales1, `/pipeline owner`, []string{"Sam Sales 2"}},
			{d.Manager, `/pipeline team`, []string{"Alpha 4"}},
			{d.Viewer, `/pipeline month status=won`, []string{"2026-03 1"}},
		} {
			got, o := done[summary](t, d, c.actor, c.command)
			var groups []string
			for _, g := range got.Groups.Items {
				groups = append(groups, fmt.Sprintf("%s %d", g.Group, g.Deals))
				require.Contains(t, o.Text, "\n- "+g.Group+": ")
			}
			require.Equal(t, c.want, groups, c.command)
		}
	})
}

func TestSummarizeDealsAnswers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		got, o := done[summary](t, d, d.Admin, `/pipeline company limit=2`)
		require.Equal(t, 2, got.Groups.Shown)
		require.Equal(t, int64(5), got.Groups.Total)
		require.Equal(t, []models.Ref{
			{Type: models.TypeCompany, ID: d.Harbour.ID, Name: d.Harbour.Name}, {Type: models.TypeCompany, ID: d.Acme.ID, Name: d.Acme.Name},
		}, o.Refs)
		require.Equal(t, d.Harbour.ID, got.Groups.Items[0].ID)

		d.exec(t, "UPDATE deals SET company_id = $1 WHERE id = $2", d.Harbour.ID, d.AcmeRenewal.ID)
		got, o = done[summary](t, d, d.Sales1, `/pipeline company`)
		require.NotContains(t, string(o.Result)+o.Text, d.Harbour.ID, "a company that one does not see")
		require.Len(t, got.Groups.Items, 2)

		got, _ = done[summary](t, d, d.Admin, `/pipeline month status=won`)
		require.Empty(t, got.Groups.Items[0].ID)
	})
}

func TestSummarizeDealsRefuses(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		fails(t, d.say(t, d.Sales1, `/pipeline weather`), "invalid")
		fails(t, d.say(t, d.Sales1, `/pipeline stage closed_to=soon`), "invalid")
		fails(t, d.say(t, d.Sales1, `/pipeline owner=nobody`), "not_found")
		d.unseen(t, d.Sales1, `/pipeline company=%s`, d.Harbour.ID)
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/pipeline`), "forbidden")
	})
}
