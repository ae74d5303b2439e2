package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

// jobProcess is a process in a job object, so that its children end with it.
type jobProcess struct {
	command *exec.Cmd
	job     windows.Handle
}

// startProcess starts a command in a job that ends when this program does.
func startProcess(spec processSpec) (process, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	command := exec.Command(find(spec.command[0], spec.directory), spec.command[1:]...)
	command.Env, command.Dir, command.Stdin, command.Stdout, command.Stderr = spec.environment, spec.directory, spec.in, spec.out, spec.err
	if err := command.Start(); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	if err := assign(job, command.Process.Pid); err != nil {
		command.Process.Kill()
		windows.CloseHandle(job)
		return nil, err
	}
	return &jobProcess{command: command, job: job}, nil
}

func assign(job windows.Handle, pid int) error {
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	return windows.AssignProcessToJobObject(job, handle)
}

// find is a program in the working directory, else by PATH, as Windows looks for it.
func find(program, directory string) string {
	if !filepath.IsAbs(program) {
		for _, suffix := range []string{"", ".exe"} {
			local := filepath.Join(directory, program+suffix)
			if info, err := os.Stat(local); err == nil && !info.IsDir() {
				return local
			}
		}
	}
	return program
}

func (p *jobProcess) wait() (int32, error) {
	err := p.command.Wait()
	windows.CloseHandle(p.job)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil
	}
	return int32(p.command.ProcessState.ExitCode()), err
}

func (p *jobProcess) kill() { windows.TerminateJobObject(p.job, 137) }
