#!/bin/sh
# Install the Debian packages that only the lab's tests need; run as root.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
    chromium chromium-driver cloud-init fuseiso
