// shutdown.exe: asks the lab to restart or stop the host.
//
// Answers /r, /s and /a with /t, /f, /c and /d. It differs: the request is a file, shutdown.json,
// that the lab carries out; nothing happens to a host whose lab does not look. The default delay is
// Windows' 30 seconds.
//
// Recorded: the sentence of /a from Microsoft's system error code 1116.

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	noShutdown   = 1116
	defaultDelay = 30
	shutdownFile = "shutdown"
)

type shutdownRequest struct {
	Action  string    `json:"action"`
	At      time.Time `json:"at"`
	Comment string    `json:"comment"`
}

func (c *call) shutdown() int {
	wanted, delay, abort := shutdownRequest{}, defaultDelay, false
	for i := 0; i < len(c.args); i++ {
		value := ""
		if i+1 < len(c.args) {
			value = c.args[i+1]
		}
		switch strings.ToLower(strings.Replace(c.args[i], "-", "/", 1)) {
		case "/r":
			wanted.Action = "restart"
		case "/s":
			wanted.Action = "stop"
		case "/a":
			abort = true
		case "/f":
		case "/t":
			number, err := strconv.Atoi(value)
			if err != nil {
				return c.unknown()
			}
			delay = number
			i++
		case "/c":
			wanted.Comment = value
			i++
		case "/d":
			i++
		default:
			return c.unknown()
		}
	}
	if abort {
		return c.abortShutdown()
	}
	if wanted.Action == "" {
		return c.unknown()
	}
	wanted.At = time.Now().UTC().Add(time.Duration(delay) * time.Second)
	kept := shutdownRequest{}
	if err := c.state.update(shutdownFile, &kept, func() error { kept = wanted; return nil }); err != nil {
		return c.failed(err)
	}
	return 0
}

func (c *call) abortShutdown() int {
	if err := os.Remove(filepath.Join(c.state.directory, shutdownFile+".json")); err != nil {
		c.printf("Unable to abort the system shutdown because no shutdown was in progress.(%d)\n", noShutdown)
		return noShutdown
	}
	return 0
}
