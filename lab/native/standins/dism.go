// dism.exe: Windows features, online only.
//
// Answers /Get-FeatureInfo, /Get-Features (list and /Format:Table), /Enable-Feature and
// /Disable-Feature with /Online. Enabling a feature leaves it "Enable Pending" until the lab reboots
// the host, and needs a restart (exit code 3010 with /NoRestart), as on Windows. It differs:
// only the features below exist, and enabling one adds no file.
//
// Recorded: Get-FeatureInfo and Disable-Feature of Windows 11 24H2 (10.0.26100.2033) as published in
// a write-up about the Recall feature, October 2024; codes and sentences of errors from Microsoft's
// "DISM operating system package servicing command-line options".

package main

import (
	"fmt"
	"sort"
	"strings"
)

const (
	restartRequired = 3010
	unknownFeature  = 0x800f080c
	bootFile        = "boot" // written by the lab at each boot of the host
)

// feature is one Windows feature; Boot is the number of the boot its pending state waits to end.
type feature struct {
	State string `json:"state"`
	Boot  int    `json:"boot"`
}

type featureText struct{ display, description string }

var knownFeatures = map[string]featureText{
	"Containers":                              {"Containers", "Provides services and tools to create and manage Windows Server Containers and their resources."},
	"Microsoft-Hyper-V":                       {"Hyper-V", "Hyper-V"},
	"Microsoft-Hyper-V-Online":                {"Hyper-V Hypervisor", "Hyper-V Hypervisor"},
	"Microsoft-Hyper-V-Management-PowerShell": {"Hyper-V Module for Windows PowerShell", "Hyper-V Module for Windows PowerShell"},
	"VirtualMachinePlatform":                  {"Virtual Machine Platform", "Enables platform support for virtual machines"},
}

func (c *call) dism() int {
	options, rest := switches(c.args)
	_, online := options["online"]
	if !online || len(rest) > 0 {
		return c.unknown()
	}
	c.printf("\nDeployment Image Servicing and Management tool\nVersion: 10.0.%s.1\n\nImage Version: 10.0.%s.%s\n\n",
		c.host.version("CurrentBuildNumber"), c.host.version("CurrentBuildNumber"), c.host.version("UBR"))
	for verb, run := range map[string]func(map[string]string) int{
		"get-features": c.getFeatures, "get-featureinfo": c.getFeatureInfo,
		"enable-feature": c.enableFeature, "disable-feature": c.disableFeature,
	} {
		if _, asked := options[verb]; asked {
			return run(options)
		}
	}
	return c.unknown()
}

// features is every known feature as it is now: what was pending is settled by a boot since.
func (c *call) features() (map[string]*feature, int, error) {
	boot := struct {
		Number int `json:"number"`
	}{}
	if err := c.state.load(bootFile, &boot); err != nil {
		return nil, 0, err
	}
	found := map[string]*feature{}
	if err := c.state.load("dism", &found); err != nil {
		return nil, 0, err
	}
	c.settle(found, boot.Number)
	return found, boot.Number, nil
}

func (c *call) settle(found map[string]*feature, boot int) {
	for name := range knownFeatures {
		if found[name] == nil {
			found[name] = &feature{State: "Disabled"}
		}
	}
	for _, one := range found {
		if one.Boot < boot {
			one.State = strings.Replace(one.State, " Pending", "d", 1)
		}
	}
}

// find is the feature an option names, in any case.
func (c *call) find(options map[string]string) (string, bool) {
	asked := options["featurename"]
	for name := range knownFeatures {
		if strings.EqualFold(name, asked) {
			return name, true
		}
	}
	c.printf("\nError: %#x\n\nFeature name %s is unknown.\nA Windows feature name was not recognized.\n"+
		"Use the /Get-Features option to find the name of the feature in the image and try the command again.\n\n"+
		"The DISM log file can be found at C:\\Windows\\Logs\\DISM\\dism.log\n", unknownFeature, asked)
	return "", false
}

func (c *call) getFeatureInfo(options map[string]string) int {
	name, ok := c.find(options)
	if !ok {
		return unknownFeature
	}
	found, _, err := c.features()
	if err != nil {
		return c.failed(err)
	}
	c.printf("Feature Information:\n\nFeature Name : %s\nDisplay Name : %s\nDescription : %s\nRestart Required : Possible\nState : %s\n\n"+
		"Custom Properties:\n\n(No custom properties found)\n\nThe operation completed successfully.\n",
		name, knownFeatures[name].display, knownFeatures[name].description, found[name].State)
	return 0
}

func (c *call) getFeatures(options map[string]string) int {
	found, _, err := c.features()
	if err != nil {
		return c.failed(err)
	}
	var names []string
	for name := range found {
		names = append(names, name)
	}
	sort.Strings(names)
	c.printf("Features listing for package : Microsoft-Windows-ServerCore-Package~31bf3856ad364e35~amd64~~10.0.%s.1\n\n", c.host.version("CurrentBuildNumber"))
	if strings.EqualFold(options["format"], "table") {
		c.printf("\n%-45s | %s\n%s | %s\n", "Feature Name", "State", strings.Repeat("-", 45), strings.Repeat("-", 15))
		for _, name := range names {
			c.printf("%-45s | %s\n", name, found[name].State)
		}
	} else {
		for _, name := range names {
			c.printf("Feature Name : %s\nState : %s\n\n", name, found[name].State)
		}
	}
	c.print("\nThe operation completed successfully.\n")
	return 0
}

func (c *call) enableFeature(options map[string]string) int {
	return c.changeFeature(options, "Enabling", "Enabled", "Enable Pending")
}

func (c *call) disableFeature(options map[string]string) int {
	return c.changeFeature(options, "Disabling", "Disabled", "Disable Pending")
}

func (c *call) changeFeature(options map[string]string, doing, wanted, pending string) int {
	name, ok := c.find(options)
	if !ok {
		return unknownFeature
	}
	_, noRestart := options["norestart"]
	if _, quiet := options["quiet"]; !noRestart && !quiet {
		c.host.unknown(c.name, c.args)
		fmt.Fprint(c.err, "lab stand-in for dism: without /NoRestart or /Quiet the original asks a question\r\n")
		return 1
	}
	changed := false
	found := map[string]*feature{}
	_, boot, err := c.features()
	if err != nil {
		return c.failed(err)
	}
	err = c.state.update("dism", &found, func() error {
		c.settle(found, boot)
		if found[name].State != wanted {
			changed = true
			found[name] = &feature{State: pending, Boot: boot}
		}
		return nil
	})
	if err != nil {
		return c.failed(err)
	}
	c.printf("%s feature(s)\n[==========================100.0%%==========================]\nThe operation completed successfully.\n", doing)
	if !changed {
		return 0
	}
	c.print("Restart Windows to complete this operation.\n")
	return restartRequired
}
