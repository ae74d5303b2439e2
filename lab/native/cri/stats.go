package main

import (
	"context"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func number(value uint64) *cri.UInt64Value { return &cri.UInt64Value{Value: value} }

// stats are made up: a hundredth of a processor and 64 MiB, whatever the container does.
func (c *container) stats() *cri.ContainerStats {
	at := now()
	return &cri.ContainerStats{
		Attributes: &cri.ContainerAttributes{Id: c.id, Metadata: c.config.Metadata, Labels: c.config.Labels, Annotations: c.config.Annotations},
		Cpu:        &cri.CpuUsage{Timestamp: at, UsageCoreNanoSeconds: number(uint64(at-c.started) / 100), UsageNanoCores: number(1e7)},
		Memory:     &cri.MemoryUsage{Timestamp: at, WorkingSetBytes: number(64 << 20), UsageBytes: number(64 << 20)},
		WritableLayer: &cri.FilesystemUsage{
			Timestamp: at, FsId: &cri.FilesystemIdentifier{Mountpoint: imageDirectory}, UsedBytes: number(1 << 20),
		},
	}
}

func (r *runtime) ContainerStats(_ context.Context, request *cri.ContainerStatsRequest) (*cri.ContainerStatsResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[request.ContainerId]
	if c == nil {
		return nil, missing("container", request.ContainerId)
	}
	return &cri.ContainerStatsResponse{Stats: c.stats()}, nil
}

func (r *runtime) ListContainerStats(context.Context, *cri.ListContainerStatsRequest) (*cri.ListContainerStatsResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	response := &cri.ListContainerStatsResponse{}
	for _, c := range r.containers {
		if c.state == cri.ContainerState_CONTAINER_RUNNING {
			response.Stats = append(response.Stats, c.stats())
		}
	}
	return response, nil
}
