// Package admit decides which requests are served: it tells clients apart by their networks, limits how many requests work at once,
// and bounds what each client takes of memory and connections.
package admit

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// ParseProxies reads addresses and networks, as in "10.0.0.0/8".
func ParseProxies(given []string) (Proxies, error) {
	var proxies Proxies
	for _, text := range given {
		network, err := netip.ParsePrefix(text)
		if address, notAddress := netip.ParseAddr(text); notAddress == nil {
			address = address.Unmap().WithZone("")
			network, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, errors.New("trusted proxies: each must be an address or a network, as in 10.0.0.0/8")
		}
		proxies = append(proxies, network)
	}
	return proxies, nil
}

// Trust reports whether an address is a proxy's.
func (p Proxies) Trust(address netip.Addr) bool {
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(address) })
}

// Client returns the address of the client that sent a request: the peer of the connection or, while that is a trusted proxy, the
// address that it appended to X-Forwarded-For. So the header is read from the right, over all of its lines, and what a client wrote
// into it counts for nothing. What isn't an address ends the walk at the proxy that passed it on. It returns the zero
// address where the connection's peer has none.
func (p Proxies) Client(r *http.Request) netip.Addr {
	client := parseAddress(r.RemoteAddr)
	if !p.Trust(client) {
		return client
	}
	hops := strings.Join(r.Header.Values("X-Forwarded-For"), ",")
	for hops != "" && p.Trust(client) {
		last := strings.LastIndexByte(hops, ',')
		hop := parseAddress(strings.TrimSpace(hops[last+1:]))
		if !hop.IsValid() {
			break
		}
		client, hops = hop, hops[:max(last, 0)]
	}
	return client
}

// parseAddress reads an address with or without port, in brackets or not. It returns the zero address for anything else.
func parseAddress(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	address, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return address.Unmap().WithZone("")
}

// Networks returns what an address is counted by, the narrowest first: an IPv4 address by itself; an IPv6 one by its /64, which a
// single host has whole, and by its /48, which is the most that one site is commonly given (RFC 6177).
func Networks(address netip.Addr) []netip.Prefix {
	if !address.Is6() {
		return []netip.Prefix{netip.PrefixFrom(address, address.BitLen())}
	}
	host, _ := address.Prefix(64) // no error: the length fits
	site, _ := address.Prefix(48)
	return []netip.Prefix{host, site}
}
