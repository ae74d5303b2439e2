// netsh.exe: firewall rules and the WinHTTP proxy.
//
// Answers "advfirewall firewall add|show|delete rule" and "winhttp show|set|reset proxy". It differs:
// rules are kept and shown, but filter nothing, and the rules of a fresh Windows are not there.
//
// Recorded: "show rule" as published in the notes of dcos-diagnostics for Windows and in the tests
// of osquery's Windows firewall code; "No rules match the specified criteria." with exit code 1 as
// several projects' tests have it; winhttp from Microsoft's "Netsh commands for WinHTTP".

package main

import (
	"errors"
	"strings"
)

// rule is one firewall rule: the words of "add rule" by name.
type rule map[string]string

type netshState struct {
	Rules []rule `json:"rules"`
	Proxy *proxy `json:"proxy"`
}

type proxy struct{ Server, Bypass string }

// ruleWords are the words "add rule" takes, with what they are when not given.
var ruleWords = map[string]string{
	"name": "", "dir": "", "action": "", "program": "", "service": "", "description": "", "enable": "yes",
	"profile": "any", "localip": "any", "remoteip": "any", "localport": "any", "remoteport": "any", "protocol": "any",
	"interfacetype": "any", "edge": "no", "security": "notrequired",
}

var errNoRule = errors.New("no rules match")

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
	all := netshState{}
	if err := c.state.update("netsh", &all, func() error { all.Rules = append(all.Rules, made); return nil }); err != nil {
		return c.failed(err)
	}
	c.print("Ok.\n\n")
	return 0
}

func isPortProtocol(protocol string) bool {
	return strings.EqualFold(protocol, "tcp") || strings.EqualFold(protocol, "udp") || protocol == "6" || protocol == "17"
}

// selects says whether a rule is one of those asked for: by name, and by every other word given.
func selects(asked, one rule) bool {
	for name, value := range asked {
		if name == "verbose" || name == "name" && strings.EqualFold(value, "all") {
			continue
		}
		if !strings.EqualFold(value, one.word(name)) {
			return false
		}
	}
	return true
}

func (r rule) word(name string) string {
	if value, ok := r[name]; ok {
		return value
	}
	return ruleWords[name]
}

func (c *call) showRules(args []string) int {
	asked, ok := named(args)
	if !ok || asked["name"] == "" {
		return c.unknown()
	}
	all := netshState{}
	if err := c.state.load("netsh", &all); err != nil {
		return c.failed(err)
	}
	_, verbose := asked["verbose"]
	shown := 0
	for _, one := range all.Rules {
		if selects(asked, one) {
			c.print(one.text(verbose))
			shown++
		}
	}
	if shown == 0 {
		c.print("\nNo rules match the specified criteria.\n\n")
		return 1
	}
	c.print("Ok.\n\n")
	return 0
}

// text is a rule as "show rule" prints it.
func (r rule) text(verbose bool) string {
	profiles := titled(r.word("profile"))
	if strings.EqualFold(r.word("profile"), "any") {
		profiles = "Domain,Private,Public"
	}
	var text strings.Builder
	line := func(label, value string) {
		text.WriteString(strings.TrimRight(pad(label+":", 38)+value, " ") + "\n")
	}
	text.WriteString("\n")
	line("Rule Name", r["name"])
	text.WriteString(strings.Repeat("-", 70) + "\n")
	if description := r["description"]; verbose && description != "" {
		line("Description", description)
	}
	line("Enabled", titled(r.word("enable")))
	line("Direction", titled(r.word("dir")))
	line("Profiles", profiles)
	line("Grouping", "")
	line("LocalIP", titled(r.word("localip")))
	line("RemoteIP", titled(r.word("remoteip")))
	protocol := r.word("protocol")
	if !strings.EqualFold(protocol, "any") {
		protocol = strings.ToUpper(protocol)
	} else {
		protocol = "Any"
	}
	line("Protocol", protocol)
	if isPortProtocol(protocol) {
		line("LocalPort", titled(r.word("localport")))
		line("RemotePort", titled(r.word("remoteport")))
	}
	line("Edge traversal", titled(r.word("edge")))
	if verbose {
		if program := r["program"]; program != "" {
			line("Program", program)
		}
		if service := r["service"]; service != "" {
			line("Service", service)
		}
		line("InterfaceTypes", titled(r.word("interfacetype")))
		line("Security", "NotRequired")
		line("Rule source", "Local Setting")
	}
	line("Action", titled(r.word("action")))
	return text.String()
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-len(text)))
}

// titled is each comma-separated word with a capital.
func titled(text string) string {
	words := strings.Split(text, ",")
	for i, word := range words {
		if word != "" {
			words[i] = strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
		}
	}
	return strings.Join(words, ",")
}

func (c *call) deleteRules(args []string) int {
	asked, ok := named(args)
	if !ok || asked["name"] == "" {
		return c.unknown()
	}
	all, deleted := netshState{}, 0
	err := c.state.update("netsh", &all, func() error {
		var kept []rule
		for _, one := range all.Rules {
			if selects(asked, one) {
				deleted++
			} else {
				kept = append(kept, one)
			}
		}
		all.Rules = kept
		if deleted == 0 {
			return errNoRule
		}
		return nil
	})
	if errors.Is(err, errNoRule) {
		c.print("\nNo rules match the specified criteria.\n\n")
		return 1
	}
	if err != nil {
		return c.failed(err)
	}
	c.printf("\nDeleted %d rule(s).\nOk.\n\n", deleted)
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
