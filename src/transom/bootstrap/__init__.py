"""Boot data of Windows machines: what cloudbase-init makes of it. Pure: no file, no network, no clock."""
