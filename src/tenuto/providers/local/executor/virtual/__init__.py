"""Virtual machines of a host: one QEMU each, and the disks that they stand on."""
