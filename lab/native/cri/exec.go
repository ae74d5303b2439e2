package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

// ExecSync runs probes and hooks.
func (r *runtime) ExecSync(_ context.Context, request *cri.ExecSyncRequest) (*cri.ExecSyncResponse, error) {
	out, errs := &bytes.Buffer{}, &bytes.Buffer{}
	exit, err := r.exec(request.ContainerId, request.Cmd, nil, out, errs, time.Duration(request.Timeout)*time.Second)
	if err != nil {
		return nil, err
	}
	return &cri.ExecSyncResponse{Stdout: out.Bytes(), Stderr: errs.Bytes(), ExitCode: exit}, nil
}

// exec runs a command where the container's runs: in the host for HostProcess, else nowhere, and
// then it succeeds and says so. No timeout is none.
func (r *runtime) exec(id string, command []string, in io.Reader, out, errs io.Writer, timeout time.Duration) (int32, error) {
	r.mu.Lock()
	c := r.containers[id]
	if c == nil || c.state != cri.ContainerState_CONTAINER_RUNNING {
		r.mu.Unlock()
		return 0, missing("running container", id)
	}
	host := c.host
	r.mu.Unlock()
	if host == nil {
		_, err := fmt.Fprintln(out, "lab stand-in: not run:", strings.Join(command, " "))
		return 0, err
	}
	spec := processSpec{environment: host.environment, directory: host.directory, in: in, out: out, err: errs}
	for _, word := range command {
		spec.command = append(spec.command, host.expand(word))
	}
	started, err := r.start(spec)
	if err != nil {
		return 0, status.Errorf(codes.Unknown, "failed to exec %s: %v", strings.Join(command, " "), err)
	}
	if timeout > 0 {
		timer := time.AfterFunc(timeout, started.kill)
		exit, err := started.wait()
		if !timer.Stop() {
			return 0, status.Errorf(codes.DeadlineExceeded, "timeout %v exceeded: context deadline exceeded", timeout)
		}
		return exit, err
	}
	return started.wait()
}

func (r *runtime) Exec(_ context.Context, request *cri.ExecRequest) (*cri.ExecResponse, error) {
	return r.streams.GetExec(request)
}

func (r *runtime) Attach(context.Context, *cri.AttachRequest) (*cri.AttachResponse, error) {
	return nil, status.Error(codes.Unimplemented, "lab stand-in: attach is not available, see the container's log")
}

func (r *runtime) PortForward(context.Context, *cri.PortForwardRequest) (*cri.PortForwardResponse, error) {
	return nil, status.Error(codes.Unimplemented, "lab stand-in: pod addresses carry no traffic")
}

// exitError carries an exit code to the client, as the streaming server wants it.
type exitError struct{ code int32 }

func (e exitError) Error() string   { return fmt.Sprintf("command terminated with exit code %d", e.code) }
func (e exitError) String() string  { return e.Error() }
func (e exitError) Exited() bool    { return true }
func (e exitError) ExitStatus() int { return int(e.code) }

// streamRuntime is what the streaming server calls back.
type streamRuntime struct{ *runtime }

func (s streamRuntime) Exec(_ context.Context, id string, command []string, in io.Reader, out, errs io.WriteCloser, tty bool, _ <-chan remotecommand.TerminalSize) error {
	var stderr io.Writer = errs
	if tty || errs == nil {
		stderr = out
	}
	exit, err := s.exec(id, command, in, out, stderr, 0)
	if err == nil && exit != 0 {
		return exitError{exit}
	}
	return err
}

func (s streamRuntime) Attach(context.Context, string, io.Reader, io.WriteCloser, io.WriteCloser, bool, <-chan remotecommand.TerminalSize) error {
	return status.Error(codes.Unimplemented, "attach")
}

func (s streamRuntime) PortForward(context.Context, string, int32, io.ReadWriteCloser) error {
	return status.Error(codes.Unimplemented, "port-forward")
}
