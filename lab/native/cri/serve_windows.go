package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"time"

	winio "github.com/Microsoft/go-winio"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/cri-streaming/pkg/streaming"
)

const startDeadline = 30 * time.Second

// start serves on the pipe and returns when a client would get an answer.
func start(options options) error {
	if err := os.MkdirAll(imageDirectory, 0o755); err != nil {
		return err
	}
	runtime, err := newRuntime(options, hcnNamespaces{}, startProcess)
	if err != nil {
		return err
	}
	if err := runtime.serveStreams(); err != nil {
		return err
	}
	listener, err := winio.ListenPipe(options.pipe, nil)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(runtime.intercept))
	cri.RegisterRuntimeServiceServer(server, runtime)
	cri.RegisterImageServiceServer(server, runtime.images)
	go func() { log.Fatal(server.Serve(listener)) }()
	return warm(options.pipe)
}

// warm is the pipe's first client: in Wine that one meets an instance nobody serves.
func warm(pipe string) error {
	began := time.Now()
	for time.Since(began) < startDeadline {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := hello(ctx, pipe)
		cancel()
		if err == nil {
			log.Printf("serving on %s after %v", pipe, time.Since(began).Round(time.Millisecond))
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("%s did not answer within %v", pipe, startDeadline)
}

func hello(ctx context.Context, pipe string) error {
	dial := func(ctx context.Context, _ string) (net.Conn, error) { return winio.DialPipeContext(ctx, pipe) }
	client, err := grpc.NewClient("passthrough:///pipe",
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithContextDialer(dial))
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = cri.NewRuntimeServiceClient(client).Version(ctx, &cri.VersionRequest{}, grpc.WaitForReady(true))
	return err
}

// intercept fails what a test asked to fail and logs every failure.
func (r *runtime) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	response, err := any(nil), r.faults.take(info.FullMethod)
	if err == nil {
		response, err = handler(ctx, request)
	}
	if err != nil && status.Code(err) != codes.NotFound {
		log.Printf("FAILED %s: %v", info.FullMethod, err)
	}
	return response, err
}

func (r *runtime) serveStreams() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	config := streaming.DefaultConfig
	config.Addr = listener.Addr().String()
	if r.streams, err = streaming.NewServer(config, streamRuntime{r}); err != nil {
		return err
	}
	go func() { log.Print(serveHTTP(listener, r.streams)) }()
	return nil
}
