#!/usr/bin/env python3
"""Draws the site's pictures into docs/src/pictures, or the folder given: `python3 docs/pictures.py`.

Each is 440 units wide, so that its text can be read on a telephone, and has no background: dark themes invert it (docs/site.css). One hue a layer, as in the
viewer of recordings. Field offsets carry data attributes, which a test of xtask compares with the headers.
"""

import html
import pathlib
import sys

WIDTH = 440
HUES = {"hip": 350, "runtime": 30, "hsa": 130, "driver": 200, "queue": 265, "gpu": 310, "plain": 210}
FOLDER = pathlib.Path(__file__).parent / "src" / "pictures"


class Picture:
    def __init__(self, name, title, height):
        self.name, self.title, self.height, self.parts = name, title, height, []

    def text(self, x, y, text, size=13, anchor="start", weight="normal", colour="#222"):
        self.parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="{colour}">{html.escape(text)}</text>'
        )

    def box(self, x, y, width, height, layer, lines=(), bold=True, dashed=False, data=""):
        hue = HUES[layer]
        saturation = 15 if layer == "plain" else 70
        dash = ' stroke-dasharray="5 3"' if dashed else ""
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="hsl({hue},{saturation}%,92%)" stroke="hsl({hue},{saturation}%,42%)"{dash}{data}/>'
        )
        top = y + (height - 16 * len(lines)) / 2 + 12
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + 16 * number, line, 13 if number == 0 else 12, "middle", "bold" if bold and number == 0 else "normal")

    def arrow(self, *points, layer="plain", dashed=False):
        hue = HUES[layer]
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="hsl({hue},40%,38%)" stroke-width="1.6"{dash} marker-end="url(#a)"/>')

    def line(self, *points):
        path = "M" + " L".join(f"{x} {y}" for x, y in points)
        self.parts.append(f'<path d="{path}" fill="none" stroke="#888" stroke-width="1"/>')

    def write(self, folder):
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" font-family="Open Sans, sans-serif" role="img">\n'
            f"<title>{html.escape(self.title)}</title>\n"
            '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto">'
            '<path d="M0 0L8 4L0 8z" fill="#444"/></marker></defs>\n'
        )
        (folder / f"{self.name}.svg").write_text(head + "\n".join(self.parts) + "\n</svg>\n")


def layers():
    p = Picture("layers", "The layers of AMD's stack and who calls whom", 560)
    p.box(60, 6, 270, 30, "plain", ["your program"])
    p.box(60, 66, 130, 44, "hip", ["HIP", "libamdhip64"])
    p.box(200, 66, 130, 44, "hip", ["OpenCL", "libamdocl64"])
    p.arrow((125, 36), (125, 65))
    p.arrow((265, 36), (265, 65))
    p.text(134, 56, "hipLaunchKernel", 11)
    p.text(270, 56, "clEnqueue…", 11)
    p.box(60, 110, 130, 40, "runtime", ["ROCclr", "a copy in each"])
    p.box(200, 110, 130, 40, "runtime", ["ROCclr", "a copy in each"])
    p.box(60, 190, 270, 44, "hsa", ["ROCr", "libhsa-runtime64: queues, signals, memory"])
    p.arrow((125, 150), (125, 189))
    p.arrow((265, 150), (265, 189))
    p.text(195, 174, "calls of HSA", 11, "middle")
    p.box(60, 264, 270, 44, "driver", ["thunk", "libhsakmt, in newer versions inside ROCr"])
    p.arrow((195, 234), (195, 263))
    p.text(204, 254, "hsaKmt… calls", 11)
    p.line((6, 330), (434, 330))
    p.text(28, 326, "user space", 11, colour="#555")
    p.text(28, 343, "kernel", 11, colour="#555")
    p.box(60, 356, 270, 44, "driver", ["driver", "amdkfd, a part of amdgpu, in Linux"])
    p.arrow((195, 308), (195, 355))
    p.text(204, 322, "ioctl, mmap: to set up, to sleep", 11)
    p.box(60, 450, 270, 100, "gpu", ["GPU", "command processor: takes packets", "compute units: run waves", "SDMA engines: copy"])
    p.arrow((150, 400), (150, 449))
    p.text(142, 420, "run list,", 11, "end")
    p.text(142, 434, "page tables", 11, "end")
    p.arrow((240, 449), (240, 401))
    p.text(248, 430, "interrupts", 11)
    # Past the driver.
    p.arrow((60, 130), (22, 130), (22, 480), (59, 480), layer="queue")
    p.arrow((330, 212), (408, 212), (408, 500), (331, 500), layer="queue")
    p.text(28, 166, "packets", 11)
    p.text(28, 180, "in a ring", 11)
    p.text(403, 246, "doorbell:", 11, "end")
    p.text(403, 260, "a store", 11, "end")
    return p


def crates():
    p = Picture("crates", "The crates, AMD's libraries and the driver below them, and the GPU", 504)
    p.box(6, 6, 428, 30, "plain", ["your program"])
    # Above the crates that a program can also use by themselves.
    p.box(6, 56, 144, 44, "runtime", ["rocm-pipeline", "batches and stages"])
    p.box(164, 56, 144, 44, "runtime", ["rocm-probe", "a report, a program"])
    p.box(344, 56, 90, 44, "queue", ["kfd-runtime", "frameworks"])
    for x in (78, 389):
        p.arrow((x, 36), (x, 55))
    for x in (78, 236, 389):
        p.arrow((x, 100), (x, 119))
    for x in (157, 332):
        p.arrow((x, 36), (x, 119))
    p.box(6, 120, 302, 44, "runtime", ["rocm-interop", "one allocation used by OpenCL and HIP"])
    p.arrow((106, 164), (106, 183))
    p.box(40, 184, 132, 30, "runtime", ["dmabuf-channel"])
    for x, crate, layer, at in [(6, "cl-sys", "hip", 30), (108, "hip-sys", "hip", 182), (210, "hsa-sys", "hsa", 259)]:
        p.box(x, 234, 98, 30, layer, [crate])
        p.arrow((at, 164), (at, 233))
        p.arrow((x + 49, 264), (x + 49, 303))
    p.box(6, 304, 98, 44, "hip", ["OpenCL", "AMD's"], bold=False)
    p.box(108, 304, 90, 44, "hip", ["HIP", "AMD's"], bold=False)
    p.box(222, 304, 86, 44, "hsa", ["ROCr", "AMD's"], bold=False)
    p.arrow((198, 318), (221, 318))
    p.arrow((57, 348), (57, 359), (210, 359), (210, 336), (221, 336))
    p.box(320, 120, 114, 44, "queue", ["kfd", "no AMD library"])
    p.box(320, 234, 62, 30, "driver", ["kfd-sys"])
    p.box(388, 234, 46, 30, "queue", ["aql"])
    p.arrow((351, 164), (351, 233))
    p.arrow((411, 164), (411, 233))
    p.box(6, 380, 390, 44, "driver", ["driver", "amdkfd: /dev/kfd, /dev/dri"], bold=False)
    p.arrow((265, 348), (265, 379))
    p.arrow((351, 264), (351, 379))
    # Past the driver.
    p.arrow((411, 264), (411, 453), layer="queue")
    p.text(405, 336, "packets,", 11, "end")
    p.text(405, 350, "doorbell", 11, "end")
    p.box(6, 454, 428, 44, "gpu", ["a GPU", "or vgpu, which is driver and GPU; gcn executes the code"])
    p.arrow((220, 424), (220, 453))
    return p


def ring():
    p = Picture("ring", "A queue's ring: where the producer writes, what the GPU has taken, and the two indices that only grow", 340)
    p.text(6, 18, "A ring of 8 packets. Indices only grow; slot = index modulo 8.", 13)
    slots = [("8", "valid"), ("9", "valid"), ("10", "being written"), ("3", "free"), ("4", "free"), ("5", "free"), ("6", "free"), ("7", "valid")]
    look = {"valid": ("queue", False), "being written": ("runtime", True), "free": ("plain", True)}
    for slot, (index, state) in enumerate(slots):
        x = 6 + 53.5 * slot
        layer, dashed = look[state]
        p.box(x, 110, 50, 46, layer, [index if state != "free" else "", ""], dashed=dashed)
        p.text(x + 25, 148, "invalid" if state in ("free", "being written") else "type 2", 11, "middle")
        p.text(x + 25, 172, f"slot {slot}", 11, "middle", colour="#555")
    p.text(6, 48, "write_dispatch_id = 11", 13, weight="bold")
    p.text(6, 64, "the next index to reserve", 12)
    p.arrow((192, 70), (192, 108), layer="runtime")
    p.text(434, 48, "read_dispatch_id = 7", 13, "end", "bold")
    p.text(434, 64, "the oldest packet not taken", 12, "end")
    p.arrow((405, 70), (405, 108), layer="gpu")
    p.text(6, 204, "The producer", 13, weight="bold")
    p.text(6, 222, "1. reserves an index: atomic add to write_dispatch_id (10 → 11)", 12)
    p.text(6, 239, "2. waits until index − read_dispatch_id < 8, the ring's size", 12)
    p.text(6, 256, "3. stores the packet's body while its header still says invalid", 12)
    p.text(6, 273, "4. stores header and setup: 32 bits, release order", 12)
    p.text(6, 290, "5. stores the index to the doorbell", 12)
    p.text(6, 312, "The GPU takes packets in order. Slots that read_dispatch_id has", 12)
    p.text(6, 328, "passed are free.", 12)
    return p


def address_space():
    p = Picture("address-space", "One process's address space on the GPU (gfx9): the same addresses as on the CPU", 500)
    p.text(110, 18, "CPU: page table of Linux", 12, "middle", "bold")
    p.text(330, 18, "GPU: page table of the VMID", 12, "middle", "bold")
    p.box(20, 30, 180, 322, "plain")
    p.box(240, 30, 180, 460, "plain")
    rows = [
        (44, "program, stack, heap", "only if registered", "plain", "plain"),
        (96, "hipHostMalloc", "the same pages, by PCIe", "hsa", "hsa"),
        (148, "hipMalloc: BAR, if visible", "VRAM", "hip", "gpu"),
        (200, "ring of packets", "ring of packets", "queue", "queue"),
        (252, "code: BAR, if visible", "code objects, VRAM", "runtime", "runtime"),
        (304, "doorbell page (MMIO)", "mapped by the thunk", "driver", "driver"),
    ]
    for y, left, right, one, other in rows:
        p.box(26, y, 168, 40, one, [left], bold=False, dashed=one == "plain")
        p.box(246, y, 168, 40, other, [right], bold=False, dashed=other == "plain" or "only" in right)
        if other != "plain" and "only" not in right:
            p.arrow((196, y + 20), (244, y + 20))
            p.text(220, y + 14, "=", 13, "middle", "bold")
    p.text(20, 372, "=: one address for both, which", 12, weight="bold")
    p.text(20, 388, "the thunk reserves by mmap", 12, weight="bold")
    p.box(246, 396, 168, 40, "gpu", ["LDS aperture", "0x1_0000_0000_0000"])
    p.box(246, 442, 168, 40, "gpu", ["scratch aperture", "0x2_0000_0000_0000"])
    p.text(20, 412, "Flat addresses from 2⁴⁸ on are", 12)
    p.text(20, 428, "in no page table: they are the", 12)
    p.text(20, 444, "work-group's LDS and the lane's", 12)
    p.text(20, 460, "scratch memory. The driver gives", 12)
    p.text(20, 476, "both bases: ioctl", 12)
    p.text(20, 492, "GET_PROCESS_APERTURES_NEW.", 12)
    return p


def queue():
    p = Picture("queue", "What belongs to one compute queue, and who writes it", 520)
    rows = [
        ("queue", "ring", "packets of 64 bytes", "program writes, GPU reads"),
        ("queue", "amd_queue_t", "write_dispatch_id at 0x38, read_dispatch_id at 0x80", "program and GPU count"),
        ("driver", "doorbell, 8 bytes", "in the process's doorbell pages, 8 KiB (MMIO)", "program stores an index"),
        ("gpu", "EOP buffer", "end-of-pipe events of the queue, 4 KiB", "command processor"),
        ("gpu", "CWSR save area", "waves of a preempted queue: registers, LDS", "trap handler, on preemption"),
        ("driver", "MQD", "the queue's registers; addresses of all above", "driver and firmware"),
    ]
    for number, (layer, name, what, who) in enumerate(rows):
        y = 6 + 62 * number
        p.box(70, y, 364, 54, layer)
        p.text(80, y + 17, name, 13, weight="bold")
        p.text(426, y + 17, who, 11, "end", colour="#444")
        extra = ' data-structure="amd_queue_t" data-offsets="write_dispatch_id 0x38 read_dispatch_id 0x80"' if name == "amd_queue_t" else ""
        p.parts.append(f"<g{extra}>")
        p.text(80, y + 38, what, 12)
        p.parts.append("</g>")
    # The MQD points at the others.
    p.line((70, 343), (46, 343), (46, 33))
    for number in range(5):
        p.arrow((46, 33 + 62 * number), (69, 33 + 62 * number))
    p.text(6, 200, "MQD", 11)
    p.text(6, 214, "points", 11)
    p.text(6, 228, "at all", 11)
    p.box(70, 400, 170, 44, "driver", ["run list", "addresses of MQDs"])
    p.arrow((155, 370), (155, 399))
    p.box(264, 400, 170, 44, "gpu", ["scheduler (HWS)", "firmware"])
    p.arrow((240, 422), (263, 422))
    p.box(264, 470, 170, 44, "gpu", ["HQD", "slot of hardware registers"])
    p.arrow((349, 444), (349, 469))
    p.text(340, 462, "maps: MQD → HQD", 11, "end")
    p.text(6, 490, "A queue runs while an HQD", 12)
    p.text(6, 506, "has its MQD, under a VMID.", 12)
    return p


def objects():
    p = Picture("objects", "From a stream to a hardware queue: the objects, and how many of each belong together", 640)
    rows = [
        ("hip", "hipStream_t", "a hip::Stream: it is an amd::HostQueue by inheritance", "HIP"),
        ("runtime", "amd::HostQueue", "the ordered list of commands", "ROCclr"),
        ("runtime", "VirtualGPU", "kernarg pool, signals, fences that are due", "ROCclr"),
        ("hsa", "hsa_queue_t", "the first part of amd_queue_t; a C++ object AqlQueue", "ROCr"),
        ("queue", "ring, doorbell", "16,384 slots of 64 bytes; one word of the device", "memory, device"),
        ("driver", "struct queue", "the queue's number and properties", "driver"),
        ("driver", "MQD", "the image of the queue's registers, in memory", "driver"),
        ("gpu", "HQD", "a hardware slot: the registers themselves", "GPU"),
    ]
    # What stands on the line to the next row.
    ratios = ["1 : 1", "1 : 1", "n : 1, at most 4 of a priority", "1 : 1", "1 : 1", "1 : 1", "n : 1, firmware takes turns"]
    for number, (layer, name, what, where) in enumerate(rows):
        y = 6 + 80 * number
        p.box(6, y, 428, 48, layer)
        p.text(16, y + 18, name, 13, weight="bold")
        p.text(424, y + 18, where, 11, "end", colour="#444")
        p.text(16, y + 37, what, 12)
        if number < len(ratios):
            p.arrow((60, y + 48), (60, y + 79))
            p.text(72, y + 68, ratios[number], 12)
    return p


def copy():
    p = Picture("copy", "Regimes of hipMemcpy from pageable host memory to the device in HIP 6.4.3, by size", 500)
    p.text(6, 18, "hipMemcpy, pageable host memory to device, HIP 6.4.3", 13, weight="bold")

    def route(y, head, steps, note):
        p.text(6, y, head, 13, weight="bold")
        width = (428 - 22 * (len(steps) - 1)) / len(steps)
        for number, (layer, lines) in enumerate(steps):
            x = 6 + number * (width + 22)
            p.box(x, y + 8, width, 50, layer, lines)
            if number:
                p.arrow((x - 22, y + 33), (x - 1, y + 33))
        p.text(6, y + 76, note, 11.5, colour="#444")

    route(46, "to 16 KiB", [("hip", ["program's", "pages"]), ("hsa", ["staging", "CPU copies"]), ("gpu", ["blit kernel", "shader copies"]), ("gpu", ["VRAM"])],
          "Limit: GPU_FORCE_BLIT_COPY_SIZE in KiB. It is 0 in 5.7.1: by engine.")
    route(150, "to 1 MiB", [("hip", ["program's", "pages"]), ("hsa", ["staging", "CPU copies"]), ("gpu", ["SDMA", "engine copies"]), ("gpu", ["VRAM"])],
          "Bytes move twice: CPU to staging buffer, engine to VRAM.")
    route(254, "above 1 MiB", [("hip", ["program's", "pages, mapped"]), ("gpu", ["SDMA", "engine copies"]), ("gpu", ["VRAM"])],
          "Mapped to the GPU in chunks of 32 MiB for the copy. The bytes move once.")
    p.line((6, 346), (434, 346))
    route(372, "pinned host memory (hipHostMalloc)", [("hip", ["pinned pages"]), ("gpu", ["SDMA or kernel", "by size"]), ("gpu", ["VRAM"])], "No staging, no pinning.")
    p.text(6, 476, "Device to device on one GPU: a blit kernel, at the rate of VRAM.", 12)
    p.text(6, 493, "HSA_ENABLE_SDMA=0: kernels everywhere.", 12)
    return p


def signal():
    p = Picture("signal", "A signal's life: created, counted down by the GPU, seen by a thread that looks or one that sleeps", 560)
    p.text(6, 18, "amd_signal_t, 64 bytes in memory of program and GPU", 13, weight="bold")
    fields = [("kind", 0, 8), ("value", 8, 8), ("event_mailbox_ptr", 16, 8), ("event_id", 24, 4), ("start_ts", 32, 8), ("end_ts", 40, 8)]
    places = [(6, 60), (70, 60), (134, 122), (260, 58), (322, 54), (380, 54)]
    for (name, offset, size), (x, width) in zip(fields, places):
        p.box(x, 28, width, 40, "queue", data=f' data-field="{name}" data-offset="{offset}" data-bytes="{size}"')
        p.text(x + width / 2, 44, name, 11, "middle")
        p.text(x + width / 2, 60, str(offset), 11, "middle", colour="#555")
    steps = [
        ("hsa", "created, or taken from a pool", "value = 1"),
        ("queue", "its handle goes into a packet", "completion_signal, bytes 56 to 63"),
        ("gpu", "the work ends", "caches written back as the release scope says"),
        ("gpu", "the GPU decrements", "value = 0; start_ts, end_ts if profiling is on"),
    ]
    for number, (layer, head, note) in enumerate(steps):
        y = 92 + 66 * number
        p.box(70, y, 300, 46, layer, [head, note])
        if number < 3:
            p.arrow((220, y + 46), (220, y + 65))
    p.arrow((150, 336), (110, 366))
    p.arrow((290, 336), (330, 366))
    p.box(6, 367, 204, 60, "hsa", ["a thread looks", "loads value until the", "condition holds"])
    p.box(230, 367, 204, 60, "gpu", ["mailbox not null?", "event_id stored to the slot,", "interrupt to the driver"])
    p.box(230, 447, 204, 44, "driver", ["driver sets the event", "WAIT_EVENTS returns"])
    p.arrow((332, 427), (332, 446))
    p.arrow((230, 469), (108, 469), (108, 428))
    p.text(116, 462, "wakes, looks again", 11)
    p.arrow((60, 427), (60, 510))
    p.box(6, 511, 428, 42, "hsa", ["the wait returns; signal destroyed, or back to the pool", "with a null mailbox only a thread that looks can see the end"])
    return p


def packet():
    p = Picture("packet", "The 64 bytes of a kernel dispatch packet", 470)
    p.text(6, 18, "hsa_kernel_dispatch_packet_t: eight rows of eight bytes", 13, weight="bold")
    fields = [
        ("header", 0, 2, "queue", "header"), ("setup", 2, 2, "queue", "setup"), ("workgroup_size_x", 4, 2, "hip", "wg x"), ("workgroup_size_y", 6, 2, "hip", "wg y"),
        ("workgroup_size_z", 8, 2, "hip", "wg z"), ("reserved0", 10, 2, "plain", "0"), ("grid_size_x", 12, 4, "hip", "grid_size_x"),
        ("grid_size_y", 16, 4, "hip", "grid_size_y"), ("grid_size_z", 20, 4, "hip", "grid_size_z"),
        ("private_segment_size", 24, 4, "runtime", "private_segment_size"), ("group_segment_size", 28, 4, "runtime", "group_segment_size"),
        ("kernel_object", 32, 8, "hsa", "kernel_object: address of the kernel descriptor"),
        ("kernarg_address", 40, 8, "hsa", "kernarg_address: the argument block"),
        ("reserved2", 48, 8, "plain", "reserved: 0"),
        ("completion_signal", 56, 8, "gpu", "completion_signal: handle, or 0"),
    ]
    for name, offset, size, layer, shown in fields:
        x, y = 36 + 50 * (offset % 8), 46 + 38 * (offset // 8)
        p.box(x, y, 50 * size - 3, 33, layer, data=f' data-field="{name}" data-offset="{offset}" data-bytes="{size}"')
        p.text(x + 25 * size - 1, y + 21, shown, 12, "middle")
    for column in range(8):
        p.text(36 + 50 * column + 24, 40, f"+{column}", 11, "middle", colour="#555")
    for row in range(8):
        p.text(28, 68 + 38 * row, str(8 * row), 11, "end", colour="#555")
    p.text(6, 372, "header, bit by bit", 13, weight="bold")
    bits = [("15–13", "0", 60, "plain"), ("12:11", "release", 86, "queue"), ("10:9", "acquire", 86, "queue"), ("8", "barrier", 76, "queue"), ("7:0", "type = 2", 112, "queue")]
    x = 6
    for numbers, name, width, layer in bits:
        p.box(x, 382, width - 3, 40, layer)
        p.text(x + width / 2, 398, name, 12, "middle")
        p.text(x + width / 2, 414, numbers, 11, "middle", colour="#555")
        x += width
    p.text(6, 442, "Scopes: 0 none, 1 agent, 2 system. Bits 1:0 of setup: dimensions.", 12)
    p.text(6, 460, "Sizes count work-items, those of the grid too.", 12)
    return p


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(exist_ok=True)
    for draw in (layers, crates, ring, address_space, queue, objects, copy, signal, packet):
        draw().write(folder)
