// route.exe: persistent IPv4 routes, which Wine has no program for.
//
// Answers "-p add ADDRESS mask MASK GATEWAY" and "delete ADDRESS mask MASK". The route is written to the
// registry where Windows keeps persistent routes, and made in the host's own network by the HNS
// stand-in, on the adapter of the default route. It differs: no other adapter, metric or print.
//
// Recorded: " OK!" and the sentence about an element not found from Microsoft's "route" documentation.

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
)

const persistentRoutes = `SYSTEM\CurrentControlSet\Services\Tcpip\Parameters\PersistentRoutes`

func (c *call) route() int {
	words := c.args
	switch {
	case len(words) == 6 && strings.EqualFold(words[0], "-p") && strings.EqualFold(words[1], "add") && strings.EqualFold(words[3], "mask"):
		return c.addRoute(words[2], words[4], words[5])
	case len(words) == 4 && strings.EqualFold(words[0], "delete") && strings.EqualFold(words[2], "mask"):
		return c.deleteRoute(words[1], words[3])
	}
	return c.unknown()
}

// prefix is an address and a mask as one.
func prefix(address, mask string) (string, bool) {
	number := net.ParseIP(mask).To4()
	if net.ParseIP(address).To4() == nil || number == nil {
		return "", false
	}
	length, _ := net.IPMask(number).Size()
	return fmt.Sprintf("%s/%d", address, length), true
}

// changeRoute runs one route cmdlet on the default adapter.
func (c *call) changeRoute(verb, destination, gateway string) error {
	text, ok := c.host.cmdlet("Get-NetRoute | Where { $_.DestinationPrefix -eq '0.0.0.0/0' }")
	found := struct {
		Index int `json:"ifIndex"`
	}{}
	if !ok || json.Unmarshal([]byte(text), &found) != nil {
		return fmt.Errorf("no default route: %s", text)
	}
	command := fmt.Sprintf("%s-NetRoute -InterfaceIndex %d -DestinationPrefix %s -NextHop %s", verb, found.Index, destination, gateway)
	if text, ok := c.host.cmdlet(command); !ok {
		return fmt.Errorf("%s", text)
	}
	return nil
}

func (c *call) addRoute(address, mask, gateway string) int {
	destination, ok := prefix(address, mask)
	if !ok || net.ParseIP(gateway).To4() == nil {
		return c.unknown()
	}
	if err := c.changeRoute("New", destination, gateway); err != nil {
		fmt.Fprintf(c.err, "The route addition failed: %v\r\n", err)
		return 1
	}
	if err := c.host.setString(persistentRoutes, strings.Join([]string{address, mask, gateway, "1"}, ","), ""); err != nil {
		return c.failed(err)
	}
	c.print(" OK!\n")
	return 0
}

func (c *call) deleteRoute(address, mask string) int {
	destination, ok := prefix(address, mask)
	if !ok {
		return c.unknown()
	}
	kept, err := c.host.stringValues(persistentRoutes)
	if err != nil {
		return c.failed(err)
	}
	for name := range kept {
		parts := strings.Split(name, ",")
		if len(parts) < 3 || parts[0] != address || parts[1] != mask {
			continue
		}
		if err := c.changeRoute("Remove", destination, parts[2]); err != nil {
			fmt.Fprintf(c.err, "%v\r\n", err) // not active is not persistent's fault
		}
		if err := c.host.deleteValue(persistentRoutes, name); err != nil {
			return c.failed(err)
		}
		c.print(" OK!\n")
		return 0
	}
	fmt.Fprint(c.err, "The route deletion failed: Element not found.\r\n")
	return 1
}
