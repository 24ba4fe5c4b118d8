"""The builder of the image `tiny`: a kernel, busybox and the guest agent of QEMU, from packages of Debian."""
