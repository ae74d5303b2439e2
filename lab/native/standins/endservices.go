// endservices.exe: the lab's own, what Windows does with services before it shuts down.
//
// Every running service that takes a stop is told to, those that others depend on last, and may use
// the five seconds that Windows gives (WaitToKillServiceTimeout). It differs: Windows sends another
// control (SHUTDOWN) with the same meaning to all of them at once. Wine's own services, whose programs
// lie below C:\windows, are left alone.

package main

import (
	"strings"
	"time"
)

const (
	stateStopped    = 1
	stateRunning    = 4
	acceptsStop     = 1
	servicePatience = 5 * time.Second
	servicePause    = 50 * time.Millisecond
)

func (c *call) endServices() int {
	if len(c.args) != 0 {
		return c.unknown()
	}
	manager, err := c.host.services()
	if err != nil {
		return c.failed(err)
	}
	running, err := stoppable(manager)
	if err != nil {
		return c.failed(err)
	}
	deadline := time.Now().Add(servicePatience)
	for len(running) > 0 && time.Now().Before(deadline) {
		var left []string
		for _, name := range running {
			// Refused with 1051 while a dependent service still runs: its turn comes.
			manager.stop(name)
			if found, err := manager.status(name); err == nil && found.State != stateStopped {
				left = append(left, name)
			}
		}
		if running = left; len(running) > 0 {
			time.Sleep(servicePause)
		}
	}
	for _, name := range running {
		c.printf("%s did not stop in time\n", name)
	}
	return 0
}

// stoppable are the running services that a shutdown concerns.
func stoppable(manager services) ([]string, error) {
	names, err := manager.names()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		now, err := manager.status(name)
		if err != nil || now.State != stateRunning || now.Accepts&acceptsStop == 0 {
			continue
		}
		config, err := manager.config(name)
		if err != nil || strings.HasPrefix(strings.ToLower(strings.Trim(config.Binary, `"`)), `c:\windows\`) {
			continue
		}
		found = append(found, name)
	}
	return found, nil
}
