// Program containerd-standin is the container runtime of a lab host: the CRI on containerd's pipe.
//
// It stands in for containerd.exe where pods must run, because a Windows container cannot be made
// without Windows. What is real: the CRI as the kubelet speaks it, log files in the CRI format, pod
// addresses by the CNI plugins that are configured, streaming of exec, and HostProcess containers,
// whose command really runs in the host. What is not: any other container. It is a row in a table
// that moves through the states a kubelet expects, writes one line to its log and succeeds at every
// exec. Images are names; nothing is pulled. A restart of the program ends every container, as a reboot
// does: the kubelet finds the sandboxes not ready, has them removed and makes new ones, while containerd
// would have kept them running.
//
// A call it does not know is answered Unimplemented and logged. -service runs it under the service
// manager, RUNNING only once it really answers, so that a kubelet service that depends on it finds
// it after a reboot.
package main

import (
	"flag"
	"log"
	"os"
)

func main() {
	options := options{}
	asService := flag.Bool("service", false, "run as a Windows service")
	// The service's command line may be containerd's own, as a recipe has it.
	flag.BoolVar(asService, "run-service", false, "the same, as containerd.exe calls it")
	flag.String("config", "", "containerd's configuration: accepted and not read")
	logFile := flag.String("log-file", "", "append the log to this file")
	flag.StringVar(&options.pipe, "pipe", `\\.\pipe\containerd-containerd`, "named pipe to serve on")
	flag.StringVar(&options.prefix, "cidr", "", "pod addresses to pretend, as in 10.244.1.0/24, where no CNI configuration exists; without it the network is not ready then")
	flag.StringVar(&options.cniConfig, "cni-config", `C:\etc\cni\net.d`, "directory of CNI configurations")
	flag.StringVar(&options.cniPlugins, "cni-plugins", `C:\opt\cni\bin`, "directory of CNI plugins")
	flag.StringVar(&options.faults, "faults", `C:\ProgramData\transom-lab\cri-faults.json`, "file that says which calls fail")
	flag.StringVar(&options.state, "state", `C:\ProgramData\containerd\state\transom-lab-standin`, "directory that remembers sandboxes over a restart")
	flag.Parse()
	log.SetFlags(log.Ldate | log.Lmicroseconds)
	if *logFile != "" {
		file, err := os.OpenFile(*logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			log.Fatal(err)
		}
		log.SetOutput(file)
	}
	if *asService {
		if err := runService(options); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := start(options); err != nil {
		log.Print(err)
		os.Exit(1)
	}
	select {}
}
