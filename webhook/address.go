// Package webhook tells subscribers of new items by signed requests, without letting them reach the networks that it runs in. It knows
// neither how items and subscribers are stored nor what is in an item.
package webhook

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// special are the blocks that IANA's registries of special-purpose addresses don't call globally reachable, the multicast blocks, what
// IPv4 addresses hide in (6to4, Teredo), and Azure's metadata, which has an address of the public internet.
var special = func() (blocks []netip.Prefix) {
	for _, block := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		blocks = append(blocks, netip.MustParsePrefix(block))
	}
	return blocks
}()

// globalUnicast is all of IPv6 that IANA has given out: loopback, link-local, unique local, multicast, IPv4-mapped and NAT64
// addresses are outside.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// Public reports whether an address is one of the public internet.
func Public(address netip.Addr) bool {
	address = address.Unmap()
	if address.Zone() != "" || address.Is6() && !globalUnicast.Contains(address) || !address.IsValid() {
		return false
	}
	return !slices.ContainsFunc(special, func(block netip.Prefix) bool { return block.Contains(address) })
}

// MayReach reports whether a host can be of the public internet by the way it is written: an address that is Public, or a name. Where a name
// leads is seen when it is dialled. No top-level domain begins with a digit, but 2130706433, 127.1 and 0x7f000001 are addresses to some
// resolvers.
func MayReach(host string) bool {
	if address, err := netip.ParseAddr(strings.TrimSuffix(host, ".")); err == nil {
		return Public(address)
	}
	labels := strings.Split(strings.TrimSuffix(strings.ToLower(host), "."), ".")
	last := labels[len(labels)-1]
	return last != "" && last != "localhost" && (last[0] < '0' || last[0] > '9')
}

// Ports are the ports that webhooks may be sent to beside 443.
type Ports []uint16

// httpsPort is the port of https.
const httpsPort = 443

// Allow reports whether a webhook may be sent to a port, as an address has it; "" is that of https. On other ports of the same addresses
// other programs listen, which are not to hear of a service that sends what somebody chose.
func (p Ports) Allow(port string) bool {
	if port == "" {
		return true
	}
	number, err := strconv.ParseUint(port, 10, 16)
	return err == nil && (number == httpsPort || slices.Contains(p, uint16(number)))
}

// errAddress says that a name leads where no webhook may.
type errAddress struct{ error }

// control refuses a connection to what is not allowed. It sees the address that is dialled, after the name was resolved: a name that
// leads elsewhere the second time gains nothing.
func control(allowed func(netip.Addr) bool, ports Ports) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		dialled, err := netip.ParseAddrPort(address)
		switch {
		case err != nil || !allowed(dialled.Addr()):
			return errAddress{errors.New("not an address of the public internet")}
		case !ports.Allow(strconv.Itoa(int(dialled.Port()))):
			return errAddress{errors.New("a port that is not allowed")}
		}
		return nil
	}
}
