package main

import (
	"context"
	"log"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

type container struct {
	id, sandbox, image         string
	config                     *cri.ContainerConfig
	state                      cri.ContainerState
	created, started, finished int64
	exit                       int32
	log                        *logFile
	host                       *hostProcess // nil unless the container is a HostProcess one
}

// stop ends a running container; one that only pretends ends well, a process ends when it is gone.
func (c *container) stop() {
	if c.state != cri.ContainerState_CONTAINER_RUNNING {
		return
	}
	if c.host != nil {
		c.host.kill()
		return
	}
	c.state, c.finished = cri.ContainerState_CONTAINER_EXITED, now()
}

// named is the image as the pod names it; the kubelet itself asks by the id it was told.
func (c *container) named() *cri.ImageSpec {
	if name := c.config.GetImage().GetUserSpecifiedImage(); name != "" {
		return &cri.ImageSpec{Image: name, UserSpecifiedImage: name}
	}
	return c.config.Image
}

// CreateContainer refuses a mount whose source is not there, as Windows would at the start.
func (r *runtime) CreateContainer(_ context.Context, request *cri.CreateContainerRequest) (*cri.CreateContainerResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	box := r.sandboxes[request.PodSandboxId]
	if box == nil {
		return nil, missing("sandbox", request.PodSandboxId)
	}
	config := request.Config
	made := &container{
		id: newID(), sandbox: box.id, image: config.GetImage().GetImage(), config: config,
		state: cri.ContainerState_CONTAINER_CREATED, created: now(), log: &logFile{},
	}
	if directory := request.SandboxConfig.GetLogDirectory(); directory != "" && config.LogPath != "" {
		made.log.path = filepath.Join(directory, config.LogPath)
	}
	for _, mount := range config.Mounts {
		if _, err := os.Stat(mount.HostPath); err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "mount %s: %v", mount.HostPath, err)
		}
	}
	if box.isHostProcess() || config.GetWindows().GetSecurityContext().GetHostProcess() {
		host, err := newHostProcess(made, r.links)
		if err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "container %s: %v", config.GetMetadata().GetName(), err)
		}
		made.host = host
	}
	r.containers[made.id] = made
	log.Printf("CreateContainer %s image=%s mounts=%d hostProcess=%v", config.GetMetadata().GetName(), made.image, len(config.Mounts), made.host != nil)
	return &cri.CreateContainerResponse{ContainerId: made.id}, nil
}

func (r *runtime) StartContainer(_ context.Context, request *cri.StartContainerRequest) (*cri.StartContainerResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[request.ContainerId]
	if c == nil {
		return nil, missing("container", request.ContainerId)
	}
	if c.state != cri.ContainerState_CONTAINER_CREATED {
		return nil, status.Errorf(codes.FailedPrecondition, "container %q is in state %v", c.id, c.state)
	}
	if err := c.log.open(); err != nil {
		return nil, err
	}
	c.started = now()
	if c.host == nil {
		c.log.line("stdout", "lab stand-in: nothing runs in container "+c.config.GetMetadata().GetName())
		c.state = cri.ContainerState_CONTAINER_RUNNING
		return &cri.StartContainerResponse{}, nil
	}
	ended := func(exit int32) {
		r.mu.Lock()
		defer r.mu.Unlock()
		c.state, c.finished, c.exit = cri.ContainerState_CONTAINER_EXITED, now(), exit
		c.log.close()
		log.Printf("container %s ended with %d", c.config.GetMetadata().GetName(), exit)
	}
	if err := c.host.run(r.start, c.log, ended); err != nil {
		c.state, c.finished, c.exit = cri.ContainerState_CONTAINER_EXITED, now(), 128
		return nil, status.Errorf(codes.Unknown, "failed to start %s: %v", strings.Join(c.host.command, " "), err)
	}
	c.state = cri.ContainerState_CONTAINER_RUNNING
	return &cri.StartContainerResponse{}, nil
}

// StopContainer returns when the container has ended, as the CRI demands.
func (r *runtime) StopContainer(_ context.Context, request *cri.StopContainerRequest) (*cri.StopContainerResponse, error) {
	r.mu.Lock()
	c := r.containers[request.ContainerId]
	running := c != nil && c.state == cri.ContainerState_CONTAINER_RUNNING
	if running {
		c.stop()
	}
	r.mu.Unlock()
	if running && c.host != nil {
		c.host.wait()
	}
	return &cri.StopContainerResponse{}, nil
}

func (r *runtime) RemoveContainer(_ context.Context, request *cri.RemoveContainerRequest) (*cri.RemoveContainerResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.containers[request.ContainerId]; c != nil {
		c.stop()
		r.forget(c)
	}
	return &cri.RemoveContainerResponse{}, nil
}

// forget removes a container that has been told to stop; mu is held.
func (r *runtime) forget(c *container) {
	if c.host != nil {
		c.host.remove()
	} else {
		c.log.close()
	}
	delete(r.containers, c.id)
}

func (r *runtime) ListContainers(_ context.Context, request *cri.ListContainersRequest) (*cri.ListContainersResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	filter, response := request.GetFilter(), &cri.ListContainersResponse{}
	for _, c := range r.containers {
		if id := filter.GetId(); id != "" && id != c.id {
			continue
		}
		if id := filter.GetPodSandboxId(); id != "" && id != c.sandbox {
			continue
		}
		if state := filter.GetState(); state != nil && state.State != c.state {
			continue
		}
		if !matches(c.config.Labels, filter.GetLabelSelector()) {
			continue
		}
		response.Containers = append(response.Containers, &cri.Container{
			Id: c.id, PodSandboxId: c.sandbox, Metadata: c.config.Metadata, Image: c.named(), ImageRef: c.image,
			ImageId: c.image, State: c.state, CreatedAt: c.created, Labels: c.config.Labels, Annotations: c.config.Annotations,
		})
	}
	return response, nil
}

func (r *runtime) ContainerStatus(_ context.Context, request *cri.ContainerStatusRequest) (*cri.ContainerStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[request.ContainerId]
	if c == nil {
		return nil, missing("container", request.ContainerId)
	}
	found := &cri.ContainerStatus{
		Id: c.id, Metadata: c.config.Metadata, State: c.state, CreatedAt: c.created, StartedAt: c.started, FinishedAt: c.finished,
		ExitCode: c.exit, Image: c.named(), ImageRef: c.image, ImageId: c.image, Labels: c.config.Labels,
		Annotations: c.config.Annotations, Mounts: c.config.Mounts, LogPath: c.log.path,
	}
	if c.state == cri.ContainerState_CONTAINER_EXITED {
		found.Reason = "Completed"
		if c.exit != 0 {
			found.Reason = "Error"
		}
	}
	return &cri.ContainerStatusResponse{Status: found}, nil
}

func (r *runtime) ReopenContainerLog(_ context.Context, request *cri.ReopenContainerLogRequest) (*cri.ReopenContainerLogResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[request.ContainerId]
	if c == nil {
		return nil, missing("container", request.ContainerId)
	}
	if c.state != cri.ContainerState_CONTAINER_RUNNING {
		return nil, status.Errorf(codes.FailedPrecondition, "container %q is not running", c.id)
	}
	return &cri.ReopenContainerLogResponse{}, c.log.open()
}
