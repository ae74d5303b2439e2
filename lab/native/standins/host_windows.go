package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

const (
	currentVersion = `SOFTWARE\Microsoft\Windows NT\CurrentVersion`
	hnsAddress     = "127.0.0.1:9099"
	hnsTimeout     = 30 * time.Second
)

// windowsHost is the machine itself.
type windowsHost struct{}

func (windowsHost) environment(name string) string { return os.Getenv(name) }

func (windowsHost) version(name string) string {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, currentVersion, registry.QUERY_VALUE)
	if err != nil {
		return ""
	}
	defer key.Close()
	if text, _, err := key.GetStringValue(name); err == nil {
		return text
	}
	number, _, _ := key.GetIntegerValue(name)
	return fmt.Sprint(number)
}

func (windowsHost) readlink(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		return "", err
	}
	return os.Readlink(path)
}

// cmdlet is one call of the HNS stand-in; the frame is that of lab/native/hns/client.h.
func (windowsHost) cmdlet(command string) (string, bool) {
	connection, err := net.DialTimeout("tcp", hnsAddress, hnsTimeout)
	if err != nil {
		return err.Error(), false
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(hnsTimeout))
	body := strings.Join([]string{"PowerShell", "powershell.exe", "", "", command, ""}, "\x00")
	connection.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...))
	var head struct{ Result, Length uint32 }
	if err := binary.Read(connection, binary.LittleEndian, &head); err != nil {
		return err.Error(), false
	}
	text := make([]byte, head.Length)
	if _, err := io.ReadFull(connection, text); err != nil {
		return err.Error(), false
	}
	return string(text), int32(head.Result) >= 0
}

func (windowsHost) stringValues(path string) (map[string]string, error) {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, path, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer key.Close()
	names, err := key.ReadValueNames(-1)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, name := range names {
		if text, _, err := key.GetStringValue(name); err == nil {
			found[name] = text
		}
	}
	return found, nil
}

// writing opens a key to change a value in it.
func writing(path string, change func(registry.Key) error) error {
	key, _, err := registry.CreateKey(registry.LOCAL_MACHINE, path, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer key.Close()
	return change(key)
}

func (windowsHost) setString(path, name, value string) error {
	return writing(path, func(key registry.Key) error { return key.SetStringValue(name, value) })
}

func (windowsHost) setNumber(path, name string, value uint32) error {
	return writing(path, func(key registry.Key) error { return key.SetDWordValue(name, value) })
}

func (windowsHost) deleteValue(path, name string) error {
	return writing(path, func(key registry.Key) error { return key.DeleteValue(name) })
}

func (windowsHost) services() (services, error) {
	manager, err := windows.OpenSCManager(nil, nil, windows.SC_MANAGER_ALL_ACCESS)
	if err != nil {
		return nil, err
	}
	return &serviceManager{manager}, nil
}

// serviceManager is `services` by the Windows functions, so that errors keep their numbers.
type serviceManager struct{ handle windows.Handle }

func translated(err error) error {
	var code windows.Errno
	if errors.As(err, &code) {
		return winError(code)
	}
	return err
}

func wide(text string) *uint16 {
	pointer, _ := windows.UTF16PtrFromString(text)
	return pointer
}

// with opens a service for the length of a function.
func (m *serviceManager) with(name string, use func(windows.Handle) error) error {
	service, err := windows.OpenService(m.handle, wide(name), windows.SERVICE_ALL_ACCESS)
	if err != nil {
		return translated(err)
	}
	defer windows.CloseServiceHandle(service)
	return translated(use(service))
}

func (m *serviceManager) names() ([]string, error) {
	var need, count uint32
	windows.EnumServicesStatusEx(m.handle, windows.SC_ENUM_PROCESS_INFO, windows.SERVICE_WIN32, windows.SERVICE_STATE_ALL, nil, 0, &need, &count, nil, nil)
	if need == 0 {
		return nil, nil
	}
	buffer := make([]byte, need)
	err := windows.EnumServicesStatusEx(m.handle, windows.SC_ENUM_PROCESS_INFO, windows.SERVICE_WIN32, windows.SERVICE_STATE_ALL, &buffer[0], need, &need, &count, nil, nil)
	if err != nil {
		return nil, translated(err)
	}
	var names []string
	for _, one := range unsafe.Slice((*windows.ENUM_SERVICE_STATUS_PROCESS)(unsafe.Pointer(&buffer[0])), count) {
		names = append(names, windows.UTF16PtrToString(one.ServiceName))
	}
	return names, nil
}

func (m *serviceManager) status(name string) (serviceStatus, error) {
	var found windows.SERVICE_STATUS_PROCESS
	err := m.with(name, func(service windows.Handle) error {
		var need uint32
		return windows.QueryServiceStatusEx(service, windows.SC_STATUS_PROCESS_INFO, (*byte)(unsafe.Pointer(&found)), uint32(unsafe.Sizeof(found)), &need)
	})
	return serviceStatus{
		Type: found.ServiceType, State: found.CurrentState, Accepts: found.ControlsAccepted, Exit: found.Win32ExitCode,
		ServiceExit: found.ServiceSpecificExitCode, CheckPoint: found.CheckPoint, WaitHint: found.WaitHint, PID: found.ProcessId,
	}, err
}

func (m *serviceManager) config(name string) (serviceConfig, error) {
	var result serviceConfig
	err := m.with(name, func(service windows.Handle) error {
		buffer := make([]byte, 8192)
		var need uint32
		found := (*windows.QUERY_SERVICE_CONFIG)(unsafe.Pointer(&buffer[0]))
		if err := windows.QueryServiceConfig(service, found, uint32(len(buffer)), &need); err != nil {
			return err
		}
		result = serviceConfig{
			Type: found.ServiceType, Start: found.StartType, ErrorControl: found.ErrorControl,
			Binary: windows.UTF16PtrToString(found.BinaryPathName), Display: windows.UTF16PtrToString(found.DisplayName),
			Account: windows.UTF16PtrToString(found.ServiceStartName), Dependencies: manyStrings(found.Dependencies),
		}
		description := make([]byte, 8192)
		if windows.QueryServiceConfig2(service, windows.SERVICE_CONFIG_DESCRIPTION, &description[0], uint32(len(description)), &need) == nil {
			result.Description = windows.UTF16PtrToString((*windows.SERVICE_DESCRIPTION)(unsafe.Pointer(&description[0])).Description)
		}
		return nil
	})
	return result, err
}

// manyStrings reads strings that each end with NUL, until an empty one.
func manyStrings(pointer *uint16) []string {
	var result []string
	for pointer != nil && *pointer != 0 {
		text := windows.UTF16PtrToString(pointer)
		result = append(result, text)
		length := len(windows.StringToUTF16(text))
		pointer = (*uint16)(unsafe.Add(unsafe.Pointer(pointer), 2*length))
	}
	return result
}

func manyWide(texts []string) *uint16 {
	var data []uint16
	for _, text := range texts {
		data = append(data, windows.StringToUTF16(text)...)
	}
	if len(data) == 0 {
		data = []uint16{0}
	}
	return &append(data, 0)[0]
}

func optional(text string) *uint16 {
	if text == "" {
		return nil
	}
	return wide(text)
}

func (m *serviceManager) create(name string, c serviceConfig) error {
	service, err := windows.CreateService(m.handle, wide(name), wide(c.Display), windows.SERVICE_ALL_ACCESS, c.Type, c.Start, c.ErrorControl,
		wide(c.Binary), nil, nil, manyWide(c.Dependencies), optional(c.Account), optional(c.Password))
	if err != nil {
		return translated(err)
	}
	return translated(windows.CloseServiceHandle(service))
}

func (m *serviceManager) change(name string, c serviceConfig) error {
	return m.with(name, func(service windows.Handle) error {
		err := windows.ChangeServiceConfig(service, windows.SERVICE_NO_CHANGE, c.Start, c.ErrorControl, wide(c.Binary), nil, nil,
			manyWide(c.Dependencies), optional(c.Account), optional(c.Password), wide(c.Display))
		if err != nil || c.Description == "" {
			return err
		}
		description := windows.SERVICE_DESCRIPTION{Description: wide(c.Description)}
		return windows.ChangeServiceConfig2(service, windows.SERVICE_CONFIG_DESCRIPTION, (*byte)(unsafe.Pointer(&description)))
	})
}

func (m *serviceManager) start(name string, args []string) error {
	return m.with(name, func(service windows.Handle) error {
		var words []*uint16
		for _, arg := range args {
			words = append(words, wide(arg))
		}
		if len(words) == 0 {
			return windows.StartService(service, 0, nil)
		}
		return windows.StartService(service, uint32(len(words)), &words[0])
	})
}

func (m *serviceManager) stop(name string) (serviceStatus, error) {
	var found windows.SERVICE_STATUS
	err := m.with(name, func(service windows.Handle) error {
		return windows.ControlService(service, windows.SERVICE_CONTROL_STOP, &found)
	})
	return serviceStatus{
		Type: found.ServiceType, State: found.CurrentState, Accepts: found.ControlsAccepted, Exit: found.Win32ExitCode,
		ServiceExit: found.ServiceSpecificExitCode, CheckPoint: found.CheckPoint, WaitHint: found.WaitHint,
	}, err
}

func (m *serviceManager) remove(name string) error {
	return m.with(name, windows.DeleteService)
}
