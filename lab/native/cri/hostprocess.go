package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
)

const mountPointVariable = "CONTAINER_SANDBOX_MOUNT_POINT"

// hostProcessRoot is where containerd shows a HostProcess container its files. On Windows every
// container sees its own there; here each has a folder in it.
var hostProcessRoot = `C:\hpc`

// processSpec is a process to start: where its output goes is the starter's to connect.
type processSpec struct {
	command     []string
	environment []string
	directory   string
	in          io.Reader
	out, err    io.Writer
}

// process is a running process with everything it started.
type process interface {
	wait() (int32, error)
	kill()
}

type starter func(processSpec) (process, error)

// hostProcess is a container whose command runs in the host itself.
//
// Its volumes are links: below its root, as on Windows, and at their own path in the host if
// nothing is there (Windows shows them there to the container alone); those links are written down
// first, so that a later run can take them away. Ending it terminates the
// process and its children at once; Windows first sends CTRL_SHUTDOWN_EVENT.
type hostProcess struct {
	root        string
	command     []string
	environment []string
	directory   string
	links       []string
	ledger      ledger
	running     process
	done        chan struct{}
}

func newHostProcess(c *container, ledger ledger) (*hostProcess, error) {
	made := &hostProcess{root: filepath.Join(hostProcessRoot, c.id[:12]), ledger: ledger, done: make(chan struct{})}
	for _, word := range append(append([]string{}, c.config.Command...), c.config.Args...) {
		made.command = append(made.command, made.expand(word))
	}
	if len(made.command) == 0 {
		return nil, errors.New("the stand-in knows no image's own entry point: the pod must have a command")
	}
	made.environment = append(os.Environ(), mountPointVariable+"="+made.root)
	for _, variable := range c.config.Envs {
		made.environment = append(made.environment, variable.Key+"="+string(variable.Value))
	}
	if err := os.MkdirAll(made.root, 0o755); err != nil {
		return nil, err
	}
	made.directory = made.root
	if asked := c.config.WorkingDir; asked != "" {
		made.directory = made.expand(asked)
	}
	for _, mount := range c.config.Mounts {
		if err := made.mount(mount.HostPath, mount.ContainerPath); err != nil {
			made.remove()
			return nil, err
		}
	}
	return made, nil
}

// expand replaces the mount point in a word, in the two spellings that containerd's shim knows.
func (h *hostProcess) expand(word string) string {
	return strings.NewReplacer("%"+mountPointVariable+"%", h.root, "$env:"+mountPointVariable, h.root).Replace(word)
}

func (h *hostProcess) mount(source, target string) error {
	path := relativeToDrive(target)
	if err := h.link(source, filepath.Join(h.root, path)); err != nil {
		return fmt.Errorf("mount %s: %w", target, err)
	}
	host := filepath.Join(`C:\`, path)
	if _, err := os.Lstat(host); err == nil {
		log.Printf("mount %s: the host has a file of that name, so it is only below %s", target, h.root)
		return nil
	}
	if err := h.ledger.add(host); err != nil {
		return err
	}
	return h.link(source, host)
}

func (h *hostProcess) link(source, target string) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(source, target); err != nil {
		return err
	}
	h.links = append(h.links, target)
	return nil
}

// relativeToDrive is a container path without drive and leading separator: "C:\a\b" and "/a/b" are a\b.
func relativeToDrive(path string) string {
	path = strings.ReplaceAll(path, "/", `\`)
	if len(path) >= 2 && path[1] == ':' {
		path = path[2:]
	}
	return strings.TrimLeft(path, `\`)
}

// run starts the command; ended is called once, when it and its output are over.
func (h *hostProcess) run(start starter, log *logFile, ended func(int32)) error {
	out, errs := &stream{log: log, name: "stdout"}, &stream{log: log, name: "stderr"}
	running, err := start(processSpec{command: h.command, environment: h.environment, directory: h.directory, out: out, err: errs})
	if err != nil {
		return err
	}
	h.running = running
	go func() {
		exit, err := running.wait()
		if err != nil {
			errs.Write([]byte("lab stand-in: " + err.Error() + "\n"))
		}
		out.flush()
		errs.flush()
		ended(exit)
		close(h.done)
	}()
	return nil
}

func (h *hostProcess) kill() {
	if h.running != nil {
		h.running.kill()
	}
}

func (h *hostProcess) wait() {
	if h.running != nil {
		<-h.done
	}
}

// remove ends the process and takes away the links, never what they lead to.
func (h *hostProcess) remove() {
	h.kill()
	for i := len(h.links) - 1; i >= 0; i-- {
		if err := os.Remove(h.links[i]); err != nil {
			log.Printf("unmount %s: %v", h.links[i], err)
		}
	}
	if err := os.RemoveAll(h.root); err != nil {
		log.Printf("remove %s: %v", h.root, err)
	}
}

// ledger is a file with the links made outside hostProcessRoot, one a line.
type ledger struct{ path string }

func (l ledger) add(link string) error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, link)
	return err
}

// clear takes away what an earlier run left: its processes are gone, its links are not.
func (l ledger) clear() error {
	data, err := os.ReadFile(l.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for link := range strings.Lines(string(data)) {
		link = strings.TrimSpace(link)
		if info, err := os.Lstat(link); err == nil && info.Mode()&os.ModeSymlink != 0 {
			if err := os.Remove(link); err != nil {
				return err
			}
		}
	}
	if err := os.RemoveAll(hostProcessRoot); err != nil {
		return err
	}
	if err := os.Remove(l.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
