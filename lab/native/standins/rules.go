// Firewall rules as netsh words them, as it shows them, and as the registry keeps them.
//
// The registry's grammar is that of Microsoft's [MS-GPFAS] 2.2.2.19, "v2.31|Action=Allow|Active=TRUE|...|";
// of its fields those are written that "netsh advfirewall firewall add rule" can set.

package main

import (
	"crypto/rand"
	"fmt"
	"strings"
)

const firewallKey = `SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy\FirewallRules`

// rule is one firewall rule: the words of "add rule" by name.
type rule map[string]string

// ruleWords are the words "add rule" takes, with what they are when not given.
var ruleWords = map[string]string{
	"name": "", "dir": "", "action": "", "program": "", "service": "", "description": "", "enable": "yes",
	"profile": "any", "localip": "any", "remoteip": "any", "localport": "any", "remoteport": "any", "protocol": "any",
	"interfacetype": "any", "edge": "no", "security": "notrequired",
}

var protocolNumbers = map[string]string{"tcp": "6", "udp": "17", "icmpv4": "1", "icmpv6": "58"}

// registryFields are the fields that are a word's value as it is, or each of its values.
var registryFields = []struct{ field, word string }{
	{"Profile", "profile"}, {"LPort", "localport"}, {"RPort", "remoteport"}, {"LA4", "localip"}, {"RA4", "remoteip"},
	{"App", "program"}, {"Svc", "service"}, {"Name", "name"}, {"Desc", "description"},
}

func newRuleID() string {
	id := make([]byte, 16)
	rand.Read(id) // never fails
	return fmt.Sprintf("{%X-%X-%X-%X-%X}", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// registryText is a rule as Windows keeps it.
func (r rule) registryText() string {
	active := strings.ToUpper(fmt.Sprint(strings.EqualFold(r.word("enable"), "yes")))
	text := fmt.Sprintf("v2.31|Action=%s|Active=%s|Dir=%s|", titled(r["action"]), active, titled(r["dir"]))
	if protocol := strings.ToLower(r.word("protocol")); protocol != "any" {
		if number := protocolNumbers[protocol]; number != "" {
			protocol = number
		}
		text += "Protocol=" + protocol + "|"
	}
	for _, one := range registryFields {
		value := r.word(one.word)
		if value == "" || strings.EqualFold(value, "any") {
			continue
		}
		values := []string{value}
		if one.field != "Name" && one.field != "Desc" && one.field != "App" {
			values = strings.Split(value, ",")
		}
		for _, part := range values {
			field := one.field
			if strings.HasSuffix(field, "Port") && strings.Contains(part, "-") {
				field += "2_10" // a range
			}
			if field == "Profile" {
				part = titled(part)
			}
			text += field + "=" + part + "|"
		}
	}
	if strings.EqualFold(r.word("edge"), "yes") {
		text += "Edge=TRUE|"
	}
	return text
}

// ruleFrom reads a rule as Windows keeps it.
func ruleFrom(text string) rule {
	made := rule{}
	for _, field := range strings.Split(text, "|") {
		name, value, ok := strings.Cut(field, "=")
		if !ok {
			continue
		}
		switch name {
		case "Action":
			made["action"] = strings.ToLower(value)
		case "Dir":
			made["dir"] = strings.ToLower(value)
		case "Active":
			made["enable"] = map[bool]string{true: "yes", false: "no"}[value == "TRUE"]
		case "Edge":
			made["edge"] = "yes"
		case "Protocol":
			made["protocol"] = value
			for word, number := range protocolNumbers {
				if number == value {
					made["protocol"] = word
				}
			}
		}
		for _, one := range registryFields {
			if one.field != strings.TrimSuffix(name, "2_10") {
				continue
			}
			if before := made[one.word]; before != "" {
				value = before + "," + value
			}
			made[one.word] = value
		}
	}
	return made
}

// matchingRules are the rules asked for, by their id.
func (c *call) matchingRules(asked rule) (map[string]rule, error) {
	all, err := c.host.stringValues(firewallKey)
	if err != nil {
		return nil, err
	}
	found := map[string]rule{}
	for id, text := range all {
		if one := ruleFrom(text); selects(asked, one) {
			found[id] = one
		}
	}
	return found, nil
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

func isPortProtocol(protocol string) bool {
	return strings.EqualFold(protocol, "tcp") || strings.EqualFold(protocol, "udp") || protocol == "6" || protocol == "17"
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
