package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"log"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

type options struct {
	pipe, prefix, cniConfig, cniPlugins, faults, state string
}

// runtime is everything the stand-in knows; mu guards the two tables and what is in them.
type runtime struct {
	cri.UnimplementedRuntimeServiceServer
	network *network
	images  *images
	faults  *faults
	records records
	links   ledger
	streams streaming.Server
	start   starter

	mu         sync.Mutex
	sandboxes  map[string]*sandbox
	containers map[string]*container
}

func newRuntime(options options, namespaces namespaces, start starter) (*runtime, error) {
	network, err := newNetwork(options, namespaces)
	if err != nil {
		return nil, err
	}
	kept := records{options.state}
	sandboxes, err := kept.load()
	if err != nil {
		return nil, err
	}
	links := ledger{filepath.Join(options.state, "links.txt")}
	if err := links.clear(); err != nil {
		return nil, err
	}
	for _, one := range sandboxes {
		network.reserve(one.network.addresses)
	}
	return &runtime{
		network:    network,
		records:    kept,
		links:      links,
		images:     &images{known: map[string]*cri.Image{}},
		faults:     &faults{path: options.faults},
		start:      start,
		sandboxes:  sandboxes,
		containers: map[string]*container{},
	}, nil
}

func newID() string {
	id := make([]byte, 32)
	rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

func now() int64 { return time.Now().UnixNano() }

// matches says whether labels have every wanted one.
func matches(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return true
}

func missing(what, id string) error {
	return status.Errorf(codes.NotFound, "%s %q not found", what, id)
}

func (r *runtime) Version(context.Context, *cri.VersionRequest) (*cri.VersionResponse, error) {
	return &cri.VersionResponse{
		Version: "0.1.0", RuntimeName: "containerd", RuntimeVersion: "v2.3.7+transom-lab-standin", RuntimeApiVersion: "v1",
	}, nil
}

func (r *runtime) Status(context.Context, *cri.StatusRequest) (*cri.StatusResponse, error) {
	network := &cri.RuntimeCondition{Type: cri.NetworkReady, Status: true}
	if err := r.network.ready(); err != nil { // reason and message are containerd's
		network = &cri.RuntimeCondition{Type: cri.NetworkReady, Reason: "NetworkPluginNotReady", Message: "Network plugin returns error: " + err.Error()}
	}
	return &cri.StatusResponse{
		Status: &cri.RuntimeStatus{Conditions: []*cri.RuntimeCondition{{Type: cri.RuntimeReady, Status: true}, network}},
		RuntimeHandlers: []*cri.RuntimeHandler{
			{Name: ""}, {Name: "runhcs-wcow-process"}, {Name: "runhcs-wcow-hypervisor"},
		},
	}, nil
}

func (r *runtime) UpdateRuntimeConfig(_ context.Context, request *cri.UpdateRuntimeConfigRequest) (*cri.UpdateRuntimeConfigResponse, error) {
	log.Printf("UpdateRuntimeConfig pod CIDR %s", request.GetRuntimeConfig().GetNetworkConfig().GetPodCidr())
	return &cri.UpdateRuntimeConfigResponse{}, nil
}

// RuntimeConfig has no Linux part on Windows.
func (r *runtime) RuntimeConfig(context.Context, *cri.RuntimeConfigRequest) (*cri.RuntimeConfigResponse, error) {
	return &cri.RuntimeConfigResponse{}, nil
}

func serveHTTP(listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}
