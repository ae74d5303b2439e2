package main

import (
	"bytes"
	"os"
	"sync"
	"time"
)

const longestLine = 16 << 10 // containerd's default for one CRI log line

// logFile is a container's log in the CRI format: time, stream, F or P (partial), text.
type logFile struct {
	path string
	mu   sync.Mutex
	file *os.File
}

// open starts the file, or starts it anew after the kubelet rotated it; no path is no log.
func (l *logFile) open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" {
		return nil
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	if l.file != nil {
		l.file.Close()
	}
	l.file = file
	return nil
}

func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

func (l *logFile) line(stream, text string) { l.write(stream, "F", []byte(text)) }

func (l *logFile) write(stream, tag string, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return
	}
	line := append([]byte(time.Now().UTC().Format(time.RFC3339Nano)+" "+stream+" "+tag+" "), text...)
	l.file.Write(append(line, '\n'))
}

// stream is one of a container's outputs, cut into lines.
type stream struct {
	log    *logFile
	name   string
	buffer []byte
}

// Write takes what a process wrote; a line that is too long is logged in parts.
func (s *stream) Write(data []byte) (int, error) {
	s.buffer = append(s.buffer, data...)
	for {
		if end := bytes.IndexByte(s.buffer, '\n'); end >= 0 && end <= longestLine {
			s.log.write(s.name, "F", bytes.TrimSuffix(s.buffer[:end], []byte{'\r'}))
			s.buffer = s.buffer[end+1:]
		} else if len(s.buffer) > longestLine {
			s.log.write(s.name, "P", s.buffer[:longestLine])
			s.buffer = s.buffer[longestLine:]
		} else {
			return len(data), nil
		}
	}
}

// flush logs what came without a line end before the stream ended.
func (s *stream) flush() {
	if len(s.buffer) > 0 {
		s.log.write(s.name, "F", s.buffer)
		s.buffer = nil
	}
}
