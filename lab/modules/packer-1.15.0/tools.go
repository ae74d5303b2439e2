//go:build tools

package lab

import (
	_ "github.com/hashicorp/packer"
	_ "github.com/hashicorp/packer-plugin-amazon"
	_ "github.com/hashicorp/packer-plugin-azure"
	_ "github.com/hashicorp/packer-plugin-googlecompute"
	_ "github.com/hashicorp/packer-plugin-hyperv"
	_ "github.com/hashicorp/packer-plugin-openstack"
	_ "github.com/hashicorp/packer-plugin-proxmox"
	_ "github.com/hashicorp/packer-plugin-qemu"
	_ "github.com/hashicorp/packer-plugin-vsphere"
)
