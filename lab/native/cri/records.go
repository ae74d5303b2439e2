package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// records are the sandboxes on disk, so that after a restart the kubelet can still have their network
// taken down.
type records struct{ directory string }

type record struct {
	Config    []byte   `json:"config"` // cri.PodSandboxConfig
	Handler   string   `json:"handler"`
	Created   int64    `json:"created"`
	Namespace string   `json:"namespace"`
	Addresses []string `json:"addresses"`
}

func (r records) path(id string) string { return filepath.Join(r.directory, id+".json") }

func (r records) save(s *sandbox) error {
	config, err := proto.Marshal(s.config)
	if err != nil {
		return err
	}
	data, err := json.Marshal(record{config, s.handler, s.created, s.network.namespace, s.network.addresses})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.directory, 0o755); err != nil {
		return err
	}
	return os.WriteFile(r.path(s.id), data, 0o600)
}

func (r records) remove(id string) {
	if err := os.Remove(r.path(id)); err != nil {
		log.Printf("forget sandbox: %v", err)
	}
}

// load reads the sandboxes of the last run; none of them is ready.
func (r records) load() (map[string]*sandbox, error) {
	files, err := filepath.Glob(filepath.Join(r.directory, "*.json"))
	if err != nil {
		return nil, err
	}
	found := map[string]*sandbox{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		kept, config := record{}, &cri.PodSandboxConfig{}
		if err := json.Unmarshal(data, &kept); err != nil {
			log.Printf("%s is damaged: %v", file, err) // a power cut while it was written
			continue
		}
		if err := proto.Unmarshal(kept.Config, config); err != nil {
			return nil, err
		}
		id := strings.TrimSuffix(filepath.Base(file), ".json")
		found[id] = &sandbox{
			id: id, config: config, handler: kept.Handler, created: kept.Created, state: cri.PodSandboxState_SANDBOX_NOTREADY,
			network: attachment{namespace: kept.Namespace, addresses: kept.Addresses},
		}
	}
	return found, nil
}
