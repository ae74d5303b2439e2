// Command kubelet_fields prints the fields of KubeletConfiguration that a folder of Go source declares, as JSON.
//
// It reads syntax only, so that no module but those named has to be there:
//
//	kubelet_fields k8s.io/kubelet=FOLDER k8s.io/component-base=FOLDER
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
)

const root = "k8s.io/kubelet/config/v1beta1"

// Types that write themselves, and those of k8s.io/api, which is too large to fetch for two of them; what has no text
// is left out.
var leaves = map[string]string{
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":        "duration",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":            "time",
	"k8s.io/apimachinery/pkg/api/resource.Quantity":        "quantity",
	"k8s.io/apimachinery/pkg/api/resource.QuantityValue":   "quantity",
	"k8s.io/component-base/logs/api/v1.TimeOrMetaDuration": "duration or nanoseconds",
	"time.Duration":                                 "int64",
	"k8s.io/api/core/v1.ResourceList":               "map of quantity",
	"k8s.io/api/core/v1.Taint":                      "taint",
	"k8s.io/apimachinery/pkg/apis/meta/v1.TypeMeta": "",
}

var taint = map[string]string{"key": "string", "value": "string", "effect": "string", "timeAdded": "time"}

type field struct {
	Path   string   `json:"path"`
	Type   string   `json:"type"`
	Values []string `json:"values,omitempty"`
}

// packageOf is what one folder declares.
type packageOf struct {
	types  map[string]ast.Expr
	values map[string][]string            // of named string types, their constants
	names  map[ast.Expr]map[string]string // imports by the name they have where the type is declared
}

type reader struct {
	folders  map[string]string
	packages map[string]*packageOf
	fields   []field
}

func main() {
	read := reader{folders: map[string]string{}, packages: map[string]*packageOf{}}
	for _, argument := range os.Args[1:] {
		module, folder, _ := strings.Cut(argument, "=")
		read.folders[module] = folder
	}
	if err := read.object(root, "KubeletConfiguration", ""); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	sort.Slice(read.fields, func(i, j int) bool { return read.fields[i].Path < read.fields[j].Path })
	if err := json.NewEncoder(os.Stdout).Encode(read.fields); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// object adds the fields of a struct below a path.
func (read *reader) object(importPath, name, below string) error {
	of, err := read.load(importPath)
	if err != nil {
		return err
	}
	declared, found := of.types[name]
	if !found {
		return fmt.Errorf("%s declares no %s", importPath, name)
	}
	structure, is := declared.(*ast.StructType)
	if !is {
		return fmt.Errorf("%s.%s is no struct", importPath, name)
	}
	for _, member := range structure.Fields.List {
		if err := read.member(importPath, of.names[declared], member, below); err != nil {
			return err
		}
	}
	return nil
}

func (read *reader) member(importPath string, imports map[string]string, member *ast.Field, below string) error {
	tag := ""
	if member.Tag != nil {
		raw, err := strconv.Unquote(member.Tag.Value)
		if err != nil {
			return err
		}
		tag = reflect.StructTag(raw).Get("json")
	}
	key, _, _ := strings.Cut(tag, ",")
	if key == "-" {
		return nil
	}
	if len(member.Names) == 0 && key == "" {
		where, name := named(importPath, imports, member.Type)
		if leaf, known := leaves[where+"."+name]; known && leaf == "" {
			return nil
		}
		return read.object(where, name, below)
	}
	if key == "" {
		return fmt.Errorf("%s: a field of %s has no name in JSON", importPath, below)
	}
	full := key
	if below != "" {
		full = below + "." + key
	}
	kind, values, err := read.kind(importPath, imports, member.Type, full)
	if err == nil {
		read.fields = append(read.fields, field{full, kind, values})
	}
	return err
}

// kind says what a type is in JSON, and adds the fields below it where it has some.
func (read *reader) kind(importPath string, imports map[string]string, of ast.Expr, at string) (string, []string, error) {
	switch written := of.(type) {
	case *ast.StarExpr:
		return read.kind(importPath, imports, written.X, at)
	case *ast.ArrayType:
		kind, values, err := read.kind(importPath, imports, written.Elt, at+"[]")
		return "list of " + kind, values, err
	case *ast.MapType:
		kind, values, err := read.kind(importPath, imports, written.Value, at+"{}")
		return "map of " + kind, values, err
	}
	where, name := named(importPath, imports, of)
	if where == "" {
		return name, nil, nil
	}
	if leaf, known := leaves[where+"."+name]; known {
		if leaf != "taint" {
			return leaf, nil, nil
		}
		for key, kind := range taint {
			read.fields = append(read.fields, field{at + "." + key, kind, nil})
		}
		return "object", nil, nil
	}
	found, err := read.load(where)
	if err != nil {
		return "", nil, err
	}
	declared, is := found.types[name]
	if !is {
		return "", nil, fmt.Errorf("%s declares no %s", where, name)
	}
	if _, is := declared.(*ast.StructType); is {
		return "object", nil, read.object(where, name, at)
	}
	kind, values, err := read.kind(where, found.names[declared], declared, at)
	if kind == "string" && len(values) == 0 {
		values = found.values[name]
	}
	return kind, values, err
}

// named gives package and name of a type; no package where Go has it built in.
func named(importPath string, imports map[string]string, of ast.Expr) (string, string) {
	switch written := of.(type) {
	case *ast.SelectorExpr:
		return imports[written.X.(*ast.Ident).Name], written.Sel.Name
	case *ast.Ident:
		if ast.IsExported(written.Name) {
			return importPath, written.Name
		}
		return "", written.Name
	}
	return "", fmt.Sprintf("%T", of)
}

func (read *reader) load(importPath string) (*packageOf, error) {
	if known := read.packages[importPath]; known != nil {
		return known, nil
	}
	folder, err := read.folder(importPath)
	if err != nil {
		return nil, err
	}
	skipTests := func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }
	parsed, err := parser.ParseDir(token.NewFileSet(), folder, skipTests, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	made := &packageOf{map[string]ast.Expr{}, map[string][]string{}, map[ast.Expr]map[string]string{}}
	for _, sources := range parsed {
		for _, file := range sources.Files {
			made.add(file)
		}
	}
	read.packages[importPath] = made
	return made, nil
}

func (read *reader) folder(importPath string) (string, error) {
	for module, folder := range read.folders {
		if rest, inside := strings.CutPrefix(importPath, module+"/"); inside {
			return filepath.Join(folder, filepath.FromSlash(rest)), nil
		}
	}
	return "", fmt.Errorf("%s: no folder is named for it, and it is no leaf", importPath)
}

func (of *packageOf) add(file *ast.File) {
	imports := map[string]string{}
	for _, imported := range file.Imports {
		where, _ := strconv.Unquote(imported.Path.Value)
		name := path.Base(where)
		if imported.Name != nil {
			name = imported.Name.Name
		}
		imports[name] = where
	}
	for _, declaration := range file.Decls {
		general, is := declaration.(*ast.GenDecl)
		if !is {
			continue
		}
		for _, specification := range general.Specs {
			switch specified := specification.(type) {
			case *ast.TypeSpec:
				of.types[specified.Name.Name] = specified.Type
				of.names[specified.Type] = imports
			case *ast.ValueSpec:
				of.constant(specified)
			}
		}
	}
}

func (of *packageOf) constant(specified *ast.ValueSpec) {
	kind, is := specified.Type.(*ast.Ident)
	if !is || len(specified.Values) != 1 {
		return
	}
	if literal, is := specified.Values[0].(*ast.BasicLit); is && literal.Kind == token.STRING {
		text, _ := strconv.Unquote(literal.Value)
		of.values[kind.Name] = append(of.values[kind.Name], text)
	}
}
