package main

import (
	"fmt"
	"io"
	"strings"
)

// host is what a stand-in needs of the machine it runs on.
type host interface {
	// unknown records a call no stand-in knows.
	unknown(program string, args []string)
	// version is a value of the registry key that names the Windows version.
	version(name string) string
	// readlink is where a link leads; "" and no error if the path is no link.
	readlink(path string) (string, error)
	// environment is a variable of the process.
	environment(name string) string
	// cmdlet runs a network cmdlet in the HNS stand-in.
	cmdlet(command string) (string, bool)
	// stringValues are the texts of a key of HKEY_LOCAL_MACHINE by name; no key is none.
	stringValues(key string) (map[string]string, error)
	// setString and setNumber write a value, and the key if it is not there; deleteValue removes one.
	setString(key, name, value string) error
	setNumber(key, name string, value uint32) error
	deleteValue(key, name string) error
	// services is the service manager.
	services() (services, error)
}

// call is one run of a program.
type call struct {
	name     string
	args     []string
	out, err io.Writer
	state    *state
	host     host
}

// run acts as the program the call names; the result is its exit code.
func (c *call) run() int {
	switch c.name {
	case "powershell":
		return c.powershell()
	case "dism":
		return c.dism()
	case "netsh":
		return c.netsh()
	case "icacls":
		return c.icacls()
	case "sc":
		return c.sc()
	case "shutdown":
		return c.shutdown()
	case "endservices":
		return c.endServices()
	case "route":
		return c.route()
	}
	return c.unknown()
}

// unknown refuses a call, loudly.
func (c *call) unknown() int {
	c.host.unknown(c.name, c.args)
	fmt.Fprintf(c.err, "lab stand-in for %s: unknown command %q\r\n", c.name, c.args)
	return 1
}

// failed reports a fault of the stand-in itself.
func (c *call) failed(err error) int {
	fmt.Fprintf(c.err, "lab stand-in for %s: %v\r\n", c.name, err)
	return 1
}

// print writes lines with Windows line ends.
func (c *call) print(text string) {
	io.WriteString(c.out, strings.ReplaceAll(text, "\n", "\r\n"))
}

func (c *call) printf(format string, values ...any) { c.print(fmt.Sprintf(format, values...)) }

// switches splits "/Name:value" and "/Name" arguments, names in lower case; rest is all others.
func switches(args []string) (map[string]string, []string) {
	found, rest := map[string]string{}, []string{}
	for _, arg := range args {
		if strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, "-") {
			name, value, _ := strings.Cut(arg[1:], ":")
			found[strings.ToLower(name)] = value
		} else {
			rest = append(rest, arg)
		}
	}
	return found, rest
}
