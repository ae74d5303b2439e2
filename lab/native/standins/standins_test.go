package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// fakeHost is a Windows that only remembers.
type fakeHost struct {
	refused  [][]string
	links    map[string]string
	linkPath string
	known    map[string]*fakeService
	registry map[string]map[string]string
	cmdlets  []string
}

type fakeService struct {
	serviceConfig
	running bool
}

func (h *fakeHost) unknown(program string, args []string) {
	h.refused = append(h.refused, append([]string{program}, args...))
}

func (h *fakeHost) version(name string) string {
	return map[string]string{"ProductName": "Windows Server 2022 Datacenter", "CurrentMajorVersionNumber": "10",
		"CurrentMinorVersionNumber": "0", "CurrentBuildNumber": "20348", "UBR": "2853"}[name]
}

func (h *fakeHost) readlink(path string) (string, error) { return h.links[path], nil }
func (h *fakeHost) environment(string) string            { return h.linkPath }
func (h *fakeHost) services() (services, error)          { return h, nil }

func (h *fakeHost) cmdlet(command string) (string, bool) {
	h.cmdlets = append(h.cmdlets, command)
	return `{"ifIndex": 3}`, !strings.Contains(command, "203.0.113.9")
}

func (h *fakeHost) stringValues(key string) (map[string]string, error) { return h.registry[key], nil }

func (h *fakeHost) setString(key, name, value string) error {
	if h.registry[key] == nil {
		h.registry[key] = map[string]string{}
	}
	h.registry[key][name] = value
	return nil
}

func (h *fakeHost) setNumber(key, name string, value uint32) error {
	return h.setString(key, name, fmt.Sprint(value))
}

func (h *fakeHost) deleteValue(key, name string) error {
	delete(h.registry[key], name)
	return nil
}

func (h *fakeHost) names() ([]string, error) { return slices.Sorted(maps.Keys(h.known)), nil }

func (h *fakeHost) get(name string) (*fakeService, error) {
	if found := h.known[strings.ToLower(name)]; found != nil {
		return found, nil
	}
	return nil, winError(1060)
}

func (h *fakeHost) status(name string) (serviceStatus, error) {
	found, err := h.get(name)
	if err != nil {
		return serviceStatus{}, err
	}
	if found.running {
		return serviceStatus{Type: 0x10, State: 4, Accepts: 5, PID: 42}, nil
	}
	return serviceStatus{Type: 0x10, State: 1, Exit: 1077}, nil
}

func (h *fakeHost) config(name string) (serviceConfig, error) {
	found, err := h.get(name)
	if err != nil {
		return serviceConfig{}, err
	}
	return found.serviceConfig, nil
}

func (h *fakeHost) create(name string, config serviceConfig) error {
	if h.known[strings.ToLower(name)] != nil {
		return winError(1073)
	}
	config.Account = "LocalSystem"
	h.known[strings.ToLower(name)] = &fakeService{serviceConfig: config}
	return nil
}

func (h *fakeHost) change(name string, config serviceConfig) error {
	found, err := h.get(name)
	if err == nil {
		found.serviceConfig = config
	}
	return err
}

func (h *fakeHost) start(name string, _ []string) error {
	found, err := h.get(name)
	if err == nil && found.running {
		return winError(1056)
	}
	if err == nil {
		found.running = true
	}
	return err
}

func (h *fakeHost) stop(name string) (serviceStatus, error) {
	found, err := h.get(name)
	if err == nil && !found.running {
		err = winError(1062)
	}
	if err != nil {
		return serviceStatus{}, err
	}
	found.running = false
	return serviceStatus{Type: 0x10, State: 3}, nil
}

func (h *fakeHost) remove(name string) error {
	_, err := h.get(name)
	delete(h.known, strings.ToLower(name))
	return err
}

// machine runs programs one after another on the same state.
type machine struct {
	t    *testing.T
	host *fakeHost
	dir  string
}

func newMachine(t *testing.T) *machine {
	return &machine{t, &fakeHost{known: map[string]*fakeService{}, registry: map[string]map[string]string{}}, t.TempDir()}
}

func (m *machine) run(program string, args ...string) (string, int) {
	out := &bytes.Buffer{}
	c := &call{name: program, args: args, out: out, err: &bytes.Buffer{}, state: &state{m.dir}, host: m.host}
	code := c.run()
	return strings.ReplaceAll(out.String(), "\r\n", "\n"), code
}

// expect runs a program that must end with a code and print a text.
func (m *machine) expect(code int, text string, program string, args ...string) {
	m.t.Helper()
	out, got := m.run(program, args...)
	if got != code || !strings.Contains(out, text) {
		m.t.Errorf("%s %q: code %d, not %d, printed:\n%s\nwithout:\n%s", program, args, got, code, out, text)
	}
}

// Whatever a stand-in does not know it refuses, with a code and a record.
func TestUnknownCommandsAreRefusedAndRecorded(t *testing.T) {
	m := newMachine(t)
	calls := [][]string{
		{"powershell", "Get-Process"}, {"powershell"}, {"dism", "/Image:C:\\x", "/Get-Features"}, {"dism", "/Online", "/Add-Package"},
		{"dism", "/Online", "/Enable-Feature", "/FeatureName:Containers"}, {"netsh", "interface", "show", "interface"}, {"netsh"},
		{"netsh", "advfirewall", "firewall", "add", "rule", "name=x", "colour=red"}, {"icacls"}, {"sc"}, {"sc", "frobnicate", "x"},
		{"sc", "create", "x", "binPath=", "x", "colour=", "red"}, {"route", "print"}, {"route", "-p", "add", "x", "mask", "y", "z"}, {"powershell", "Add-MpPreference -ExclusionPath C:\\"}, {"shutdown", "/h"}, {"shutdown"}, {"notepad"},
	}
	for _, words := range calls {
		if _, code := m.run(words[0], words[1:]...); code == 0 {
			t.Errorf("%q succeeded", words)
		}
	}
	if len(m.host.refused) != len(calls) {
		t.Errorf("%d refusals recorded of %d: %q", len(m.host.refused), len(calls), m.host.refused)
	}
}

// A feature is pending until the next boot, and asks for a restart only when something changed.
func TestAFeatureIsEnabledByTheNextBoot(t *testing.T) {
	m := newMachine(t)
	info := []string{"/Online", "/English", "/Get-FeatureInfo", "/FeatureName:containers"}
	m.expect(0, "Feature Name : Containers\n", "dism", info...)
	m.expect(0, "State : Disabled\n", "dism", info...)
	enable := []string{"/Online", "/Enable-Feature", "/FeatureName:Containers", "/All", "/NoRestart", "/Quiet"}
	m.expect(3010, "Restart Windows to complete this operation.", "dism", enable...)
	m.expect(0, "State : Enable Pending\n", "dism", info...)
	os.WriteFile(filepath.Join(m.dir, "boot.json"), []byte(`{"number": 1}`), 0o600)
	m.expect(0, "State : Enabled\n", "dism", info...)
	m.expect(0, "The operation completed successfully.", "dism", enable...)
	m.expect(0, "Containers                                    | Enabled", "dism", "/online", "/get-features", "/format:table")
	m.expect(3010, "Disabling feature(s)", "dism", "/Online", "/Disable-Feature", "/FeatureName:Containers", "/NoRestart")
	m.expect(unknownFeature, "Feature name Nothing is unknown.", "dism", "/Online", "/Get-FeatureInfo", "/FeatureName:Nothing")
}

// The text of a rule is netsh's own, to the letter.
func TestFirewallRulesAreShownAsNetshShowsThem(t *testing.T) {
	m := newMachine(t)
	m.expect(1, "No rules match the specified criteria.", "netsh", "advfirewall", "firewall", "show", "rule", "name=kubelet")
	m.expect(0, "Ok.", "netsh", "advfirewall", "firewall", "add", "rule", "name=kubelet", "dir=in", "action=allow", "protocol=TCP", "localport=10250")
	out, _ := m.run("netsh", "advfirewall", "firewall", "show", "rule", "name=kubelet")
	want := `
Rule Name:                            kubelet
----------------------------------------------------------------------
Enabled:                              Yes
Direction:                            In
Profiles:                             Domain,Private,Public
Grouping:
LocalIP:                              Any
RemoteIP:                             Any
Protocol:                             TCP
LocalPort:                            10250
RemotePort:                           Any
Edge traversal:                       No
Action:                               Allow
Ok.

`
	if out != want {
		t.Errorf("printed:\n%s", out)
	}
	m.expect(1, "can only be used when protocol is TCP or UDP", "netsh", "advfirewall", "firewall", "add", "rule", "name=x", "dir=in", "action=allow", "localport=1")
	m.expect(1, "No rules match", "netsh", "advfirewall", "firewall", "delete", "rule", "name=kubelet", "protocol=UDP")
	m.expect(0, "Deleted 1 rule(s).", "netsh", "advfirewall", "firewall", "delete", "rule", "name=KUBELET")
	m.expect(1, "No rules match", "netsh", "advfirewall", "firewall", "delete", "rule", "name=kubelet")
}

func TestTheProxyIsSetShownAndReset(t *testing.T) {
	m := newMachine(t)
	m.expect(0, "Direct access (no proxy server).", "netsh", "winhttp", "show", "proxy")
	m.expect(0, "Proxy Server(s) :  proxy:3128", "netsh", "winhttp", "set", "proxy", "proxy-server=proxy:3128", "bypass-list=*.corp")
	m.expect(0, "Bypass List     :  *.corp", "netsh", "winhttp", "show", "proxy")
	m.expect(0, "Direct access", "netsh", "winhttp", "reset", "proxy")
}

// A service is made, shown, started, stopped and deleted with the messages and codes of the original.
func TestLifeOfAService(t *testing.T) {
	m := newMachine(t)
	m.expect(1060, "[SC] EnumQueryServicesStatus:OpenService FAILED 1060:\n\nThe specified service does not exist", "sc", "query", "kubelet")
	m.expect(0, "[SC] CreateService SUCCESS", "sc", "create", "kubelet", "binPath=", `C:\k\kubelet.exe --v=2`, "start=", "auto", "depend=containerd/hns")
	m.expect(1073, "CreateService FAILED 1073", "sc", "create", "kubelet", "binPath=", "x")
	out, _ := m.run("sc", "qc", "kubelet")
	want := `[SC] QueryServiceConfig SUCCESS

SERVICE_NAME: kubelet
        TYPE               : 10  WIN32_OWN_PROCESS 
        START_TYPE         : 2   AUTO_START
        ERROR_CONTROL      : 1   NORMAL
        BINARY_PATH_NAME   : C:\k\kubelet.exe --v=2  
        LOAD_ORDER_GROUP   : 
        TAG                : 0  
        DISPLAY_NAME       : kubelet  
        DEPENDENCIES       : containerd  
                           : hns  
        SERVICE_START_NAME : LocalSystem  
`
	if out != want {
		t.Errorf("printed:\n%s", out)
	}
	m.expect(0, "PID                : 42", "sc", "start", "kubelet")
	m.expect(1056, "An instance of the service is already running.", "sc", "start", "kubelet")
	m.expect(0, "STATE              : 4  RUNNING \n                                (STOPPABLE, NOT_PAUSABLE, ACCEPTS_SHUTDOWN)", "sc", "query", "kubelet")
	m.expect(0, "STATE              : 3  STOP_PENDING", "sc", "stop", "kubelet")
	m.expect(1062, "The service has not been started.", "sc", "stop", "kubelet")
	m.expect(0, "ChangeServiceConfig SUCCESS", "sc", "config", "kubelet", "start=", "disabled")
	m.expect(0, "START_TYPE         : 4   DISABLED", "sc", "qc", "kubelet")
	m.expect(0, "DeleteService SUCCESS", "sc", "delete", "kubelet")
	m.expect(1060, "[SC] OpenService FAILED 1060", "sc", "delete", "kubelet")
}

func TestFailureActionsAreKept(t *testing.T) {
	m := newMachine(t)
	m.run("sc", "create", "kubelet", "binPath=", "x")
	m.expect(0, "SUCCESS", "sc", "failure", "kubelet", "reset=", "60", "actions=", "restart/10000/restart/30000")
	m.expect(0, "RESTART -- Delay = 10000 milliseconds.\n                                       RESTART -- Delay = 30000", "sc", "qfailure", "kubelet")
	m.expect(1060, "OpenService", "sc", "failure", "nothing", "reset=", "60")
}

// A protected folder hands its entries down, and nobody else's.
func TestAccessIsInherited(t *testing.T) {
	m := newMachine(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "key")
	os.WriteFile(file, nil, 0o600)
	m.expect(0, `BUILTIN\Users:(I)(RX)`, "icacls", file)
	m.expect(0, "Successfully processed 1 files; Failed processing 0 files", "icacls", folder, "/inheritance:r", "/grant:r", "*S-1-5-18:(OI)(CI)F", `BUILTIN\Administrators:(OI)(CI)F`)
	out, _ := m.run("icacls", file)
	want := file + ` NT AUTHORITY\SYSTEM:(I)(F)` + "\n" + strings.Repeat(" ", len(file)+1) + `BUILTIN\Administrators:(I)(F)` + "\n\nSuccessfully processed 1 files; Failed processing 0 files\n"
	if out != want {
		t.Errorf("printed:\n%s", out)
	}
	m.expect(0, "processed file: "+file, "icacls", folder, "/grant", "Users:(RX)", "/T")
	m.expect(0, `BUILTIN\Users:(RX)`, "icacls", file)
	m.expect(0, "", "icacls", folder, "/remove", "Users", "/T", "/Q")
	if out, _ := m.run("icacls", file); strings.Contains(out, "Users") {
		t.Errorf("printed:\n%s", out)
	}
	m.expect(0, "", "icacls", file, "/deny", "Everyone:W")
	m.expect(0, file+" Everyone:(DENY)(W)", "icacls", file)
	m.expect(0, "", "icacls", file, "/reset")
	m.expect(2, "The system cannot find the file specified.", "icacls", filepath.Join(folder, "none"))
	m.expect(1, "", "icacls", file, "/grant", "nobody")
}

// The commands of kubelet, kubeadm and flanneld are answered word for word.
func TestPowerShellOfUpstreamPrograms(t *testing.T) {
	m := newMachine(t)
	m.host.links, m.host.linkPath = map[string]string{`C:\a`: `C:\b`}, `C:\a`
	m.expect(0, "SymbolicLink\n", "powershell", "/c", linkItem+".LinkType")
	m.expect(0, `C:\b`, "powershell", "/c", linkItem+".Target")
	m.host.linkPath = `C:\plain`
	if out, code := m.run("powershell", "/c", linkItem+".LinkType"); out != "" || code != 0 {
		t.Errorf("%q %d", out, code)
	}
	m.expect(0, "Windows Server 2022 Datacenter\n", "powershell", productCommand)
	m.expect(0, "10.0.20348\n", "powershell", versionCommand)
	m.expect(0, "ifIndex", "powershell", "-NoLogo", "-NonInteractive", "-Command", "Get-NetRoute | ConvertTo-Json")
	m.expect(1, "ifIndex", "powershell", "-Command", "Remove-NetRoute -NextHop 203.0.113.9")
}

// A shutdown is a request to the lab, and can be taken back once.
func TestShutdownIsARequest(t *testing.T) {
	m := newMachine(t)
	m.expect(0, "", "shutdown", "/r", "/t", "5", "/f", "/c", "update")
	data, _ := os.ReadFile(filepath.Join(m.dir, "shutdown.json"))
	if !strings.Contains(string(data), `"restart"`) || !strings.Contains(string(data), "update") {
		t.Errorf("%s", data)
	}
	m.expect(0, "", "shutdown", "/a")
	m.expect(1116, "no shutdown was in progress.(1116)", "shutdown", "/a")
}

// Rules are in the registry as Windows writes them, and read back the same.
func TestFirewallRulesAreWhereWindowsKeepsThem(t *testing.T) {
	m := newMachine(t)
	m.run("netsh", "advfirewall", "firewall", "add", "rule", "name=kubelet", "dir=in", "action=allow", "protocol=tcp", "localport=10250")
	for id, text := range m.host.registry[firewallKey] {
		if want := "v2.31|Action=Allow|Active=TRUE|Dir=In|Protocol=6|LPort=10250|Name=kubelet|"; text != want || len(id) != 38 {
			t.Errorf("%s = %s", id, text)
		}
	}
	whole := rule{"name": "a", "dir": "out", "action": "block", "protocol": "udp", "localport": "53,5000-5010", "remoteip": "10.0.0.1,10.0.0.2",
		"program": `C:\a,b.exe`, "description": "d", "enable": "no", "profile": "Domain,Private", "edge": "yes"}
	again := ruleFrom(whole.registryText())
	for word, value := range whole {
		if again.word(word) != value {
			t.Errorf("%s: %q, not %q, from %s", word, again.word(word), value, whole.registryText())
		}
	}
}

// Exclusions are values named by the process, with quotes as PowerShell writes them.
func TestDefenderExclusions(t *testing.T) {
	m := newMachine(t)
	m.expect(0, "", "powershell", "-NoProfile", "-NonInteractive", "-Command", `Add-MpPreference -ExclusionProcess 'C:\it''s.exe' -ErrorAction Stop`)
	if m.host.registry[exclusionKey][`C:\it's.exe`] != "0" {
		t.Error(m.host.registry)
	}
	m.expect(0, "", "powershell", "-Command", `Remove-MpPreference -ExclusionProcess 'C:\it''s.exe' -ErrorAction Stop`)
	if len(m.host.registry[exclusionKey]) != 0 {
		t.Error(m.host.registry)
	}
}

// A persistent route is active and in the registry, and both are taken away.
func TestPersistentRoutes(t *testing.T) {
	m := newMachine(t)
	m.expect(0, "OK!", "route", "-p", "add", "169.254.169.254", "mask", "255.255.255.255", "10.0.0.1")
	if last := m.host.cmdlets[len(m.host.cmdlets)-1]; last != "New-NetRoute -InterfaceIndex 3 -DestinationPrefix 169.254.169.254/32 -NextHop 10.0.0.1" {
		t.Error(last)
	}
	if _, ok := m.host.registry[persistentRoutes]["169.254.169.254,255.255.255.255,10.0.0.1,1"]; !ok {
		t.Error(m.host.registry)
	}
	m.expect(0, "OK!", "route", "delete", "169.254.169.254", "mask", "255.255.255.255")
	m.expect(1, "", "route", "delete", "169.254.169.254", "mask", "255.255.255.255")
}

func TestServicesAreStoppedAndWinesOwnAreNot(t *testing.T) {
	m := newMachine(t)
	for name, binary := range map[string]string{"kubelet": `C:\k\kubelet.exe`, "rpcss": `C:\windows\system32\rpcss.exe`, "idle": `C:\k\idle.exe`} {
		m.host.known[name] = &fakeService{serviceConfig{Binary: binary}, name != "idle"}
	}
	if out, code := m.run("endservices"); code != 0 || out != "" {
		t.Errorf("%d %q", code, out)
	}
	if m.host.known["kubelet"].running || !m.host.known["rpcss"].running {
		t.Error("kubelet runs or rpcss does not")
	}
}

// encoded is a script as -EncodedCommand takes it.
func encoded(script string) string {
	var data []byte
	for _, unit := range utf16.Encode([]rune(trapLine + script)) {
		data = append(data, byte(unit), byte(unit>>8))
	}
	return base64.StdEncoding.EncodeToString(data)
}

func TestFoldersAreMadeClosedAndToldWithTheirAccess(t *testing.T) {
	m := newMachine(t)
	t.Chdir(t.TempDir())
	before := accessFile
	accessFile = "access.json"
	t.Cleanup(func() { accessFile = before })
	named := strings.NewReplacer("{paths}", "'k', 'transom'", "{closed}", closed)
	words := []string{"-NoProfile", "-NonInteractive", "-EncodedCommand"}
	look := encoded(shellLine + named.Replace(lookScript))
	m.expect(0, "shell  \nabsent k\nabsent transom\n", "powershell", append(words, look)...)
	os.Mkdir("k", 0o755)
	m.expect(0, "16 k "+belowRoot+"\nabsent transom\n", "powershell", append(words, look)...)
	made := "made transom\n16 k " + belowRoot + "\n16 transom O:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)\n"
	m.expect(0, made, "powershell", append(words, encoded(named.Replace(makeScript)))...)
	m.expect(0, "shell  \n", "powershell", append(words, encoded(strings.TrimSuffix(shellLine, "\n")))...)
	os.Remove("k")
	os.Symlink("transom", "k")
	m.expect(0, "1040 k \n", "powershell", append(words, look)...)
	if out, code := m.run("powershell", append(words, encoded("Remove-Item k"))...); code != 1 {
		t.Errorf("an unknown script gave %q", out)
	}
}
