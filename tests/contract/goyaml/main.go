// Command goyaml reads YAML exactly as Kubernetes does, for the contract tests of the loader.
//
// Each line of standard input is one text, base64 in JSON; each line of standard output is its
// reading: the documents that kubectl's splitter finds, each with the JSON that sigs.k8s.io/yaml
// makes of it, or the error, and the error of strict decoding.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type request struct {
	Text  []byte `json:"text"`
	Whole bool   `json:"whole"` // one document, not cut at separators
}

type document struct {
	JSON        json.RawMessage `json:"json,omitempty"`
	Error       string          `json:"error,omitempty"`
	StrictError string          `json:"strict_error,omitempty"`
}

type reading struct {
	Documents []document `json:"documents"`
	Error     string     `json:"error,omitempty"` // of the splitter
}

func read(text []byte) document {
	var result document
	converted, err := yaml.YAMLToJSON(text)
	if err != nil {
		// kubectl takes what starts with a brace as JSON first.
		var value map[string]any
		if json.Unmarshal(text, &value) == nil {
			result.JSON, err = json.Marshal(value)
		}
		if err == nil {
			return result
		}
		result.Error = err.Error()
		return result
	}
	result.JSON = converted
	if _, err := yaml.YAMLToJSONStrict(text); err != nil {
		result.StrictError = err.Error()
	}
	return result
}

func split(text []byte) reading {
	result := reading{Documents: []document{}}
	var chunks [][]byte
	documents := kubeyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		chunk, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			result.Error = err.Error()
			break
		}
		chunks = append(chunks, chunk)
	}
	// The splitter ends the last line of a file, even where the file does not.
	lastLine := text[bytes.LastIndexByte(text, '\n')+1:]
	if last := len(chunks) - 1; last >= 0 && len(lastLine) > 0 && !bytes.HasPrefix(lastLine, []byte("---")) {
		chunks[last] = bytes.TrimSuffix(chunks[last], []byte("\n"))
	}
	for _, chunk := range chunks {
		result.Documents = append(result.Documents, read(chunk))
	}
	return result
}

func main() {
	input := json.NewDecoder(bufio.NewReader(os.Stdin))
	output := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(output)
	for {
		var next request
		if err := input.Decode(&next); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		var result reading
		if next.Whole {
			result.Documents = []document{read(next.Text)}
		} else {
			result = split(next.Text)
		}
		if err := encoder.Encode(result); err != nil {
			log.Fatal(err)
		}
	}
	if err := output.Flush(); err != nil {
		log.Fatal(err)
	}
}
