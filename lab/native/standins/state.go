package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const lockDeadline = 10 * time.Second

// state is a directory with one JSON file per program.
type state struct{ directory string }

// load reads a program's state; none is no error.
func (s *state) load(name string, into any) error {
	data, err := os.ReadFile(filepath.Join(s.directory, name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// update changes a program's state while no other process does; into is filled before change runs.
func (s *state) update(name string, into any, change func() error) error {
	if err := os.MkdirAll(s.directory, 0o755); err != nil {
		return err
	}
	unlock, err := s.lock(name)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.load(name, into); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	data, err := json.MarshalIndent(into, "", " ")
	if err != nil {
		return err
	}
	file := filepath.Join(s.directory, name+".json")
	if err := os.WriteFile(file+".tmp", data, 0o644); err != nil {
		return err
	}
	return os.Rename(file+".tmp", file)
}

// lock is a file that only one process can make; one whose maker died is broken after a while.
func (s *state) lock(name string) (func(), error) {
	path := filepath.Join(s.directory, name+".lock")
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			file.Close()
			return func() { os.Remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > lockDeadline/2 {
			os.Remove(path)
		}
		if time.Since(began) > lockDeadline {
			return nil, fmt.Errorf("%s is held by another process", path)
		}
	}
}
