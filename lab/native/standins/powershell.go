// powershell.exe: not PowerShell. It answers, word for word, the few commands that upstream programs
// run through it.
//
//   - kubelet (subPath volumes): LinkType and Target of $env:linkpath
//   - kubeadm (preflight): ProductName and version of Windows, from the registry
//   - flanneld: Get-, New- and Remove-NetRoute and Set-NetIPInterface, done by the HNS stand-in on the
//     host's own interfaces and routes
//   - Transom: whose its folders are (folders.go); Add- and Remove-MpPreference for processes, kept in the registry where Defender keeps them
//
// The texts of the commands are those of kubernetes v1.36 and v1.37 (pkg/volume/util/subpath,
// cmd/kubeadm/app/preflight and k8s.io/system-validators) and of flannel v0.28.0 (pkg/routing).

package main

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	linkItem       = "$ErrorActionPreference = 'Stop'; (Get-Item -Force -LiteralPath $env:linkpath)"
	versionItem    = `Get-ItemProperty -Path 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'`
	productCommand = "(" + versionItem + ").ProductName"
	versionCommand = "$props = " + versionItem + `; "$($props.CurrentMajorVersionNumber).$($props.CurrentMinorVersionNumber).$($props.CurrentBuildNumber)"`
)

const exclusionKey = `SOFTWARE\Microsoft\Windows Defender\Exclusions\Processes`

var exclusionCommand = regexp.MustCompile(`^(Add|Remove)-MpPreference -ExclusionProcess '((?:[^']|'')+)' -ErrorAction Stop$`)

var networkCmdlets = []string{"Get-NetRoute", "New-NetRoute", "Remove-NetRoute", "Set-NetIPInterface"}

// script is the command text: what follows -Command or /c, or everything, without the switches
// that change nothing here.
func script(args []string) string {
	for i, arg := range args {
		switch strings.ToLower(strings.TrimLeft(arg, "-/")) {
		case "command", "c":
			return strings.Join(args[i+1:], " ")
		case "nologo", "noprofile", "noninteractive":
		default:
			return strings.Join(args[i:], " ")
		}
	}
	return ""
}

func (c *call) powershell() int {
	if last := len(c.args) - 1; last > 0 && strings.EqualFold(c.args[last-1], "-EncodedCommand") {
		return c.encodedCommand(c.args[last])
	}
	command := script(c.args)
	switch command {
	case linkItem + ".LinkType", linkItem + ".Target":
		target, err := c.host.readlink(c.host.environment("linkpath"))
		if err != nil {
			fmt.Fprintln(c.err, err)
			return 1
		}
		if target != "" && strings.HasSuffix(command, ".LinkType") {
			target = "SymbolicLink"
		}
		if target != "" {
			c.print(target + "\n")
		}
		return 0
	case productCommand:
		c.print(c.host.version("ProductName") + "\n")
		return 0
	case versionCommand:
		c.printf("%s.%s.%s\n", c.host.version("CurrentMajorVersionNumber"), c.host.version("CurrentMinorVersionNumber"), c.host.version("CurrentBuildNumber"))
		return 0
	}
	if found := exclusionCommand.FindStringSubmatch(command); found != nil {
		return c.exclude(found[1] == "Add", strings.ReplaceAll(found[2], "''", "'"))
	}
	for _, cmdlet := range networkCmdlets {
		if strings.Contains(command, cmdlet) {
			return c.networkCmdlet(command)
		}
	}
	return c.unknown()
}

func (c *call) networkCmdlet(command string) int {
	text, ok := c.host.cmdlet(command)
	if !ok {
		c.host.unknown(c.name, c.args)
		fmt.Fprintln(c.err, text)
		fmt.Fprint(c.out, text) // flanneld reads the reason from standard output
		return 1
	}
	c.print(text)
	return 0
}

func (c *call) exclude(add bool, process string) int {
	change := func() error { return c.host.deleteValue(exclusionKey, process) }
	if add {
		change = func() error { return c.host.setNumber(exclusionKey, process, 0) }
	}
	if err := change(); err != nil {
		return c.failed(err)
	}
	return 0
}
