package main

import (
	"encoding/json"
	"os"
	"path"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// fault makes the next Count calls of a CRI method fail with a gRPC code.
type fault struct {
	Method  string     `json:"method"`
	Code    codes.Code `json:"code"`
	Message string     `json:"message"`
	Count   int        `json:"count"`
	DelayMS int        `json:"delayMilliseconds"`
}

// faults are read from a file the lab writes; a file that is written anew starts the counts anew.
type faults struct {
	path    string
	mu      sync.Mutex
	written time.Time
	pending []*fault
}

// take says whether this call of "/service/Method" is one that must fail.
func (f *faults) take(fullMethod string) error {
	found := f.next(path.Base(fullMethod))
	if found == nil {
		return nil
	}
	time.Sleep(time.Duration(found.DelayMS) * time.Millisecond)
	if found.Code == codes.OK {
		return nil
	}
	return status.Error(found.Code, found.Message)
}

func (f *faults) next(method string) *fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read()
	for _, one := range f.pending {
		if one.Method == method && one.Count > 0 {
			one.Count--
			return one
		}
	}
	return nil
}

func (f *faults) read() {
	info, err := os.Stat(f.path)
	if err != nil {
		f.pending, f.written = nil, time.Time{}
		return
	}
	if info.ModTime().Equal(f.written) {
		return
	}
	data, err := os.ReadFile(f.path)
	if err != nil {
		return
	}
	var pending []*fault
	if json.Unmarshal(data, &pending) == nil {
		f.pending, f.written = pending, info.ModTime()
	}
}
