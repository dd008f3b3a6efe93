package settings

import (
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The refusals of [CheckEndpoint]: each text is a sentence for the person who typed the address.
var (
	errEndpointForm = errors.New("Give the endpoint as a complete address, such as https://api.example.com/v1.")
	errEndpointUser = errors.New("Leave user name and password out of the endpoint's address: the API key has a field of its own.")
	errEndpointHash = errors.New("Leave out the part of the endpoint's address that begins with #.")
	errEndpointHost = errors.New("Write the endpoint's host as a name in plain letters, or as an address such as 192.0.2.1.")
	errEndpointPort = errors.New("The endpoint's port must be a number from 1 to 65535.")
	errEndpointNear = errors.New("The endpoint is on this machine or in a private network. " +
		"If that is intended, set COUNTERSIGN_ALLOW_PRIVATE_ENDPOINTS=true and restart.")
	errEndpointMeta = errors.New("This address is not allowed: it belongs to the machine's own network services, never to a model.")
)

const maxEndpoint = 2000

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// CheckEndpoint gives the address of a model endpoint in its normal form: scheme and host in lower case, no default
// port, no slash at the end. Addresses of cloud metadata services, link-local and other special ones are always
// refused, loopback and private ones unless allowPrivate. It goes by what is written and resolves nothing: whoever
// connects must check the resolved address, too, with [CheckAddr].
func CheckEndpoint(raw string, allowPrivate bool) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil, len(raw) > maxEndpoint, defaultPorts[u.Scheme] == "", u.Host == "", u.Opaque != "":
		return "", errEndpointForm
	case u.User != nil:
		return "", errEndpointUser
	case u.Fragment != "", strings.HasSuffix(strings.TrimSpace(raw), "#"):
		return "", errEndpointHash
	}
	host := strings.TrimRight(strings.ToLower(u.Hostname()), ".")
	if err := checkHost(host, allowPrivate); err != nil {
		return "", err
	}
	if u.Host, err = joinPort(host, u.Port(), u.Scheme); err != nil {
		return "", err
	}
	u.ForceQuery = false
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u.String(), nil
}

// origin is what a key was entered for: scheme, host and port of a normalised address.
func origin(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func joinPort(host, port, scheme string) (string, error) {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" {
		return host, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", errEndpointPort
	}
	if port = strconv.FormatUint(n, 10); port == defaultPorts[scheme] {
		return host, nil
	}
	return host + ":" + port, nil
}

// metadataNames answer inside a cloud with the credentials of the machine.
var metadataNames = []string{"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal"}

// nearSuffixes end names that only a local or private network resolves.
var nearSuffixes = []string{"localhost", "local", "internal", "lan", "home.arpa"}

func checkHost(host string, allowPrivate bool) error {
	if addr, err := netip.ParseAddr(host); err == nil && addr.Zone() == "" {
		return CheckAddr(addr, allowPrivate)
	}
	switch {
	case !plainName(host), numericName(host):
		return errEndpointHost
	case slices.Contains(metadataNames, host):
		return errEndpointMeta
	case !allowPrivate && nearName(host):
		return errEndpointNear
	}
	return nil
}

// plainName holds for names of ASCII letters, digits, hyphens, underscores and dots. Others are converted on the way
// to the resolver, and can become an address there.
func plainName(host string) bool {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
	}
	return host != "" && !strings.ContainsFunc(host, odd) && !strings.Contains(host, "..") && host[0] != '.'
}

// numericName holds for addresses in decimal, octal or hexadecimal, such as 2852039166 and 0xa9.254.0251.254: some
// resolvers read them. As with browsers, the last part decides.
func numericName(host string) bool {
	last := host[strings.LastIndex(host, ".")+1:]
	digits, isHex := strings.CutPrefix(last, "0x")
	return (isHex && strings.Trim(digits, "0123456789abcdef") == "") || strings.Trim(last, "0123456789") == ""
}

// nearName holds for names of a local network, among them those without a dot, such as of a container.
func nearName(host string) bool {
	return !strings.Contains(host, ".") || slices.ContainsFunc(nearSuffixes, func(suffix string) bool {
		return host == suffix || strings.HasSuffix(host, "."+suffix)
	})
}

// bannedNetworks are never those of a model: link-local, metadata services, multicast, reserved.
var bannedNetworks = prefixes(
	"0.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"100.100.100.200/32", "168.63.129.16/32", // metadata of Alibaba Cloud, wire server of Azure
	"fe80::/10", "ff00::/8", "fd00:ec2::/32", "fd20:ce::254/128", // the last two: metadata of AWS and Google Cloud
)

// nearNetworks are this machine and private networks.
var nearNetworks = prefixes(
	"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15",
	"::1/128", "fc00::/7", "fec0::/10",
)

// embeddings are IPv6 networks that carry an IPv4 address, with the byte where it begins.
var embeddings = map[netip.Prefix]int{
	netip.MustParsePrefix("::/96"):        12,
	netip.MustParsePrefix("64:ff9b::/96"): 12, // NAT64
	netip.MustParsePrefix("2002::/16"):    2,  // 6to4
}

// CheckAddr judges the address that a model endpoint has, as [CheckEndpoint] does. An IPv4 address inside an IPv6 one
// is judged as itself.
func CheckAddr(addr netip.Addr, allowPrivate bool) error {
	addr = inner(addr.WithZone(""))
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	near := addr.IsUnspecified() // means this machine to most systems
	if !near && slices.ContainsFunc(bannedNetworks, within) {
		return errEndpointMeta
	}
	if near = near || slices.ContainsFunc(nearNetworks, within); near && !allowPrivate {
		return errEndpointNear
	}
	return nil
}

func inner(addr netip.Addr) netip.Addr {
	addr = addr.Unmap()
	if addr.IsLoopback() || addr.IsUnspecified() {
		return addr
	}
	for network, at := range embeddings {
		if network.Contains(addr) {
			raw := addr.As16()
			return netip.AddrFrom4([4]byte(raw[at : at+4]))
		}
	}
	return addr
}

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}
