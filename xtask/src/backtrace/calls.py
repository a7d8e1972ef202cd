# Runs in gdb: writes a line of JSON for each stop of the program's own thread at one of ENDS, with the frames from the
# callee of main to the stop.
import json
import os

import gdb

# Where a way through the libraries ends, and what happens there.
ENDS = {
    "*hsakmt_ioctl": "ioctl",  # At the first instruction the arguments are in their registers.
    "rocr::AMD::AqlQueue::StoreRelaxed": "doorbell",
    "rocr::core::BusyWaitSignal::WaitRelaxed": "wait",
    "rocr::core::InterruptSignal::WaitRelaxed": "wait",
}


def function(frame):
    if frame.type() == gdb.INLINE_FRAME:
        return frame.name()
    # `name + offset in section .text of library`. The table of lines has no classes, the linker's symbols have.
    symbol = gdb.execute(f"info symbol {frame.pc()}", to_string=True)
    return symbol.split(" in section ")[0].split(" + ")[0] if " in section " in symbol else None


def frames():
    found = []
    frame = gdb.newest_frame()
    while frame is not None and frame.name() != "main":
        place = frame.find_sal()
        file = place.symtab.fullname() if place.symtab else None
        found.append({"function": function(frame), "file": file, "line": place.line})
        frame = frame.older()
    found.reverse()
    return found


out = open(os.environ["STOPS"], "w")
gdb.execute("set pagination off")
gdb.execute("set confirm off")
# The device in the process has faults and signals of its own.
gdb.execute("handle all nostop noprint pass")
gdb.execute("handle SIGTRAP stop nopass")
gdb.execute("break calls_begin")
gdb.execute("run")
if gdb.selected_inferior().pid == 0:
    raise gdb.GdbError("the program ended before its calls began")
ends = {}
for place, what in ENDS.items():
    end = gdb.Breakpoint(place)
    end.thread = gdb.selected_thread().global_num
    ends[end.number] = what
gdb.Breakpoint("calls_end")
hit = []
gdb.events.stop.connect(lambda event: hit.append(event.breakpoints[0].number))
while True:
    gdb.execute("continue")
    what = ends.get(hit.pop())
    if what is None:
        break
    request = int(gdb.parse_and_eval("$rsi")) & 0xFFFFFFFF if what == "ioctl" else None
    print(json.dumps({"end": what, "request": request, "frames": frames()}), file=out, flush=True)
