"""A counted loop in a virtual machine of one page, to see whether KVM works here and how fast.

Theory of operation. That `/dev/kvm` can be opened proves nothing: inside other virtual machines it may emulate each
instruction, or never come back from running one. So a guest counts down in real mode, and halts: a few steps first, and
a hundred times as many as long as that was too quick to be measured. This is a program of its own (`python -m`),
because who runs it must be able to end it: nothing in its process can.
"""

import ctypes
import json
import mmap
import os
import struct
import sys
import time
from fcntl import ioctl

DEVICE = "/dev/kvm"
STEPS = (1_000, 100_000, 10_000_000)
ENOUGH_S = 0.02
"""The seconds of a loop that tell the speed: a measurement in less says little."""

_CREATE_VM, _VCPU_MMAP_SIZE, _CREATE_VCPU, _RUN = 0xAE01, 0xAE04, 0xAE41, 0xAE80
_SET_MEMORY, _SET_REGISTERS, _GET_SEGMENTS, _SET_SEGMENTS = 0x4020AE46, 0x4090AE82, 0x8138AE83, 0x4138AE84
_SEGMENTS_BYTES = 0x138
_CODE_SEGMENT = struct.Struct("<QIH")
"""The begin of the code segment, which is the first of them: base, limit, selector."""
_EXIT_REASON_AT, _EXIT_HALT = 8, 5
_CODE_AT, _PAGE = 0x1000, 4096
_INSTRUCTION, _FLAGS, _REGISTERS = 16, 17, 18


def counted(steps: int) -> float:
    """Run the loop; return the seconds. Raises OSError where KVM refuses, or ends otherwise."""
    # mov ecx, steps; again: dec ecx; jnz again; hlt
    code = b"\x66\xb9" + struct.pack("<I", steps) + b"\x66\x49\x75\xfc\xf4"
    device = os.open(DEVICE, os.O_RDWR | os.O_CLOEXEC)
    size = ioctl(device, _VCPU_MMAP_SIZE, 0)
    machine = ioctl(device, _CREATE_VM, 0)
    page = mmap.mmap(-1, _PAGE)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    ioctl(machine, _SET_MEMORY, struct.pack("<IIQQQ", 0, 0, _CODE_AT, _PAGE, address))
    processor = ioctl(machine, _CREATE_VCPU, 0)
    shared = mmap.mmap(processor, size)
    segments = bytearray(_SEGMENTS_BYTES)
    ioctl(processor, _GET_SEGMENTS, segments)
    _CODE_SEGMENT.pack_into(segments, 0, 0, 0xFFFF, 0)
    ioctl(processor, _SET_SEGMENTS, bytes(segments))
    registers = [0] * _REGISTERS
    registers[_INSTRUCTION], registers[_FLAGS] = _CODE_AT, 2
    ioctl(processor, _SET_REGISTERS, struct.pack(f"<{_REGISTERS}Q", *registers))
    begun = time.perf_counter()
    ioctl(processor, _RUN, 0)
    took = time.perf_counter() - begun
    (reason,) = struct.unpack_from("<I", shared, _EXIT_REASON_AT)
    if reason != _EXIT_HALT:
        raise OSError(0, f"the guest ended with the reason {reason}")
    return took


def measured() -> dict[str, object]:
    """The speed of the loop, or why there is none."""
    try:
        for steps in STEPS:
            seconds = counted(steps)
            if seconds >= ENOUGH_S:
                break
    except OSError as error:
        return {"failure": error.strerror or str(error)}
    return {"steps_a_second": steps / seconds}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measured()))
