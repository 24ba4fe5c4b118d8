"""The format of a disk image, by the first bytes of the file.

Theory of operation. Nothing but this parser reads a file that came from outside before its format is known. The format
is stored with the blob and given to every later reader, so a guest that writes the header of another format into its
disk changes nothing. A qcow2 file that names another file (a backing file, an external data file) is no image here:
the name would be opened on the host. An encrypted one cannot be used by a machine.
"""

import struct

from tenuto.model.image import ImageFormat

HEAD_BYTES = 36 * 1024
"""The first bytes that are needed. The mark of ISO 9660 is at 32 KiB."""
LARGEST_DISK = 1 << 46
"""64 TiB. A header that says more is damaged, or made to exhaust something."""
SECTOR = 512
_QCOW2 = b"QFI\xfb"
_CLUSTER_BITS = range(9, 22)
_EXTERNAL_DATA, _KNOWN_FEATURES = 1 << 2, 0b11111
_OTHERS = (
    (b"\x1f\x8b", "it is packed with gzip"),
    (b"\x28\xb5\x2f\xfd", "it is packed with zstd"),
    (b"\xfd7zXZ\x00", "it is packed with xz"),
    (b"BZh", "it is packed with bzip2"),
    (b"PK\x03\x04", "it is a ZIP archive"),
    (b"KDMV", "it is a VMDK image"),
    (b"vhdxfile", "it is a VHDX image"),
    (b"conectix", "it is a VHD image"),
)


def image_format(head: bytes, size: int) -> tuple[ImageFormat, int, str]:
    """The format of a file of this size that begins so, the size of the disk in bytes, and why it is no image; the
    reason is empty for one."""
    if head.startswith(_QCOW2):
        return _qcow2(head, size)
    for magic, reason in _OTHERS:
        if head.startswith(magic):
            return ImageFormat.DATA, size, f"{reason}: unpack or convert it first, to qcow2 or raw"
    if head[0x8001:0x8006] == b"CD001":
        return ImageFormat.ISO, size, ""
    if len(head) >= SECTOR and head[510:512] == b"\x55\xaa":
        if size % SECTOR:
            return ImageFormat.DATA, size, f"it begins like a raw disk, but its size is no multiple of {SECTOR} bytes"
        return ImageFormat.RAW, size, ""
    return ImageFormat.DATA, size, "it is neither qcow2, nor ISO 9660, nor a raw disk with a partition table"


def _qcow2(head: bytes, size: int) -> tuple[ImageFormat, int, str]:
    if len(head) < 72:
        return ImageFormat.DATA, size, "its qcow2 header is cut off"
    version, backing, _, cluster_bits, virtual, crypt = struct.unpack_from(">IQIIQI", head, 4)
    (table,) = struct.unpack_from(">Q", head, 40)
    features = struct.unpack_from(">Q", head, 72)[0] if version >= 3 and len(head) >= 104 else 0
    problem = ""
    if version not in (2, 3):
        problem = f"its qcow2 version {version} is not known: 2 and 3 are"
    elif backing:
        problem = "it names a backing file, which would be opened on the host: flatten it first (qemu-img convert)"
    elif features & _EXTERNAL_DATA:
        problem = "its data are in another file, which would be opened on the host: flatten it first (qemu-img convert)"
    elif features & ~_KNOWN_FEATURES:
        problem = "it uses features of qcow2 that are not known here"
    elif crypt:
        problem = "it is encrypted"
    elif cluster_bits not in _CLUSTER_BITS or not 0 < virtual <= LARGEST_DISK or table % SECTOR or table >= size:
        problem = "its qcow2 header is damaged"
    return (ImageFormat.DATA, size, problem) if problem else (ImageFormat.QCOW2, virtual, "")
