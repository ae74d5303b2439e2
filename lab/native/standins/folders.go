// powershell.exe -EncodedCommand: the scripts with which Transom asks whose its folders are, and makes them.
//
// Answers `fleet/on_host/folder.py` of Transom, whose texts are below, with the line before them that tells the shell,
// and `bootstrap/windows/owners.ps1`. It differs: Wine keeps no owner and no access list, so both are what
// the node program or this stand-in set (C:\windows\transom-lab-access.json), else what a folder below C:\ of a
// fresh Windows Server has, and every owner is Administrators.

package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf16"
)

const (
	trapLine   = "trap { [Console]::Error.WriteLine($_); exit 1 }\n"
	shellLine  = `'shell ' + $env:SHLVL + ' ' + (Get-ItemProperty HKLM:\SOFTWARE\OpenSSH -Name DefaultShell -ErrorAction Ignore).DefaultShell` + "\n"
	lookScript = `foreach ($p in {paths}) {
  try { $a = [int][IO.File]::GetAttributes($p) }
  catch [IO.FileNotFoundException], [IO.DirectoryNotFoundException] { "absent $p"; continue }
  $s = ''
  if (($a -band 0x410) -eq 0x10) { $s = [IO.Directory]::GetAccessControl($p, 'Owner, Access').GetSecurityDescriptorSddlForm('Owner, Access') }
  "$a $p $s"
}`
	makeScript = `$d = New-Object Security.AccessControl.DirectorySecurity
$d.SetSecurityDescriptorSddlForm('{closed}')
foreach ($p in {paths}) { if (-not [IO.Directory]::Exists($p)) { $null = [IO.Directory]::CreateDirectory($p, $d); "made $p" } }
` + lookScript
	ownersMark = "$folder = $env:TRANSOM_HOME"
	closed     = "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
	belowRoot  = "O:BAD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;CIID;LC;;;BU)(A;CIID;DC;;;BU)(A;OICIIOID;GA;;;CO)"
)

// accessFile is where the lab's Python keeps descriptors, by path in lower case.
var accessFile = `C:\windows\transom-lab-access.json`

var (
	pathList = regexp.MustCompile(`foreach \(\$p in ([^)]*)\)`)
	onePath  = regexp.MustCompile(`'([^']*)'`)
	group    = regexp.MustCompile(`G:(S-1-[0-9-]+|[A-Z]{2})`)
)

func decoded(text string) string {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return ""
	}
	words := make([]uint16, len(data)/2)
	for i := range words {
		words[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
	}
	return string(utf16.Decode(words))
}

func (c *call) encodedCommand(text string) int {
	script := strings.TrimPrefix(decoded(text), trapLine)
	if strings.Contains(script, ownersMark) {
		return 0
	}
	if rest, found := strings.CutPrefix(script+"\n", shellLine); found {
		c.printf("shell %s \n", c.host.environment("SHLVL"))
		script = strings.TrimSuffix(rest, "\n")
	}
	if script == "" {
		return 0
	}
	var paths []string
	list := pathList.FindStringSubmatch(script)
	if list == nil {
		return c.unknown()
	}
	for _, found := range onePath.FindAllStringSubmatch(list[1], -1) {
		paths = append(paths, found[1])
	}
	named := strings.NewReplacer("{paths}", list[1], "{closed}", closed)
	switch script {
	case named.Replace(lookScript):
	case named.Replace(makeScript):
		if err := c.makeFolders(paths); err != nil {
			return c.failed(err)
		}
	default:
		return c.unknown()
	}
	return c.tellFolders(paths)
}

func keptAccess() map[string]string {
	kept := map[string]string{}
	if data, err := os.ReadFile(accessFile); err == nil {
		json.Unmarshal(data, &kept)
	}
	return kept
}

func (c *call) makeFolders(paths []string) error {
	kept := keptAccess()
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
		kept[strings.ToLower(path)] = closed
		c.printf("made %s\n", path)
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	if err := os.WriteFile(accessFile+".new", data, 0o644); err != nil {
		return err
	}
	return os.Rename(accessFile+".new", accessFile)
}

func (c *call) tellFolders(paths []string) int {
	kept, lists := keptAccess(), lists{}
	if err := c.state.load("icacls", &lists); err != nil {
		return c.failed(err)
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			c.printf("absent %s\n", path)
			continue
		}
		attributes, access := 0x20, ""
		if info.IsDir() {
			attributes, access = 0x10, accessOf(path, kept, lists)
		} else if info.Mode()&os.ModeSymlink != 0 {
			attributes = 0x410
		}
		c.print(fmt.Sprintf("%d %s %s\n", attributes, path, group.ReplaceAllString(access, "")))
	}
	return 0
}

// accessOf is what was set for a folder or one above it; what is closed gives that to all below.
func accessOf(path string, kept map[string]string, lists lists) string {
	for one := path; ; one = filepath.Dir(one) {
		if found := kept[strings.ToLower(one)]; found != "" {
			return found
		}
		if list := lists[strings.ToLower(one)]; list != nil && list.Protected {
			return closed
		}
		if filepath.Dir(one) == one || one == "." {
			return belowRoot
		}
	}
}
