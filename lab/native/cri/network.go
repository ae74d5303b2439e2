package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"

	"github.com/containernetworking/cni/libcni"
	types "github.com/containernetworking/cni/pkg/types/100"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// namespaces are HNS namespaces, which Windows has in the place of network namespaces.
type namespaces interface {
	create() (string, error)
	remove(id string) error
}

// attachment is what a sandbox got: addresses, and the namespace a plugin put its endpoint into.
type attachment struct {
	namespace string
	addresses []string
}

// network gives pods their addresses: by the configured CNI plugins, or pretended ones where none
// is configured and a prefix was given.
type network struct {
	configurations, plugins string
	namespaces              namespaces
	prefix                  netip.Prefix

	mu    sync.Mutex
	taken map[netip.Addr]bool
}

var errNotInitialized = errors.New("cni plugin not initialized") // containerd's words

func newNetwork(options options, namespaces namespaces) (*network, error) {
	made := &network{configurations: options.cniConfig, plugins: options.cniPlugins, namespaces: namespaces, taken: map[netip.Addr]bool{}}
	if options.prefix == "" {
		return made, nil
	}
	prefix, err := netip.ParsePrefix(options.prefix)
	if err != nil {
		return nil, fmt.Errorf("-cidr: %w", err)
	}
	made.prefix = prefix.Masked()
	return made, nil
}

// configuration is the first of the directory, by name, as containerd takes it; nil if none.
func (n *network) configuration() (*libcni.NetworkConfigList, error) {
	files, err := libcni.ConfFiles(n.configurations, []string{".conf", ".conflist", ".json"})
	if err != nil || len(files) == 0 {
		return nil, err
	}
	first := files[0]
	for _, file := range files {
		if file < first {
			first = file
		}
	}
	if strings.HasSuffix(first, ".conflist") {
		return libcni.ConfListFromFile(first)
	}
	single, err := libcni.ConfFromFile(first)
	if err != nil {
		return nil, err
	}
	return libcni.ConfListFromConf(single)
}

func (n *network) ready() error {
	list, err := n.configuration()
	if err != nil {
		return err
	}
	if list == nil && !n.prefix.IsValid() {
		return errNotInitialized
	}
	return nil
}

func (n *network) add(ctx context.Context, id string, config *cri.PodSandboxConfig) (attachment, error) {
	list, err := n.configuration()
	if err != nil {
		return attachment{}, err
	}
	if list == nil {
		address, err := n.pretend()
		return attachment{addresses: []string{address}}, err
	}
	namespace, err := n.namespaces.create()
	if err != nil {
		return attachment{}, fmt.Errorf("create HNS namespace: %w", err)
	}
	result, err := n.cni().AddNetworkList(ctx, list, cniArguments(id, namespace, config))
	if err != nil {
		return attachment{}, errors.Join(fmt.Errorf("cni: %w", err), n.namespaces.remove(namespace))
	}
	made := attachment{namespace: namespace}
	parsed, err := types.NewResultFromResult(result)
	if err != nil {
		return made, err
	}
	for _, configured := range parsed.IPs {
		made.addresses = append(made.addresses, configured.Address.IP.String())
	}
	return made, nil
}

func (n *network) remove(ctx context.Context, id string, config *cri.PodSandboxConfig, had attachment) error {
	if had.namespace == "" {
		n.release(had.addresses)
		return nil
	}
	list, err := n.configuration()
	if err != nil {
		return err
	}
	if list != nil { // whoever took the configuration away has removed the network as well
		if err := n.cni().DelNetworkList(ctx, list, cniArguments(id, had.namespace, config)); err != nil {
			return fmt.Errorf("cni: %w", err)
		}
	}
	return n.namespaces.remove(had.namespace)
}

func (n *network) cni() *libcni.CNIConfig { return libcni.NewCNIConfig([]string{n.plugins}, nil) }

// cniArguments are those containerd passes: the pod in CNI_ARGS, its ports and DNS by capability.
func cniArguments(id, namespace string, config *cri.PodSandboxConfig) *libcni.RuntimeConf {
	metadata := config.GetMetadata()
	arguments := &libcni.RuntimeConf{
		ContainerID: id, NetNS: namespace, IfName: "eth0",
		Args: [][2]string{
			{"IgnoreUnknown", "1"}, {"K8S_POD_NAMESPACE", metadata.GetNamespace()}, {"K8S_POD_NAME", metadata.GetName()},
			{"K8S_POD_INFRA_CONTAINER_ID", id}, {"K8S_POD_UID", metadata.GetUid()},
		},
		CapabilityArgs: map[string]any{},
	}
	var mappings []map[string]any
	for _, port := range config.GetPortMappings() {
		if port.HostPort > 0 {
			mappings = append(mappings, map[string]any{
				"hostPort": port.HostPort, "containerPort": port.ContainerPort, "protocol": strings.ToLower(port.Protocol.String()), "hostIP": port.HostIp,
			})
		}
	}
	if len(mappings) > 0 {
		arguments.CapabilityArgs["portMappings"] = mappings
	}
	if dns := config.GetDnsConfig(); dns != nil {
		arguments.CapabilityArgs["dns"] = map[string]any{"servers": dns.Servers, "searches": dns.Searches, "options": dns.Options}
	}
	return arguments
}

// pretend takes the lowest free address; the first of the prefix is its gateway's.
func (n *network) pretend() (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.prefix.IsValid() {
		return "", errNotInitialized
	}
	for address := n.prefix.Addr().Next().Next(); n.prefix.Contains(address.Next()); address = address.Next() {
		if !n.taken[address] {
			n.taken[address] = true
			return address.String(), nil
		}
	}
	return "", fmt.Errorf("no address is free in %v", n.prefix)
}

// reserve keeps addresses that pods of an earlier run still have.
func (n *network) reserve(addresses []string) {
	for _, text := range addresses {
		if address, err := netip.ParseAddr(text); err == nil {
			n.taken[address] = true
		}
	}
}

func (n *network) release(addresses []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, text := range addresses {
		if address, err := netip.ParseAddr(text); err == nil {
			delete(n.taken, address)
		}
	}
}
