// sc.exe: the service manager's command line. Wine's own lacks qc and prints less.
//
// Answers query, queryex, qc, qdescription, qfailure, create, config, description, failure,
// failureflag, sidtype, start, stop and delete, on Wine's real service manager. It differs: failure
// actions, their flag and the SID type are kept and shown by the stand-in alone, since Wine's manager
// does not know them: nothing restarts a service that fails.
//
// Recorded: qc, query, start and error texts as published in many write-ups of Windows services
// (qc of AppReadiness, SNMPTRAP and MySQL among them); qfailure from Microsoft's "Sc qfailure".

package main

import (
	"errors"
	"fmt"
	"strings"
)

// winError is a Win32 error of the service manager.
type winError int

func (e winError) Error() string { return fmt.Sprintf("error %d", int(e)) }

var winErrorTexts = map[winError]string{
	5:    "Access is denied.",
	87:   "The parameter is incorrect.",
	1051: "A stop control has been sent to a service that other running services are dependent on.",
	1053: "The service did not respond to the start or control request in a timely fashion.",
	1056: "An instance of the service is already running.",
	1058: "The service cannot be started, either because it is disabled or because it has no enabled devices associated with it.",
	1060: "The specified service does not exist as an installed service.",
	1061: "The service cannot accept control messages at this time.",
	1062: "The service has not been started.",
	1068: "The dependency service or group failed to start.",
	1072: "The specified service has been marked for deletion.",
	1073: "The specified service already exists.",
}

type serviceStatus struct {
	Type, State, Accepts, Exit, ServiceExit, CheckPoint, WaitHint, PID uint32
}

type serviceConfig struct {
	Type, Start, ErrorControl          uint32
	Binary, Display, Account, Password string
	Description                        string
	Dependencies                       []string
}

// services is the service manager; errors are winError.
type services interface {
	names() ([]string, error)
	status(name string) (serviceStatus, error)
	config(name string) (serviceConfig, error)
	create(name string, config serviceConfig) error
	change(name string, config serviceConfig) error
	start(name string, args []string) error
	stop(name string) (serviceStatus, error)
	remove(name string) error
}

// extra is what Wine's manager does not keep of a service.
type extra struct {
	Reset   string `json:"reset"`
	Reboot  string `json:"reboot"`
	Command string `json:"command"`
	Actions string `json:"actions"`
	Flag    string `json:"flag"`
	SID     string `json:"sid"`
}

var (
	startTypes = []string{"boot", "system", "auto", "demand", "disabled"}
	startTexts = []string{"BOOT_START", "SYSTEM_START", "AUTO_START", "DEMAND_START", "DISABLED"}
	errorTypes = []string{"ignore", "normal", "severe", "critical"}
	stateTexts = []string{"", "STOPPED", "START_PENDING", "STOP_PENDING", "RUNNING", "CONTINUE_PENDING", "PAUSE_PENDING", "PAUSED"}
)

func (c *call) sc() int {
	if len(c.args) == 0 {
		return c.unknown()
	}
	verb := strings.ToLower(c.args[0])
	manager, err := c.host.services()
	if err != nil {
		return c.failed(err)
	}
	if len(c.args) == 1 {
		if verb == "query" || verb == "queryex" {
			return c.queryAll(manager, verb == "queryex")
		}
		return c.unknown()
	}
	name, rest := c.args[1], c.args[2:]
	switch verb {
	case "query", "queryex":
		found, err := manager.status(name)
		if err != nil {
			return c.scFailed("EnumQueryServicesStatus:OpenService", err)
		}
		c.print(statusText(name, found, verb == "queryex"))
		return 0
	case "qc", "qdescription":
		return c.queryConfig(manager, verb, name)
	case "qfailure":
		return c.queryFailure(manager, name)
	case "create", "config":
		return c.changeConfig(manager, verb, name, rest)
	case "description":
		return c.describe(manager, name, rest)
	case "failure", "failureflag", "sidtype":
		return c.changeExtra(manager, verb, name, rest)
	case "start":
		return c.startService(manager, name, rest)
	case "stop":
		stopping, err := manager.stop(name)
		if err != nil {
			return c.scFailed(opening(err, "ControlService"), err)
		}
		c.print(statusText(name, stopping, false))
		return 0
	case "delete":
		if err := manager.remove(name); err != nil {
			return c.scFailed(opening(err, "DeleteService"), err)
		}
		c.print("[SC] DeleteService SUCCESS\n")
		return 0
	}
	return c.unknown()
}

// opening names the function that failed: the service could not be opened, or what came after.
func opening(err error, after string) string {
	if errors.Is(err, winError(1060)) {
		return "OpenService"
	}
	return after
}

func (c *call) scFailed(function string, err error) int {
	var code winError
	if !errors.As(err, &code) {
		return c.failed(err)
	}
	text := winErrorTexts[code]
	if text == "" {
		text = "Unknown error."
	}
	c.printf("[SC] %s FAILED %d:\n\n%s\n\n", function, int(code), text)
	return int(code)
}

func (c *call) queryAll(manager services, extended bool) int {
	names, err := manager.names()
	if err != nil {
		return c.scFailed("EnumServicesStatus", err)
	}
	for _, name := range names {
		found, err := manager.status(name)
		if err == nil && stateTexts[found.State] != "STOPPED" {
			c.print(statusText(name, found, extended))
		}
	}
	return 0
}

// typeText is a service type as sc prints it.
func typeText(kind uint32) string {
	names := map[uint32]string{1: "KERNEL_DRIVER", 2: "FILE_SYSTEM_DRIVER", 0x10: "WIN32_OWN_PROCESS", 0x20: "WIN32_SHARE_PROCESS"}
	return fmt.Sprintf("%x  %s ", kind, names[kind&0x3f])
}

// statusText is a service as query and start print it.
func statusText(name string, s serviceStatus, extended bool) string {
	state := ""
	if int(s.State) < len(stateTexts) {
		state = stateTexts[s.State]
	}
	accepts := func(bit uint32, yes, no string) string {
		if s.Accepts&bit != 0 {
			return yes
		}
		return no
	}
	text := fmt.Sprintf("\nSERVICE_NAME: %s \n        TYPE               : %s \n        STATE              : %d  %s \n", name, typeText(s.Type), s.State, state)
	text += fmt.Sprintf("                                (%s, %s, %s)\n", accepts(1, "STOPPABLE", "NOT_STOPPABLE"),
		accepts(2, "PAUSABLE", "NOT_PAUSABLE"), accepts(4, "ACCEPTS_SHUTDOWN", "IGNORES_SHUTDOWN"))
	text += fmt.Sprintf("        WIN32_EXIT_CODE    : %d  (%#x)\n        SERVICE_EXIT_CODE  : %d  (%#x)\n", s.Exit, s.Exit, s.ServiceExit, s.ServiceExit)
	text += fmt.Sprintf("        CHECKPOINT         : %#x\n        WAIT_HINT          : %#x\n", s.CheckPoint, s.WaitHint)
	if extended {
		text += fmt.Sprintf("        PID                : %d\n        FLAGS              : \n", s.PID)
	}
	return text
}

func (c *call) queryConfig(manager services, verb, name string) int {
	found, err := manager.config(name)
	if err != nil {
		return c.scFailed("OpenService", err)
	}
	if verb == "qdescription" {
		c.printf("[SC] QueryServiceConfig2 SUCCESS\n\nSERVICE_NAME: %s\nDESCRIPTION:  %s\n", name, found.Description)
		return 0
	}
	start := fmt.Sprintf("%d   %s", found.Start, startTexts[min(int(found.Start), len(startTexts)-1)])
	errorText := strings.ToUpper(errorTypes[min(int(found.ErrorControl), len(errorTypes)-1)])
	c.printf("[SC] QueryServiceConfig SUCCESS\n\nSERVICE_NAME: %s\n        TYPE               : %s\n        START_TYPE         : %s\n"+
		"        ERROR_CONTROL      : %d   %s\n        BINARY_PATH_NAME   : %s  \n        LOAD_ORDER_GROUP   : \n        TAG                : 0  \n"+
		"        DISPLAY_NAME       : %s  \n        DEPENDENCIES       : %s  \n        SERVICE_START_NAME : %s  \n",
		name, typeText(found.Type), start, found.ErrorControl, errorText, found.Binary, found.Display,
		strings.Join(found.Dependencies, "  \n                           : "), found.Account)
	return 0
}

// assignments reads sc's "name= value" pairs, also written "name=value".
func assignments(args []string) (map[string]string, bool) {
	found := map[string]string{}
	for i := 0; i < len(args); i++ {
		name, value, ok := strings.Cut(args[i], "=")
		if !ok {
			return nil, false
		}
		if value == "" && i+1 < len(args) {
			i++
			value = args[i]
		}
		found[strings.ToLower(name)] = value
	}
	return found, true
}

func index(words []string, word string) (uint32, bool) {
	for i, one := range words {
		if strings.EqualFold(one, word) {
			return uint32(i), true
		}
	}
	return 0, false
}

// apply puts what was asked into a configuration; false if a word is not known.
func apply(config *serviceConfig, asked map[string]string) bool {
	for name, value := range asked {
		ok := true
		switch name {
		case "binpath":
			config.Binary = value
		case "displayname":
			config.Display = value
		case "obj":
			config.Account = value
		case "password":
			config.Password = value
		case "depend":
			config.Dependencies = strings.FieldsFunc(value, func(r rune) bool { return r == '/' })
		case "start":
			config.Start, ok = index(startTypes, strings.TrimPrefix(strings.ToLower(value), "delayed-"))
		case "error":
			config.ErrorControl, ok = index(errorTypes, value)
		case "type":
			ok = strings.EqualFold(value, "own")
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

func (c *call) changeConfig(manager services, verb, name string, args []string) int {
	asked, ok := assignments(args)
	if !ok {
		return c.unknown()
	}
	if verb == "create" {
		made := serviceConfig{Type: 0x10, Start: 3, ErrorControl: 1, Display: name}
		if !apply(&made, asked) || made.Binary == "" {
			return c.unknown()
		}
		if err := manager.create(name, made); err != nil {
			return c.scFailed("CreateService", err)
		}
		c.print("[SC] CreateService SUCCESS\n")
		return 0
	}
	found, err := manager.config(name)
	if err != nil {
		return c.scFailed("OpenService", err)
	}
	if !apply(&found, asked) {
		return c.unknown()
	}
	if err := manager.change(name, found); err != nil {
		return c.scFailed("ChangeServiceConfig", err)
	}
	c.print("[SC] ChangeServiceConfig SUCCESS\n")
	return 0
}

func (c *call) describe(manager services, name string, args []string) int {
	found, err := manager.config(name)
	if err != nil {
		return c.scFailed("OpenService", err)
	}
	found.Description = strings.Join(args, " ")
	if err := manager.change(name, found); err != nil {
		return c.scFailed("ChangeServiceConfig2", err)
	}
	c.print("[SC] ChangeServiceConfig2 SUCCESS\n")
	return 0
}

func (c *call) startService(manager services, name string, args []string) int {
	if err := manager.start(name, args); err != nil {
		return c.scFailed("StartService"+map[bool]string{true: ": OpenService"}[errors.Is(err, winError(1060))], err)
	}
	found, err := manager.status(name)
	if err != nil {
		return c.scFailed("QueryServiceStatus", err)
	}
	c.print(statusText(name, found, true))
	return 0
}

func (c *call) changeExtra(manager services, verb, name string, args []string) int {
	if _, err := manager.status(name); err != nil {
		return c.scFailed("OpenService", err)
	}
	asked, ok := assignments(args)
	if verb != "failure" {
		asked, ok = map[string]string{verb: strings.Join(args, " ")}, len(args) == 1
	}
	all := map[string]*extra{}
	err := c.state.update("sc", &all, func() error {
		one := all[strings.ToLower(name)]
		if one == nil {
			one = &extra{}
			all[strings.ToLower(name)] = one
		}
		places := map[string]*string{"reset": &one.Reset, "reboot": &one.Reboot, "command": &one.Command, "actions": &one.Actions, "failureflag": &one.Flag, "sidtype": &one.SID}
		for word, value := range asked {
			if places[word] == nil {
				ok = false
				continue
			}
			*places[word] = value
		}
		if !ok {
			return errors.New("unknown words")
		}
		return nil
	})
	if !ok {
		return c.unknown()
	}
	if err != nil {
		return c.failed(err)
	}
	c.print("[SC] ChangeServiceConfig2 SUCCESS\n")
	return 0
}

func (c *call) queryFailure(manager services, name string) int {
	if _, err := manager.status(name); err != nil {
		return c.scFailed("OpenService", err)
	}
	all := map[string]*extra{}
	if err := c.state.load("sc", &all); err != nil {
		return c.failed(err)
	}
	one := all[strings.ToLower(name)]
	if one == nil {
		one = &extra{}
	}
	reset := one.Reset
	if reset == "" {
		reset = "0"
	}
	c.printf("[SC] QueryServiceConfig2 SUCCESS\n\nSERVICE_NAME: %s\n        RESET_PERIOD (in seconds)    : %s\n        REBOOT_MESSAGE               : %s\n        COMMAND_LINE                 : %s\n",
		name, reset, one.Reboot, one.Command)
	label := "        FAILURE_ACTIONS              : "
	actions := strings.Split(one.Actions, "/")
	for i := 0; i+1 < len(actions); i += 2 {
		if actions[i] == "" {
			continue
		}
		kind := map[string]string{"restart": "RESTART", "run": "RUN PROCESS", "reboot": "REBOOT"}[strings.ToLower(actions[i])]
		c.printf("%s%s -- Delay = %s milliseconds.\n", label, kind, actions[i+1])
		label = strings.Repeat(" ", len(label))
	}
	return 0
}
