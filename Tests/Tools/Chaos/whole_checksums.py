"""Lets the kernel write the checksums of an interface's packets, which it leaves out between two ends of one machine. A slow cable copies
packets, and needs them whole.

    whole_checksums.py INTERFACE
"""

import array
import fcntl
import socket
import struct
import sys

SIOCETHTOOL, ETHTOOL_STXCSUM = 0x8946, 0x17

setting = array.array("B", struct.pack("II", ETHTOOL_STXCSUM, 0))
request = struct.pack("16sP", sys.argv[1].encode(), setting.buffer_info()[0])
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, SIOCETHTOOL, request)
