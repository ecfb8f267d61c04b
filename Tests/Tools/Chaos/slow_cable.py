"""A cable that is slow: it takes the place of a machine's port at the bridge, holds each frame back, and loses some.

    slow_cable.py PORT TAP DELAY_MILLISECONDS LOSS

PORT is the machine's end at the bridge, taken out of it. TAP is a new device that this program makes; whoever starts it puts that into
the bridge. Not every kernel has netem, which would do the same.
"""

import fcntl
import heapq
import os
import random
import select
import socket
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000
ETH_P_ALL = 3
FRAME_LIMIT = 65_536
# Of frames that are held back. More are lost, as a switch loses them.
HELD_LIMIT = 10_000


def open_tap(name):
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TAP | IFF_NO_PI))
    return tap


def open_port(name):
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    port.setblocking(False)
    port.bind((name, ETH_P_ALL))
    return port


def main(port_name, tap_name, delay_milliseconds, loss):
    tap, port = open_tap(tap_name), open_port(port_name)
    delay, loss, chance = float(delay_milliseconds) / 1000, float(loss), random.Random()
    held, number = [], 0

    def read_port():
        frame, address = port.recvfrom(FRAME_LIMIT)
        # What this machine itself has sent there.
        return None if address[2] == socket.PACKET_OUTGOING else frame

    def write_tap(frame):
        os.write(tap, frame)

    ways = {tap: (lambda: os.read(tap, FRAME_LIMIT), port.send), port.fileno(): (read_port, write_tap)}
    print("ready", flush=True)
    while True:
        patience = max(0, held[0][0] - time.monotonic()) if held else None
        for source in select.select(list(ways), [], [], patience)[0]:
            read, write = ways[source]
            frame = read()
            if frame and len(held) < HELD_LIMIT and chance.random() >= loss:
                number += 1
                heapq.heappush(held, (time.monotonic() + delay, number, frame, write))
        while held and held[0][0] <= time.monotonic():
            _, _, frame, write = heapq.heappop(held)
            try:
                write(frame)
            except OSError:
                # Lost.
                pass


if __name__ == "__main__":
    main(*sys.argv[1:])
