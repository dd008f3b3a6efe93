package models_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"countersign/models"
)

func TestParseMoney(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount, currency string
		minor            int64
		shown            string
	}{
		{"1234.5", "HKD", 123450, "HK$1,234.50"},
		{" 1,234,567.89 ", "USD", 123456789, "US$1,234,567.89"},
		{"0", "", 0, "HK$0.00"},
		{"-0.005", "HKD", -1, "-HK$0.01"},
		{"0.005", "HKD", 1, "HK$0.01"},
		{"2.675", "EUR", 268, "€2.68"},
		{"0.0049999", "GBP", 0, "£0.00"},
		{"1234.5", "JPY", 1235, "JP¥1,235"},
		{"-1234.5", "JPY", -1235, "-JP¥1,235"},
		{"1.0005", "KWD", 1001, "KWD 1.001"},
		{"999", "cny", 99900, "CN¥999.00"},
		{".5", "HKD", 50, "HK$0.50"},
		{"+7.", "HKD", 700, "HK$7.00"},
		{"1.2e3", "HKD", 120000, "HK$1,200.00"},
		{"100000000000", "HKD", 10_000_000_000_000, "HK$100,000,000,000.00"},
	} {
		m, err := models.ParseMoney(c.amount, c.currency)
		require.NoError(t, err, c.amount)
		require.Equal(t, c.minor, m.Minor, c.amount)
		require.Equal(t, c.shown, m.String(), c.amount)
	}
}

func TestParseMoneyRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"", "HKD"},
		{"abc", "HKD"},
		{"1.234,50", "HKD"},
		{"12,50", "HKD"},
		{"1,2345", "HKD"},
		{"1,234,", "HKD"},
		{"--1", "HKD"},
		{"NaN", "HKD"},
		{"Infinity", "HKD"},
		{"0x10", "HKD"},
		{"1 000", "HKD"},
		{"１２", "HKD"},
		{"1", "XXX"},
		{"1", "HK"},
		{"1", "BTC"},
		{"100000000000.01", "HKD"},
		{"-100000000000.01", "HKD"},
		{"1e99", "HKD"},
		{"1e-99", "HKD"},
		{"1e999999999", "HKD"},
		{strings.Repeat("9", 1_000_000), "HKD"},
	} {
		_, err := models.ParseMoney(c[0], c[1])
		require.Error(t, err, "%.40s %s", c[0], c[1])
		require.Less(t, len(err.Error()), 200)
	}
}

// A decimal of an absurd exponent must be refused before it is written out in digits.
func TestNewMoneyRefusesHugeExponents(t *testing.T) {
	t.Parallel()
	for _, exponent := range []int32{41, 1_000_000, 2_000_000_000, -1_000_000, -2_000_000_000} {
		_, err := models.NewMoney(decimal.New(1, exponent), "HKD")
		require.Error(t, err, exponent)
	}
}

func TestMoneySurvivesItsForms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := models.Money{
			Minor:    rapid.Int64Range(-10_000_000_000_000, 10_000_000_000_000).Draw(t, "minor"),
			Currency: rapid.SampledFrom([]string{"HKD", "JPY", "KWD", "USD"}).Draw(t, "currency"),
		}
		parsed, err := models.ParseMoney(m.Amount(), m.Currency)
		require.NoError(t, err)
		require.Equal(t, m, parsed)
		b, err := json.Marshal(m)
		require.NoError(t, err)
		var read models.Money
		require.NoError(t, json.Unmarshal(b, &read))
		require.Equal(t, m, read)
		back, err := models.NewMoney(m.Decimal(), m.Currency)
		require.NoError(t, err)
		require.Equal(t, m, back)
	})
}

func TestMoneyJSON(t *testing.T) {
	t.Parallel()
	b, err := json.Marshal(models.Money{Minor: 123450, Currency: "HKD"})
	require.NoError(t, err)
	require.JSONEq(t, `{"amount":"1234.50","currency":"HKD"}`, string(b))
	var m models.Money
	for _, bad := range []string{`{"amount":"x","currency":"HKD"}`, `{"amount":1.5}`, `"1"`} {
		require.Error(t, json.Unmarshal([]byte(bad), &m), bad)
	}
}

func TestDealAmount(t *testing.T) {
	t.Parallel()
	var d models.Deal
	require.Nil(t, d.Amount())
	given := models.Money{Minor: 5, Currency: "HKD"}
	d.SetAmount(&given)
	given.Minor = 6
	require.Equal(t, &models.Money{Minor: 5, Currency: "HKD"}, d.Amount(), "the deal keeps its own copy")
	d.SetAmount(nil)
	require.Nil(t, d.AmountMinor)
	require.Nil(t, d.Currency)
}
