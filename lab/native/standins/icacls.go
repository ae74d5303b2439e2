// icacls.exe: access control lists of files.
//
// Answers "icacls PATH", and /grant[:r], /deny, /remove[:g|:d], /inheritance:e|d|r, /reset and
// /setowner with /T, /C, /L and /Q. It differs: Wine keeps only what Unix mode bits can say, so the list
// is the stand-in's own record, by path; nothing else reads or enforces it, and what another program
// sets is not seen. A path without a record shows what it would inherit from C:\ of a fresh Windows.
//
// Recorded: the lines about processed files and the form of entries from Microsoft's "icacls"
// documentation and published listings of C:\.

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// entry is one line of a list: who, inheritance flags such as (OI)(CI), rights such as (F).
type entry struct {
	Who    string `json:"who"`
	Flags  string `json:"flags"`
	Rights string `json:"rights"`
	Deny   bool   `json:"deny"`
}

// list is what is known of one path.
type list struct {
	Protected bool    `json:"protected"` // takes nothing from its folder
	Entries   []entry `json:"entries"`
	Owner     string  `json:"owner"`
}

const fileNotFound = 2

// freshRoot is C:\ of a new Windows Server.
var freshRoot = []entry{
	{Who: `NT AUTHORITY\SYSTEM`, Flags: "(OI)(CI)", Rights: "(F)"},
	{Who: `BUILTIN\Administrators`, Flags: "(OI)(CI)", Rights: "(F)"},
	{Who: `BUILTIN\Users`, Flags: "(OI)(CI)", Rights: "(RX)"},
	{Who: `BUILTIN\Users`, Flags: "(CI)", Rights: "(AD)"},
	{Who: `BUILTIN\Users`, Flags: "(CI)(IO)", Rights: "(WD)"},
	{Who: "CREATOR OWNER", Flags: "(OI)(CI)(IO)", Rights: "(F)"},
}

var wellKnown = map[string]string{
	"*s-1-1-0": "Everyone", "*s-1-5-18": `NT AUTHORITY\SYSTEM`, "*s-1-5-19": `NT AUTHORITY\LOCAL SERVICE`,
	"*s-1-5-20": `NT AUTHORITY\NETWORK SERVICE`, "*s-1-5-11": `NT AUTHORITY\Authenticated Users`,
	"*s-1-5-32-544": `BUILTIN\Administrators`, "*s-1-5-32-545": `BUILTIN\Users`, "*s-1-3-0": "CREATOR OWNER",
	"system": `NT AUTHORITY\SYSTEM`, `nt authority\system`: `NT AUTHORITY\SYSTEM`, "administrators": `BUILTIN\Administrators`,
	`builtin\administrators`: `BUILTIN\Administrators`, "users": `BUILTIN\Users`, `builtin\users`: `BUILTIN\Users`, "everyone": "Everyone",
	"authenticated users": `NT AUTHORITY\Authenticated Users`, "creator owner": "CREATOR OWNER",
}

func account(name string) string {
	if known := wellKnown[strings.ToLower(name)]; known != "" {
		return known
	}
	return name
}

// parseEntry reads "who:(OI)(CI)F" or "who:(OI)(RX,W)".
func parseEntry(text string) (entry, bool) {
	split := strings.LastIndex(text, ":")
	if split <= 0 || split == len(text)-1 {
		return entry{}, false
	}
	made := entry{Who: account(text[:split])}
	rest := text[split+1:]
	for _, flag := range []string{"(OI)", "(CI)", "(IO)", "(NP)"} {
		if strings.Contains(strings.ToUpper(rest), flag) {
			made.Flags += flag
			at := strings.Index(strings.ToUpper(rest), flag)
			rest = rest[:at] + rest[at+len(flag):]
		}
	}
	made.Rights = "(" + strings.ToUpper(strings.Trim(rest, "()")) + ")"
	return made, len(made.Rights) > 2
}

// change is one request to change a list; folder says whether the path is one.
type change func(*list, bool)

// parseChanges reads what follows the path; false if something is not known.
func parseChanges(args []string, inherited func() []entry) (changes []change, recurse, quiet, ok bool) {
	for i := 0; i < len(args); i++ {
		var words []string
		for i+1 < len(args) && !strings.HasPrefix(args[i+1], "/") {
			i++
			words = append(words, args[i])
		}
		option := strings.ToLower(args[i-len(words)])
		switch {
		case option == "/t" && len(words) == 0:
			recurse = true
		case option == "/q" && len(words) == 0:
			quiet = true
		case (option == "/c" || option == "/l") && len(words) == 0:
		case option == "/reset" && len(words) == 0:
			changes = append(changes, func(l *list, _ bool) { *l = list{Owner: l.Owner} })
		case strings.HasPrefix(option, "/inheritance:") && len(words) == 0:
			mode := strings.TrimPrefix(option, "/inheritance:")
			if !strings.Contains("edr", mode) || len(mode) != 1 {
				return nil, false, false, false
			}
			changes = append(changes, func(l *list, _ bool) {
				if mode == "d" && !l.Protected {
					l.Entries = append(l.Entries, inherited()...)
				}
				l.Protected = mode != "e"
			})
		case option == "/setowner" && len(words) == 1:
			changes = append(changes, func(l *list, _ bool) { l.Owner = account(words[0]) })
		case (option == "/grant" || option == "/grant:r" || option == "/deny") && len(words) > 0:
			for _, word := range words {
				made, valid := parseEntry(word)
				if !valid {
					return nil, false, false, false
				}
				made.Deny = option == "/deny"
				changes = append(changes, granting(made, option == "/grant:r"))
			}
		case (option == "/remove" || option == "/remove:g" || option == "/remove:d") && len(words) > 0:
			for _, word := range words {
				changes = append(changes, removing(account(word), strings.TrimPrefix(option, "/remove")))
			}
		default:
			return nil, false, false, false
		}
	}
	return changes, recurse, quiet, true
}

func granting(made entry, replace bool) change {
	return func(l *list, folder bool) {
		if !folder {
			made.Flags = ""
		}
		var kept []entry
		for _, one := range l.Entries {
			if one == made || replace && one.Who == made.Who && !one.Deny {
				continue
			}
			kept = append(kept, one)
		}
		l.Entries = append(kept, made)
		// Windows keeps denials before grants.
		sort.SliceStable(l.Entries, func(i, j int) bool { return l.Entries[i].Deny && !l.Entries[j].Deny })
	}
}

func removing(who, kind string) change {
	return func(l *list, _ bool) {
		var kept []entry
		for _, one := range l.Entries {
			if one.Who == who && (kind == "" || kind == ":d" && one.Deny || kind == ":g" && !one.Deny) {
				continue
			}
			kept = append(kept, one)
		}
		l.Entries = kept
	}
}

type lists map[string]*list

// inherited is what a path takes from its folders.
func (all lists) inherited(path string, folder bool) []entry {
	parent := filepath.Dir(path)
	if parent == path {
		return nil
	}
	var from []entry
	if known := all[strings.ToLower(parent)]; known != nil {
		from = known.Entries
		if !known.Protected {
			from = append(append([]entry{}, from...), all.inherited(parent, true)...)
		}
	} else if filepath.Dir(parent) == parent {
		from = freshRoot
	} else {
		from = all.inherited(parent, true)
	}
	var result []entry
	for _, one := range from {
		object, container := strings.Contains(one.Flags, "(OI)"), strings.Contains(one.Flags, "(CI)")
		one.Flags = strings.ReplaceAll(one.Flags, "(I)", "")
		switch {
		case folder && container:
			one.Flags = strings.ReplaceAll(one.Flags, "(IO)", "")
		case folder && object:
			one.Flags = "(OI)(IO)"
		case !folder && object:
			one.Flags = ""
		default:
			continue
		}
		one.Flags = "(I)" + one.Flags
		result = append(result, one)
	}
	return result
}

func (all lists) effective(path string, folder bool) []entry {
	if filepath.Dir(path) == path && all[strings.ToLower(path)] == nil {
		return freshRoot
	}
	known := all[strings.ToLower(path)]
	if known == nil {
		return all.inherited(path, folder)
	}
	if known.Protected {
		return known.Entries
	}
	return append(append([]entry{}, known.Entries...), all.inherited(path, folder)...)
}

func (c *call) icacls() int {
	if len(c.args) == 0 {
		return c.unknown()
	}
	path, err := filepath.Abs(c.args[0])
	if err != nil {
		return c.failed(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		c.printf("%s: The system cannot find the file specified.\nSuccessfully processed 0 files; Failed processing 1 files\n", c.args[0])
		return fileNotFound
	}
	all := lists{}
	if len(c.args) == 1 {
		if err := c.state.load("icacls", &all); err != nil {
			return c.failed(err)
		}
		c.print(listText(c.args[0], all.effective(path, info.IsDir())))
		return 0
	}
	count, known, quiet := 0, true, false
	err = c.state.update("icacls", &all, func() error {
		changes, recurse, q, ok := parseChanges(c.args[1:], func() []entry { return bare(all.inherited(path, info.IsDir())) })
		if known, quiet = ok, q; !ok {
			return fmt.Errorf("unknown words")
		}
		return walk(path, recurse, func(one string, folder bool) {
			key := strings.ToLower(one)
			if all[key] == nil {
				all[key] = &list{}
			}
			for _, apply := range changes {
				apply(all[key], folder)
			}
			if !quiet {
				c.printf("processed file: %s\n", one)
			}
			count++
		})
	})
	if !known {
		return c.unknown()
	}
	if err != nil {
		return c.failed(err)
	}
	c.printf("Successfully processed %d files; Failed processing 0 files\n", count)
	return 0
}

// bare is entries without the mark that they are inherited.
func bare(entries []entry) []entry {
	var result []entry
	for _, one := range entries {
		one.Flags = strings.Replace(one.Flags, "(I)", "", 1)
		result = append(result, one)
	}
	return result
}

func walk(path string, recurse bool, visit func(string, bool)) error {
	if !recurse {
		info, err := os.Stat(path)
		if err == nil {
			visit(path, info.IsDir())
		}
		return err
	}
	return filepath.WalkDir(path, func(one string, entry os.DirEntry, err error) error {
		if err == nil {
			visit(one, entry.IsDir())
		}
		return err
	})
}

// listText is a list as icacls prints it: the path once, then every entry below the first.
func listText(path string, entries []entry) string {
	var text strings.Builder
	indent := path + " "
	for _, one := range entries {
		deny := ""
		if one.Deny {
			deny = "(DENY)"
		}
		text.WriteString(indent + one.Who + ":" + one.Flags + deny + one.Rights + "\n")
		indent = strings.Repeat(" ", len(path)+1)
	}
	if len(entries) == 0 {
		text.WriteString(path + "\n")
	}
	text.WriteString("\nSuccessfully processed 1 files; Failed processing 0 files\n")
	return text.String()
}
