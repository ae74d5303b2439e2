package main

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// hcnNamespaces makes HNS namespaces through computenetwork.dll, as containerd does.
type hcnNamespaces struct{}

var (
	computeNetwork  = windows.NewLazySystemDLL("computenetwork.dll")
	createNamespace = computeNetwork.NewProc("HcnCreateNamespace")
	closeNamespace  = computeNetwork.NewProc("HcnCloseNamespace")
	deleteNamespace = computeNetwork.NewProc("HcnDeleteNamespace")
)

func (hcnNamespaces) create() (string, error) {
	id, err := windows.GenerateGUID()
	if err != nil {
		return "", err
	}
	settings, err := windows.UTF16PtrFromString(`{"Type":"Host","SchemaVersion":{"Major":2,"Minor":0}}`)
	if err != nil {
		return "", err
	}
	var handle, record uintptr
	result, _, _ := createNamespace.Call(uintptr(unsafe.Pointer(&id)), uintptr(unsafe.Pointer(settings)),
		uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(&record)))
	if failed := uint32(result); int32(failed) < 0 {
		return "", fmt.Errorf("HcnCreateNamespace: %#x", failed)
	}
	closeNamespace.Call(handle)
	text := id.String()
	return text[1 : len(text)-1], nil // without the braces
}

func (hcnNamespaces) remove(text string) error {
	id, err := windows.GUIDFromString("{" + text + "}")
	if err != nil {
		return err
	}
	var record uintptr
	result, _, _ := deleteNamespace.Call(uintptr(unsafe.Pointer(&id)), uintptr(unsafe.Pointer(&record)))
	if failed := uint32(result); int32(failed) < 0 && failed != 0x80070490 { // not found: gone already
		return fmt.Errorf("HcnDeleteNamespace: %#x", failed)
	}
	return nil
}
