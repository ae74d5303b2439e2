package main

import (
	"log"

	"golang.org/x/sys/windows/svc"
)

type service struct{ options options }

// Execute starts the runtime and then waits to be stopped.
func (s service) Execute(_ []string, requests <-chan svc.ChangeRequest, status chan<- svc.Status) (bool, uint32) {
	status <- svc.Status{State: svc.StartPending}
	if err := start(s.options); err != nil {
		log.Print(err)
		return true, 1
	}
	status <- svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown}
	for request := range requests {
		switch request.Cmd {
		case svc.Interrogate:
			status <- request.CurrentStatus
		case svc.Stop, svc.Shutdown:
			return false, 0
		}
	}
	return false, 0
}

func runService(options options) error {
	return svc.Run("containerd", service{options})
}
