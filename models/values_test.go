package models_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"countersign/models"
)

func TestNewID(t *testing.T) {
	t.Parallel()
	last := ""
	for range 1000 {
		id := models.NewID()
		require.Greater(t, id, last, "later ids sort after earlier ones")
		require.Equal(t, byte('7'), id[14])
		parsed, ok := models.ParseID(id)
		require.True(t, ok)
		require.Equal(t, id, parsed)
		last = id
	}
}

func TestParseID(t *testing.T) {
	t.Parallel()
	const id = "0195f2a0-1c2d-7abc-8def-0123456789ab"
	for _, ok := range []string{id, strings.ToUpper(id), " " + id + "\n", "00000000-0000-0000-0000-000000000000", "9b2e1f34-5a6b-4c7d-8e9f-0a1b2c3d4e5f"} {
		got, found := models.ParseID(ok)
		require.True(t, found, ok)
		require.Equal(t, strings.ToLower(strings.TrimSpace(ok)), got)
	}
	for _, bad := range []string{"", "Acme", strings.ReplaceAll(id, "-", ""), "{" + id + "}", "urn:uuid:" + id, id + "0", id[:35] + "g", strings.Repeat("-", 36)} {
		_, found := models.ParseID(bad)
		require.False(t, found, bad)
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	d, err := models.ParseDate("2024-02-29")
	require.NoError(t, err)
	require.Equal(t, models.Date("2024-02-29"), d)
	for _, bad := range []string{"", "2023-02-29", "2024-2-9", "29/02/2024", "2024-02-29T00:00:00Z", "0000-01-01", "二〇二四"} {
		_, err := models.ParseDate(bad)
		require.Error(t, err, bad)
	}
}

func TestDateScan(t *testing.T) {
	t.Parallel()
	for _, src := range []any{"2026-11-29", "2026-11-29T00:00:00Z", []byte("2026-11-29"), time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)} {
		var d models.Date
		require.NoError(t, d.Scan(src))
		require.Equal(t, models.Date("2026-11-29"), d)
	}
	var d models.Date
	require.Error(t, d.Scan(5))
}

func TestJSON(t *testing.T) {
	t.Parallel()
	var doc struct {
		Args models.JSON `json:"args"`
	}
	const text = `{"args":{"b":1e2,"a":"<x>","a":"again"}}`
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	require.Equal(t, models.JSON(`{"b":1e2,"a":"<x>","a":"again"}`), doc.Args, "byte for byte")

	value, err := doc.Args.Value()
	require.NoError(t, err)
	var scanned models.JSON
	require.NoError(t, scanned.Scan(value))
	require.Equal(t, doc.Args, scanned)

	value, err = models.JSON(nil).Value()
	require.NoError(t, err)
	require.Nil(t, value)
	require.NoError(t, scanned.Scan(nil))
	require.Nil(t, scanned)
	require.Error(t, scanned.Scan(1.5))
	b, err := json.Marshal(models.JSON(nil))
	require.NoError(t, err)
	require.Equal(t, "null", string(b))

	out := map[string]int{"kept": 1}
	require.NoError(t, models.JSON(nil).Into(&out))
	require.NoError(t, models.ToJSON(map[string]int{"n": 2}).Into(&out))
	require.Equal(t, map[string]int{"kept": 1, "n": 2}, out)
	require.Panics(t, func() { models.ToJSON(make(chan int)) })
}

func TestStrings(t *testing.T) {
	t.Parallel()
	for _, s := range []models.Strings{nil, {}, {"", "海港", `"q" \ %`}} {
		value, err := s.Value()
		require.NoError(t, err)
		var back models.Strings
		require.NoError(t, back.Scan(value))
		require.Equal(t, append(models.Strings{}, s...), back)
	}
	var s models.Strings
	require.Error(t, s.Scan("{"))
}

func TestActors(t *testing.T) {
	t.Parallel()
	a := models.Actor{UserID: "u", Via: models.ViaWeb}
	require.Equal(t, models.ViaAssistant, a.As(models.ViaAssistant).Via)
	require.Equal(t, models.ViaWeb, a.Via, "a copy")
	require.Equal(t, models.Actor{Name: "importer", Via: models.ViaSystem, System: "importer"}, models.System("importer"))
}

func TestEnumerations(t *testing.T) {
	t.Parallel()
	require.True(t, models.CompanyLead.Valid())
	require.False(t, models.CompanyStatus("lead").Valid())
	require.True(t, models.ActivityCall.Loggable())
	require.False(t, models.ActivitySystem.Loggable(), "people do not log in the product's name")
	require.False(t, models.ActivityKind("").Loggable())
	r := models.NewRecord(time.Unix(1, 0))
	require.Equal(t, int64(1), r.Version)
	require.Equal(t, r.CreatedAt, r.UpdatedAt)
}

func TestOptional(t *testing.T) {
	t.Parallel()
	var in struct {
		Left, Cleared, Set models.Optional[string]
	}
	require.NoError(t, json.Unmarshal([]byte(`{"Cleared":null,"Set":"new"}`), &in))
	old := "old"
	require.Equal(t, "old", in.Left.Or(old))
	require.Equal(t, "old", in.Cleared.Or(old), "what cannot be cleared stays")
	require.Equal(t, "new", in.Set.Or(old))
	require.Equal(t, &old, in.Left.OrNil(&old))
	require.Nil(t, in.Cleared.OrNil(&old))
	require.Equal(t, "new", *in.Set.OrNil(&old))
	require.Equal(t, in.Set, models.Some("new"))
	require.Error(t, json.Unmarshal([]byte(`{"Set":5}`), &in))
	b, err := json.Marshal([]models.Optional[string]{models.Some("x"), {Set: true}, {}})
	require.NoError(t, err)
	require.JSONEq(t, `["x",null,null]`, string(b))
}

// Days begin in Hong Kong, whatever the zone of the server.
func TestDays(t *testing.T) {
	t.Parallel()
	start := models.Date("2026-03-01").Start()
	require.Equal(t, time.Date(2026, 2, 28, 16, 0, 0, 0, time.UTC), start)
	require.Equal(t, models.Date("2026-03-01"), models.DateOf(start))
	require.Equal(t, models.Date("2026-02-28"), models.DateOf(start.Add(-time.Nanosecond)))
	require.Equal(t, models.Date("2026-03-01"), models.DateOf(time.Date(2026, 2, 28, 23, 30, 0, 0, time.UTC)))
	require.True(t, models.Date("soon").Start().IsZero())
	value, err := models.Date("2026-03-01").Value()
	require.NoError(t, err)
	require.Equal(t, "2026-03-01", value)
	require.Equal(t, "ai_config", models.AIConfig{}.TableName())
}

func TestUnitPrice(t *testing.T) {
	t.Parallel()
	price := func(e4 int64, currency string) models.Product {
		return models.Product{PriceE4: &e4, Currency: &currency}
	}
	for _, c := range []struct {
		product        models.Product
		amount, person string
	}{
		{price(26_768_0000, "HKD"), "26768.00", "HK$26,768.00"},
		{price(1_2345, "HKD"), "1.2345", "HK$1.2345"},
		{price(1_2000, "USD"), "1.20", "US$1.20"},
		{price(0, "HKD"), "0.00", "HK$0.00"},
		{price(1_500_0000, "JPY"), "1500", "JP¥1,500"},
		{models.Product{}, "", ""},
	} {
		amount, currency := c.product.UnitPrice()
		require.Equal(t, c.amount, amount)
		require.Equal(t, c.amount == "", currency == "")
		require.Equal(t, c.person, c.product.UnitPriceText())
	}
}
