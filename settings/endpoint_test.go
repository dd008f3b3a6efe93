package settings_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"countersign/settings"
)

func TestCheckEndpointNormalises(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://api.openai.com/v1":                        "https://api.openai.com/v1",
		"  HTTPS://API.OpenAI.COM:443/v1//  ":              "https://api.openai.com/v1",
		"http://api.example.com:80":                        "http://api.example.com",
		"https://api.example.com.:0443/":                   "https://api.example.com",
		"https://x.azure.com/openai/?api-version=2024-1":   "https://x.azure.com/openai?api-version=2024-1",
		"https://api.example.com/v1?":                      "https://api.example.com/v1",
		"https://api.example.com:8443/A%2Fb":               "https://api.example.com:8443/A%2Fb",
		"https://xn--fiq228c.example/v1":                   "https://xn--fiq228c.example/v1",
		"https://8.8.8.8/v1":                               "https://8.8.8.8/v1",
		"https://[2606:4700::1111]:443/v1":                 "https://[2606:4700::1111]/v1",
		"https://[2606:4700:0:0::1111]:8443":               "https://[2606:4700:0:0::1111]:8443",
		"https://3scale.example.com":                       "https://3scale.example.com",
		"https://metadata.example.com":                     "https://metadata.example.com",
		"https://localhost.example.com/v1/chat/":           "https://localhost.example.com/v1/chat",
		"https://api.example.com/v1/http://169.254.169.25": "https://api.example.com/v1/http://169.254.169.25",
	} {
		got, err := settings.CheckEndpoint(raw, false)
		require.NoError(t, err, raw)
		require.Equal(t, want, got)
		again, err := settings.CheckEndpoint(got, false)
		require.NoError(t, err)
		require.Equal(t, got, again, "the normal form is its own")
	}
}

func TestCheckEndpointAlwaysRefuses(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		// no address at all
		"", "api.example.com", "api.example.com/v1", "//api.example.com", "https://", "https:///v1", "https:api.example.com",
		"ftp://api.example.com", "file:///etc/passwd", "javascript:alert(1)", "https://api.example.com\n/v1", "https://%zz/",
		// more than an address
		"https://user@api.example.com", "https://user:word@api.example.com", "https://@api.example.com",
		"https://api.example.com/#x", "https://api.example.com/#", "https://api.example.com:0", "https://api.example.com:65536",
		"https://api.example.com:x",
		// metadata services and link-local addresses
		"http://169.254.169.254/latest", "http://169.254.170.2", "http://169.254.0.1", "http://[fe80::1]", "http://[fd00:ec2::254]",
		"http://[fd20:ce::254]", "http://100.100.100.200", "http://168.63.129.16", "http://192.0.0.192",
		"http://metadata.google.internal", "http://METADATA.google.internal./computeMetadata", "http://metadata", "http://metadata.goog",
		"http://instance-data", "http://instance-data.ec2.internal",
		// the same in disguise
		"http://[::ffff:169.254.169.254]", "http://[::ffff:a9fe:a9fe]", "http://[::169.254.169.254]", "http://[64:ff9b::169.254.169.254]",
		"http://[2002:a9fe:a9fe::1]", "http://2852039166", "http://0xa9fea9fe", "http://0xA9.0xFE.0xA9.0xFE", "http://0251.0376.0251.0376",
		"http://169.254.43518", "http://169.16689662", "http://169.254.169.0376", "http://0169.254.169.254", "http://0x7f.1", "http://127.1",
		"http://169.254.169.254.", "http://１６９.254.169.254", "http://169。254。169。254", "http://ⓜetadata", "http://[fe80::1%25eth0]",
		"http://%31%36%39.254.169.254", "http://169.254.169.254%00.example.com", "http://a..b", "http://.example.com", "http://256.1.1.1",
		// no host of a model
		"http://224.0.0.1", "http://255.255.255.255", "http://240.0.0.1", "http://0.1.2.3", "http://[ff02::1]",
	} {
		for _, allowPrivate := range []bool{false, true} {
			got, err := settings.CheckEndpoint(raw, allowPrivate)
			require.Error(t, err, raw)
			require.Empty(t, got, raw)
		}
	}
}

func TestCheckEndpointPrivateOnlyWhenAllowed(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://localhost:11434/v1/":           "http://localhost:11434/v1",
		"http://LOCALHOST.":                    "http://localhost",
		"http://ai.localhost":                  "http://ai.localhost",
		"http://127.0.0.1:8000":                "http://127.0.0.1:8000",
		"http://127.8.8.8":                     "http://127.8.8.8",
		"http://[::1]:8000":                    "http://[::1]:8000",
		"http://[::ffff:127.0.0.1]":            "http://[::ffff:127.0.0.1]",
		"http://0.0.0.0:8000":                  "http://0.0.0.0:8000",
		"http://[::]:8000":                     "http://[::]:8000",
		"http://10.1.2.3":                      "http://10.1.2.3",
		"http://172.16.0.1":                    "http://172.16.0.1",
		"http://172.31.255.255":                "http://172.31.255.255",
		"http://192.168.1.1":                   "http://192.168.1.1",
		"http://100.64.0.1":                    "http://100.64.0.1",
		"http://[fd12:3456::1]":                "http://[fd12:3456::1]",
		"http://[64:ff9b::10.0.0.1]":           "http://[64:ff9b::10.0.0.1]",
		"http://ollama:11434":                  "http://ollama:11434",
		"http://host.docker.internal:11434/v1": "http://host.docker.internal:11434/v1",
		"http://gpu-box.local":                 "http://gpu-box.local",
		"http://gpu_box.lan":                   "http://gpu_box.lan",
	} {
		_, err := settings.CheckEndpoint(raw, false)
		require.ErrorContains(t, err, "COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS", raw)
		got, err := settings.CheckEndpoint(raw, true)
		require.NoError(t, err, raw)
		require.Equal(t, want, got)
	}
}

func TestCheckAddrIgnoresZones(t *testing.T) {
	t.Parallel()
	require.Error(t, settings.CheckAddr(netip.MustParseAddr("fe80::1%eth0"), true))
	require.Error(t, settings.CheckAddr(netip.MustParseAddr("fd12::1%eth0"), false))
	require.NoError(t, settings.CheckAddr(netip.MustParseAddr("8.8.8.8"), false))
}

func FuzzCheckEndpoint(f *testing.F) {
	f.Add("https://api.example.com:8443/v1?x=y")
	f.Add("http://[::ffff:1.2.3.4]/%2F/")
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := settings.CheckEndpoint(raw, true)
		if err != nil {
			return
		}
		again, err := settings.CheckEndpoint(got, true)
		if err != nil || again != got {
			t.Errorf("%q gave %q, which gives %q, %v", raw, got, again, err)
		}
	})
}
