package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

type noNamespaces struct{}

func (noNamespaces) create() (string, error) { return "", errNotInitialized }
func (noNamespaces) remove(string) error     { return nil }

// fakeProcess ends when it is killed, or at once with its exit code.
type fakeProcess struct {
	exit   int32
	killed chan struct{}
}

func (p *fakeProcess) wait() (int32, error) {
	if p.killed != nil {
		<-p.killed
		return 137, nil
	}
	return p.exit, nil
}

func (p *fakeProcess) kill() {
	if p.killed != nil {
		close(p.killed)
	}
}

func newTestRuntime(t *testing.T, start starter) *runtime {
	t.Helper()
	hostProcessRoot = t.TempDir()
	made, err := newRuntime(options{prefix: "10.244.1.0/29", cniConfig: t.TempDir(), state: t.TempDir(), faults: filepath.Join(t.TempDir(), "faults.json")}, noNamespaces{}, start)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func pod(name string) *cri.PodSandboxConfig {
	return &cri.PodSandboxConfig{Metadata: &cri.PodSandboxMetadata{Name: name, Namespace: "default"}, Labels: map[string]string{"app": name}}
}

func runPod(t *testing.T, r *runtime, config *cri.PodSandboxConfig) string {
	t.Helper()
	made, err := r.RunPodSandbox(context.Background(), &cri.RunPodSandboxRequest{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return made.PodSandboxId
}

func createContainer(t *testing.T, r *runtime, box string, sandbox *cri.PodSandboxConfig, config *cri.ContainerConfig) string {
	t.Helper()
	config.Metadata, config.Image = &cri.ContainerMetadata{Name: "c"}, &cri.ImageSpec{Image: "image"}
	made, err := r.CreateContainer(context.Background(), &cri.CreateContainerRequest{PodSandboxId: box, Config: config, SandboxConfig: sandbox})
	if err != nil {
		t.Fatal(err)
	}
	return made.ContainerId
}

func stateOf(t *testing.T, r *runtime, id string) *cri.ContainerStatus {
	t.Helper()
	found, err := r.ContainerStatus(context.Background(), &cri.ContainerStatusRequest{ContainerId: id})
	if err != nil {
		t.Fatal(err)
	}
	return found.Status
}

// Pods never share an address, and a removed pod's address is free again.
func TestPodAddressesAreUnique(t *testing.T) {
	r := newTestRuntime(t, nil)
	seen, ids := map[string]bool{}, []string{}
	for range 5 {
		id := runPod(t, r, pod("p"))
		found, _ := r.PodSandboxStatus(context.Background(), &cri.PodSandboxStatusRequest{PodSandboxId: id})
		if address := found.Status.Network.Ip; seen[address] {
			t.Fatalf("%s was given twice", address)
		}
		seen[found.Status.Network.Ip] = true
		ids = append(ids, id)
	}
	if _, err := r.RunPodSandbox(context.Background(), &cri.RunPodSandboxRequest{Config: pod("p")}); err == nil {
		t.Fatal("a sixth pod got an address out of five")
	}
	if _, err := r.RemovePodSandbox(context.Background(), &cri.RemovePodSandboxRequest{PodSandboxId: ids[2]}); err != nil {
		t.Fatal(err)
	}
	runPod(t, r, pod("p"))
}

// A container moves through the states a kubelet expects, and its log is in the CRI format.
func TestLifeOfAPretendedContainer(t *testing.T) {
	r, ctx := newTestRuntime(t, nil), context.Background()
	config := pod("p")
	config.LogDirectory = t.TempDir()
	id := createContainer(t, r, runPod(t, r, config), config, &cri.ContainerConfig{LogPath: "c_0.log"})
	if state := stateOf(t, r, id).State; state != cri.ContainerState_CONTAINER_CREATED {
		t.Fatal(state)
	}
	if _, err := r.StartContainer(ctx, &cri.StartContainerRequest{ContainerId: id}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.StartContainer(ctx, &cri.StartContainerRequest{ContainerId: id}); status.Code(err) != codes.FailedPrecondition {
		t.Fatalf("a second start: %v", err)
	}
	if answer, err := r.ExecSync(ctx, &cri.ExecSyncRequest{ContainerId: id, Cmd: []string{"cmd"}}); err != nil || answer.ExitCode != 0 {
		t.Fatal(answer, err)
	}
	r.StopContainer(ctx, &cri.StopContainerRequest{ContainerId: id})
	if found := stateOf(t, r, id); found.State != cri.ContainerState_CONTAINER_EXITED || found.Reason != "Completed" {
		t.Fatal(found)
	}
	data, _ := os.ReadFile(filepath.Join(config.LogDirectory, "c_0.log"))
	if fields := strings.SplitN(string(data), " ", 4); len(fields) != 4 || fields[1] != "stdout" || fields[2] != "F" {
		t.Fatalf("log line %q", data)
	}
}

// The command of a HostProcess container is started in the host, and its exit code is the container's.
func TestHostProcessRunsItsCommand(t *testing.T) {
	var started processSpec
	r := newTestRuntime(t, func(spec processSpec) (process, error) {
		started = spec
		spec.out.Write([]byte("one\r\ntwo"))
		return &fakeProcess{exit: 3}, nil
	})
	config := pod("p")
	config.LogDirectory = t.TempDir()
	config.Windows = &cri.WindowsPodSandboxConfig{SecurityContext: &cri.WindowsSandboxSecurityContext{HostProcess: true}}
	box := runPod(t, r, config)
	id := createContainer(t, r, box, config, &cri.ContainerConfig{
		LogPath: "c_0.log", Command: []string{"%CONTAINER_SANDBOX_MOUNT_POINT%/x.exe"}, Args: []string{"a b"},
		Envs: []*cri.KeyValue{{Key: "K", Value: []byte("v")}},
	})
	if _, err := r.StartContainer(context.Background(), &cri.StartContainerRequest{ContainerId: id}); err != nil {
		t.Fatal(err)
	}
	r.containers[id].host.wait()
	if found := stateOf(t, r, id); found.ExitCode != 3 || found.Reason != "Error" {
		t.Fatal(found)
	}
	root := filepath.Join(hostProcessRoot, id[:12])
	if started.command[0] != root+"/x.exe" || started.command[1] != "a b" {
		t.Fatal(started.command)
	}
	if environment := strings.Join(started.environment, "\n"); !strings.Contains(environment, mountPointVariable+"="+root) || !strings.Contains(environment, "K=v") {
		t.Fatal(environment)
	}
	data, _ := os.ReadFile(filepath.Join(config.LogDirectory, "c_0.log"))
	if lines := strings.Split(string(data), "\n"); !strings.HasSuffix(lines[0], " stdout F one") || !strings.HasSuffix(lines[1], " stdout F two") {
		t.Fatalf("log %q", data)
	}
}

// Stopping waits until the process is gone.
func TestStopEndsTheProcess(t *testing.T) {
	r := newTestRuntime(t, func(processSpec) (process, error) { return &fakeProcess{killed: make(chan struct{})}, nil })
	config := pod("p")
	config.Windows = &cri.WindowsPodSandboxConfig{SecurityContext: &cri.WindowsSandboxSecurityContext{HostProcess: true}}
	id := createContainer(t, r, runPod(t, r, config), config, &cri.ContainerConfig{Command: []string{"x"}})
	r.StartContainer(context.Background(), &cri.StartContainerRequest{ContainerId: id})
	r.StopContainer(context.Background(), &cri.StopContainerRequest{ContainerId: id})
	if found := stateOf(t, r, id); found.State != cri.ContainerState_CONTAINER_EXITED || found.ExitCode != 137 {
		t.Fatal(found)
	}
}

// A HostProcess container without a command is refused: the stand-in has no images.
func TestHostProcessNeedsACommand(t *testing.T) {
	r := newTestRuntime(t, nil)
	config := pod("p")
	config.Windows = &cri.WindowsPodSandboxConfig{SecurityContext: &cri.WindowsSandboxSecurityContext{HostProcess: true}}
	_, err := r.CreateContainer(context.Background(), &cri.CreateContainerRequest{PodSandboxId: runPod(t, r, config), Config: &cri.ContainerConfig{}})
	if status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
}

// Without a CNI configuration and without a prefix the network is not ready, in containerd's words.
func TestNetworkIsNotReadyWithoutConfiguration(t *testing.T) {
	made, err := newRuntime(options{cniConfig: t.TempDir(), state: t.TempDir()}, noNamespaces{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := made.Status(context.Background(), &cri.StatusRequest{})
	condition := answer.Status.Conditions[1]
	if condition.Status || condition.Message != "Network plugin returns error: cni plugin not initialized" {
		t.Fatal(condition)
	}
	if _, err := made.RunPodSandbox(context.Background(), &cri.RunPodSandboxRequest{Config: pod("p")}); err == nil {
		t.Fatal("a pod got an address from nowhere")
	}
}

// A fault fails as many calls of its method as it says, and no other method.
func TestFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "faults.json")
	os.WriteFile(path, []byte(`[{"method": "RunPodSandbox", "code": 14, "message": "busy", "count": 2}]`), 0o600)
	f := &faults{path: path}
	var got []codes.Code
	for range 3 {
		got = append(got, status.Code(f.take("/runtime.v1.RuntimeService/RunPodSandbox")))
	}
	if got[0] != codes.Unavailable || got[1] != codes.Unavailable || got[2] != codes.OK {
		t.Fatal(got)
	}
	if err := f.take("/runtime.v1.RuntimeService/Version"); err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	if err := f.take("/runtime.v1.RuntimeService/RunPodSandbox"); err != nil {
		t.Fatal(err)
	}
}

// A line longer than the format allows is logged in parts and loses nothing.
func TestLongLinesAreLoggedInParts(t *testing.T) {
	l := &logFile{path: filepath.Join(t.TempDir(), "log")}
	l.open()
	s := &stream{log: l, name: "stderr"}
	s.Write([]byte(strings.Repeat("x", longestLine+5) + "\n"))
	l.close()
	data, _ := os.ReadFile(l.path)
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], " stderr P x") || !strings.HasSuffix(lines[1], " stderr F xxxxx") {
		t.Fatalf("%d lines", len(lines))
	}
}

// Container paths in both spellings name the same place.
func TestRelativeToDrive(t *testing.T) {
	for path, want := range map[string]string{`C:\a\b`: `a\b`, "/a/b": `a\b`, "c:/a": "a", `\a`: "a"} {
		if got := relativeToDrive(path); got != want {
			t.Errorf("%s: %s, not %s", path, got, want)
		}
	}
}

// After a restart the sandboxes are still known, not ready, and their addresses are not given again.
func TestSandboxesAreRememberedOverARestart(t *testing.T) {
	settings := options{prefix: "10.244.1.0/29", cniConfig: t.TempDir(), state: t.TempDir()}
	before, err := newRuntime(settings, noNamespaces{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := runPod(t, before, pod("p"))
	after, err := newRuntime(settings, noNamespaces{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := after.PodSandboxStatus(context.Background(), &cri.PodSandboxStatusRequest{PodSandboxId: id})
	if err != nil || found.Status.State != cri.PodSandboxState_SANDBOX_NOTREADY || found.Status.Metadata.Name != "p" {
		t.Fatal(found, err)
	}
	other, _ := after.PodSandboxStatus(context.Background(), &cri.PodSandboxStatusRequest{PodSandboxId: runPod(t, after, pod("q"))})
	if other.Status.Network.Ip == found.Status.Network.Ip {
		t.Fatal("an address was given twice")
	}
	after.RemovePodSandbox(context.Background(), &cri.RemovePodSandboxRequest{PodSandboxId: id})
	if left, _ := filepath.Glob(filepath.Join(settings.state, id+"*")); len(left) != 0 {
		t.Fatal(left)
	}
}

// The namespaces of a sandbox are those it was asked for: else the kubelet makes it anew for ever.
func TestNamespacesAreReported(t *testing.T) {
	r := newTestRuntime(t, nil)
	config := pod("p")
	wanted := &cri.NamespaceOption{Network: cri.NamespaceMode_NODE}
	config.Linux = &cri.LinuxPodSandboxConfig{SecurityContext: &cri.LinuxSandboxSecurityContext{NamespaceOptions: wanted}}
	found, err := r.PodSandboxStatus(context.Background(), &cri.PodSandboxStatusRequest{PodSandboxId: runPod(t, r, config)})
	if err != nil || found.Status.GetLinux().GetNamespaces().GetOptions().GetNetwork() != cri.NamespaceMode_NODE {
		t.Fatal(found, err)
	}
}

// A restart takes away the links of containers that ended with the last run, and nothing else.
func TestLinksOfTheLastRunAreTakenAway(t *testing.T) {
	hostProcessRoot = filepath.Join(t.TempDir(), "hpc")
	folder := t.TempDir()
	link, file := filepath.Join(folder, "link"), filepath.Join(folder, "file")
	os.WriteFile(file, nil, 0o600)
	os.Symlink(file, link)
	os.MkdirAll(filepath.Join(hostProcessRoot, "old"), 0o755)
	kept := ledger{filepath.Join(t.TempDir(), "state", "links.txt")}
	for _, path := range []string{link, file, filepath.Join(folder, "gone")} {
		if err := kept.add(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := kept.clear(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(link); err == nil {
		t.Error("the link is still there")
	}
	if _, err := os.Stat(file); err != nil {
		t.Error("a file that is no link was removed")
	}
	if _, err := os.Stat(hostProcessRoot); err == nil {
		t.Error("the last run's folders are still there")
	}
	if err := kept.clear(); err != nil {
		t.Error(err)
	}
}
