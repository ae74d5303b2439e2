// Program standins is seven Windows programs that Wine lacks or only has as stubs: powershell.exe,
// dism.exe, netsh.exe, icacls.exe, route.exe, sc.exe and shutdown.exe; and endservices.exe, with which the
// lab shuts a host down. It acts by the name it is started under.
//
// Each answers as the original does for what the lab's programs call, keeps its state in a file of
// C:\ProgramData\transom-lab or in the registry where Windows has it, and fails loudly at anything
// else: a message on standard error, exit code 1 and a line in C:\var\log\standins.log. sc drives
// Wine's real service manager and route the host's real routes; the others change nothing outside
// their own state. The head of each file says what it answers, how it differs from Windows and where
// its recorded output comes from.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	stateDirectory = `C:\ProgramData\transom-lab`
	logFile        = `C:\var\log\standins.log`
)

func main() {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(os.Args[0])), ".exe")
	c := &call{name: name, args: os.Args[1:], out: os.Stdout, err: os.Stderr, state: &state{stateDirectory}, host: windowsHost{}}
	os.Exit(c.run())
}

// unknown tells whoever asked, and the log, that the stand-in cannot do this.
func (windowsHost) unknown(program string, args []string) {
	os.MkdirAll(filepath.Dir(logFile), 0o755)
	file, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	defer file.Close()
	fmt.Fprintf(file, "%s %s %q\n", time.Now().UTC().Format(time.RFC3339), program, args)
}
