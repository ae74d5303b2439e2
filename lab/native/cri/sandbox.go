package main

import (
	"context"
	"errors"
	"log"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

type sandbox struct {
	id      string
	config  *cri.PodSandboxConfig
	handler string
	state   cri.PodSandboxState
	created int64
	network attachment
}

func (s *sandbox) isHostProcess() bool {
	return s.config.GetWindows().GetSecurityContext().GetHostProcess()
}

// RunPodSandbox gives the pod its network: none of its own for HostProcess, which uses the host's.
func (r *runtime) RunPodSandbox(ctx context.Context, request *cri.RunPodSandboxRequest) (*cri.RunPodSandboxResponse, error) {
	made := &sandbox{id: newID(), config: request.Config, handler: request.RuntimeHandler, created: now()}
	if !made.isHostProcess() {
		attached, err := r.network.add(ctx, made.id, made.config)
		if err != nil {
			return nil, err
		}
		made.network = attached
	}
	if err := r.records.save(made); err != nil {
		return nil, errors.Join(err, r.network.remove(ctx, made.id, made.config, made.network))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sandboxes[made.id] = made
	metadata := made.config.GetMetadata()
	log.Printf("RunPodSandbox %s/%s handler=%q address=%v", metadata.GetNamespace(), metadata.GetName(), made.handler, made.network.addresses)
	return &cri.RunPodSandboxResponse{PodSandboxId: made.id}, nil
}

// StopPodSandbox may be called again and for what is gone, as the CRI demands.
func (r *runtime) StopPodSandbox(ctx context.Context, request *cri.StopPodSandboxRequest) (*cri.StopPodSandboxResponse, error) {
	r.mu.Lock()
	found := r.sandboxes[request.PodSandboxId]
	var detach attachment
	if found != nil {
		found.state = cri.PodSandboxState_SANDBOX_NOTREADY
		for _, c := range r.containers {
			if c.sandbox == found.id {
				c.stop()
			}
		}
		detach, found.network = found.network, attachment{}
	}
	r.mu.Unlock()
	if found != nil {
		if err := r.network.remove(ctx, found.id, found.config, detach); err != nil {
			r.mu.Lock()
			found.network = detach
			r.mu.Unlock()
			return nil, err
		}
	}
	return &cri.StopPodSandboxResponse{}, nil
}

func (r *runtime) RemovePodSandbox(ctx context.Context, request *cri.RemovePodSandboxRequest) (*cri.RemovePodSandboxResponse, error) {
	if _, err := r.StopPodSandbox(ctx, &cri.StopPodSandboxRequest{PodSandboxId: request.PodSandboxId}); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.containers {
		if c.sandbox == request.PodSandboxId {
			r.forget(c)
		}
	}
	if r.sandboxes[request.PodSandboxId] != nil {
		r.records.remove(request.PodSandboxId)
		delete(r.sandboxes, request.PodSandboxId)
	}
	return &cri.RemovePodSandboxResponse{}, nil
}

func (r *runtime) PodSandboxStatus(_ context.Context, request *cri.PodSandboxStatusRequest) (*cri.PodSandboxStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.sandboxes[request.PodSandboxId]
	if found == nil {
		return nil, missing("sandbox", request.PodSandboxId)
	}
	network := &cri.PodSandboxNetworkStatus{}
	for i, address := range found.network.addresses {
		if i == 0 {
			network.Ip = address
		} else {
			network.AdditionalIps = append(network.AdditionalIps, &cri.PodIP{Ip: address})
		}
	}
	// The kubelet compares these with the pod on Windows too, and makes a new sandbox if they differ.
	namespaces := &cri.Namespace{Options: found.config.GetLinux().GetSecurityContext().GetNamespaceOptions()}
	return &cri.PodSandboxStatusResponse{Status: &cri.PodSandboxStatus{
		Linux: &cri.LinuxPodSandboxStatus{Namespaces: namespaces},
		Id:    found.id, Metadata: found.config.Metadata, State: found.state, CreatedAt: found.created, Network: network,
		Labels: found.config.Labels, Annotations: found.config.Annotations, RuntimeHandler: found.handler,
	}}, nil
}

func (r *runtime) ListPodSandbox(_ context.Context, request *cri.ListPodSandboxRequest) (*cri.ListPodSandboxResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	filter, response := request.GetFilter(), &cri.ListPodSandboxResponse{}
	for _, s := range r.sandboxes {
		if id := filter.GetId(); id != "" && id != s.id {
			continue
		}
		if state := filter.GetState(); state != nil && state.State != s.state {
			continue
		}
		if !matches(s.config.Labels, filter.GetLabelSelector()) {
			continue
		}
		response.Items = append(response.Items, &cri.PodSandbox{
			Id: s.id, Metadata: s.config.Metadata, State: s.state, CreatedAt: s.created,
			Labels: s.config.Labels, Annotations: s.config.Annotations, RuntimeHandler: s.handler,
		})
	}
	return response, nil
}
