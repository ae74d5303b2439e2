#!/bin/sh
# Install the Debian packages the lab needs; run as root. `transom lab doctor` says what is missing.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends \
    gcc-mingw-w64-x86-64 iproute2 util-linux wine64
