package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log"
	"sync"

	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

const imageDirectory = `C:\ProgramData\containerd\root\io.containerd.snapshotter.v1.windows`

// images are names that somebody pulled; every name can be pulled.
type images struct {
	cri.UnimplementedImageServiceServer
	mu    sync.Mutex
	known map[string]*cri.Image
}

func (i *images) PullImage(_ context.Context, request *cri.PullImageRequest) (*cri.PullImageResponse, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	name := request.GetImage().GetImage()
	id := fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(name)))
	i.known[name] = &cri.Image{Id: id, RepoTags: []string{name}, Size: 100 << 20, Spec: request.Image, Username: "ContainerUser"}
	log.Printf("PullImage %s", name)
	return &cri.PullImageResponse{ImageRef: id}, nil
}

func (i *images) find(reference string) (string, *cri.Image) {
	for name, image := range i.known {
		if name == reference || image.Id == reference {
			return name, image
		}
	}
	return "", nil
}

func (i *images) ImageStatus(_ context.Context, request *cri.ImageStatusRequest) (*cri.ImageStatusResponse, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, image := i.find(request.GetImage().GetImage())
	return &cri.ImageStatusResponse{Image: image}, nil
}

func (i *images) ListImages(_ context.Context, request *cri.ListImagesRequest) (*cri.ListImagesResponse, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	response := &cri.ListImagesResponse{}
	wanted := request.GetFilter().GetImage().GetImage()
	for name, image := range i.known {
		if wanted == "" || wanted == name || wanted == image.Id {
			response.Images = append(response.Images, image)
		}
	}
	return response, nil
}

func (i *images) RemoveImage(_ context.Context, request *cri.RemoveImageRequest) (*cri.RemoveImageResponse, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	name, _ := i.find(request.GetImage().GetImage())
	delete(i.known, name)
	return &cri.RemoveImageResponse{}, nil
}

func (i *images) ImageFsInfo(context.Context, *cri.ImageFsInfoRequest) (*cri.ImageFsInfoResponse, error) {
	usage := []*cri.FilesystemUsage{{
		Timestamp: now(), FsId: &cri.FilesystemIdentifier{Mountpoint: imageDirectory},
		UsedBytes: &cri.UInt64Value{Value: 1 << 30}, InodesUsed: &cri.UInt64Value{Value: 1000},
	}}
	return &cri.ImageFsInfoResponse{ImageFilesystems: usage, ContainerFilesystems: usage}, nil
}
