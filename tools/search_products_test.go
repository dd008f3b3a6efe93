package tools_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/models"
	"countersign/store"
)

type products struct {
	Shown, Total int
	Items        []struct {
		ID, SKU, Name, Unit string
		Price               *struct{ Amount, Currency string }
		Active              bool
	}
}

func (p products) skus() []string {
	list := []string{}
	for _, item := range p.Items {
		list = append(list, item.SKU)
	}
	return list
}

func TestSearchProducts(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		price, hkd := int64(26_768_0000), "HKD"
		gtk := models.Product{Record: models.NewRecord(d.Clock.Now()), SKU: "G-5", Name: "GTK 500", OtherNames: models.Strings{}, Unit: "unit", PriceE4: &price, Currency: &hkd, Active: true}
		d.InTx(t, func(tx *store.Tx) { require.NoError(t, tx.InsertProduct(t.Context(), &gtk)) })
		for query, want := range map[string][]string{
			``: {"G-5", "CR-100", "PL-1", "OLD-1"}, `gtk`: {"G-5"}, `GTK500`: {"G-5"}, `gtk 500`: {"G-5"}, `Ｇ ＴＫ500`: {"G-5"}, `G T K`: {"G-5"},
			`卡板`: {"PL-1"}, `pl-1`: {"PL-1"}, `CR-100`: {"CR-100"}, `HarbourCrane`: {"CR-100"}, `-1`: {"CR-100", "PL-1", "OLD-1"}, `"500 GTK"`: {}, `100%`: {}, `G_K`: {},
		} {
			found, o := done[products](t, d, d.Viewer, `/search_products `+query)
			require.Equal(t, want, found.skus(), query)
			require.Equal(t, len(want), found.Total, query)
			require.Len(t, o.Refs, len(want))
		}
		found, o := done[products](t, d, d.Sales1, `/search_products GTK500`)
		require.Equal(t, []any{gtk.ID, "GTK 500", "26768.00", "HKD", true}, []any{
			found.Items[0].ID, found.Items[0].Name, found.Items[0].Price.Amount, found.Items[0].Price.Currency, found.Items[0].Active,
		})
		require.Equal(t, "1 product\n- GTK 500 · G-5 · HK$26,768.00", o.Text)
		require.Equal(t, []models.Ref{{Type: models.TypeProduct, ID: gtk.ID, Name: "GTK 500"}}, o.Refs)
	})
}

func TestSearchProductsAnswers(t *testing.T) {
	each(t, func(t *testing.T, d *desk) {
		found, o := done[products](t, d, d.Sales1, `/search_products winch`)
		require.Nil(t, found.Items[0].Price)
		require.False(t, found.Items[0].Active)
		require.Equal(t, "1 product\n- Retired winch · OLD-1 · no price · no longer sold", o.Text)
		found, o = done[products](t, d, chinese(d.Sales1), `/search_products limit=1`)
		require.Equal(t, []int{1, 3}, []int{found.Shown, found.Total})
		require.Equal(t, "3 項產品，顯示 1 項", o.Summary)
		found, _ = done[products](t, d, d.Sales1, `/search_products pallet`)
		require.Equal(t, "1.2345", found.Items[0].Price.Amount, "a unit price is as fine as it is")

		fails(t, d.say(t, d.Sales1, `/search_products limit=51`), "invalid")
		fails(t, d.say(t, d.clerk(t, d.Sales2), `/search_products crane`), "forbidden")
	})
}
