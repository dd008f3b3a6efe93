package audit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/audit"
	"countersign/models"
)

func TestMaskText(t *testing.T) {
	t.Parallel()
	const h = audit.Hidden
	for text, want := range map[string]string{
		"Ring +852 9123 4567 or 9123-4567, 電話91234567。":   "Ring " + h + " or " + h + ", 電話" + h + "。",
		"amy.lee+x@acme.com.hk (A123456(7), AB123456(A))": h + " (" + h + ", " + h + ")",
		"11010519491231002X":                             h,
		"HK$23,456,789.00, 23456789.00, 349 deals, 2026": "HK$23,456,789.00, 23456789.00, 349 deals, 2026",
		"2026-11-30T04:05:06Z, 2026-11-30":               "2026-11-30T04:05:06Z, 2026-11-30",
		"Q-2026-0001, Q-2026-0001-R2":                    "Q-2026-0001, Q-2026-0001-R2",
		"/deals/01932f7a-1234-7123-8123-000000000077":    "/deals/01932f7a-1234-7123-8123-000000000077",
		"": "",
	} {
		require.Equal(t, want, audit.MaskText(text), text)
	}
	require.Nil(t, audit.MaskResult(nil))
	require.JSONEq(t, `{"notes":"`+h+` \"`+h+`\"","amount":{"amount":"23456789","currency":"JPY"},"n":23456789,"id":"01932f7a-1234-7123-8123-000000000077"}`,
		string(audit.MaskResult(models.JSON(`{"notes":"a@b.test \"91234567\"","amount":{"amount":"23456789","currency":"JPY"},"n":23456789,"id":"01932f7a-1234-7123-8123-000000000077"}`))))
}
