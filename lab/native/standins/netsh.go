// netsh.exe: firewall rules and the WinHTTP proxy.
//
// Answers "advfirewall firewall add|show|delete rule" and "winhttp show|set|reset proxy". Rules are kept
// in the registry where Windows keeps them, in its grammar (rules.go). It differs: rules filter nothing,
// and those of a fresh Windows are not there.
//
// Recorded: "show rule" as published in the notes of dcos-diagnostics for Windows and in the tests
// of osquery's Windows firewall code; "No rules match the specified criteria." with exit code 1 as
// several projects' tests have it; winhttp from Microsoft's "Netsh commands for WinHTTP".

package main

import (
	"maps"
	"slices"
	"strings"
)

type netshState struct {
	Proxy *proxy `json:"proxy"`
}

type proxy struct{ Server, Bypass string }

func (c *call) netsh() int {
	words := strings.ToLower(strings.Join(c.args[:min(4, len(c.args))], " "))
	switch {
	case words == "advfirewall firewall add rule":
		return c.addRule(c.args[4:])
	case words == "advfirewall firewall show rule":
		return c.showRules(c.args[4:])
	case words == "advfirewall firewall delete rule":
		return c.deleteRules(c.args[4:])
	case words == "winhttp show proxy":
		return c.showProxy()
	case words == "winhttp reset proxy":
		return c.setProxy(nil)
	case strings.HasPrefix(words, "winhttp set proxy") && len(c.args) > 3:
		return c.setProxyFrom(c.args[3:])
	}
	return c.unknown()
}

// named reads "name=value" words; a first word without "=" is the rule's name.
func named(args []string) (rule, bool) {
	found := rule{}
	for i, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		if !ok && i == 0 && !strings.EqualFold(arg, "verbose") {
			name, value = "name", arg
		}
		found[strings.ToLower(name)] = value
	}
	for name := range found {
		if _, known := ruleWords[name]; !known && name != "verbose" {
			return nil, false
		}
	}
	return found, true
}

func (c *call) addRule(args []string) int {
	made, ok := named(args)
	if !ok {
		return c.unknown()
	}
	if made["name"] == "" || made["dir"] == "" || made["action"] == "" || strings.EqualFold(made["name"], "all") {
		c.print("\nA specified value is not valid.\n\n")
		return 1
	}
	if ports := made["localport"] + made["remoteport"]; ports != "" && !isPortProtocol(made["protocol"]) {
		c.print("\nLocalPort and RemotePort can only be used when protocol is TCP or UDP.\n\n")
		return 1
	}
	if err := c.host.setString(firewallKey, newRuleID(), made.registryText()); err != nil {
		return c.failed(err)
	}
	c.print("Ok.\n\n")
	return 0
}

func (c *call) showRules(args []string) int {
	asked, ok := named(args)
	if !ok || asked["name"] == "" {
		return c.unknown()
	}
	matching, err := c.matchingRules(asked)
	if err != nil {
		return c.failed(err)
	}
	_, verbose := asked["verbose"]
	shown := 0
	for _, id := range slices.Sorted(maps.Keys(matching)) {
		c.print(matching[id].text(verbose))
		shown++
	}
	if shown == 0 {
		c.print("\nNo rules match the specified criteria.\n\n")
		return 1
	}
	c.print("Ok.\n\n")
	return 0
}

func (c *call) deleteRules(args []string) int {
	asked, ok := named(args)
	if !ok || asked["name"] == "" {
		return c.unknown()
	}
	matching, err := c.matchingRules(asked)
	if err != nil {
		return c.failed(err)
	}
	if len(matching) == 0 {
		c.print("\nNo rules match the specified criteria.\n\n")
		return 1
	}
	for id := range matching {
		if err := c.host.deleteValue(firewallKey, id); err != nil {
			return c.failed(err)
		}
	}
	c.printf("\nDeleted %d rule(s).\nOk.\n\n", len(matching))
	return 0
}

func (c *call) showProxy() int {
	all := netshState{}
	if err := c.state.load("netsh", &all); err != nil {
		return c.failed(err)
	}
	c.print("\nCurrent WinHTTP proxy settings:\n\n")
	if all.Proxy == nil {
		c.print("    Direct access (no proxy server).\n\n")
		return 0
	}
	bypass := all.Proxy.Bypass
	if bypass == "" {
		bypass = "(none)"
	}
	c.printf("    Proxy Server(s) :  %s\n    Bypass List     :  %s\n\n", all.Proxy.Server, bypass)
	return 0
}

func (c *call) setProxyFrom(args []string) int {
	made := &proxy{}
	for i, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		switch {
		case strings.EqualFold(name, "proxy-server") && ok:
			made.Server = value
		case strings.EqualFold(name, "bypass-list") && ok:
			made.Bypass = value
		case i == 0:
			made.Server = arg
		case i == 1:
			made.Bypass = arg
		default:
			return c.unknown()
		}
	}
	return c.setProxy(made)
}

func (c *call) setProxy(wanted *proxy) int {
	all := netshState{}
	if err := c.state.update("netsh", &all, func() error { all.Proxy = wanted; return nil }); err != nil {
		return c.failed(err)
	}
	return c.showProxy()
}
