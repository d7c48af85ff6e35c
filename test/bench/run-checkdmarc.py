"""Run one full check with checkdmarc on the simulated network, described by the first argument in JSON.

Prints the duration in seconds and the results as one line of JSON. The duration excludes the start of Python, its
imports and the lookups of the operating system: hosts are dialled on loopback without a lookup.
"""

import json
import socket
import sys
import time

network = json.loads(sys.argv[1])
system_getaddrinfo = socket.getaddrinfo


def getaddrinfo(host, port, *rest, **named):
    mapped = network["ports"].get(f"{host}:{port}")
    if mapped is None:
        return system_getaddrinfo(host, port, *rest, **named)
    return system_getaddrinfo("127.0.0.1", mapped, type=socket.SOCK_STREAM)


socket.getaddrinfo = getaddrinfo
socket.getfqdn = lambda name="": "bench.example.org"

import checkdmarc  # noqa: E402
from dns.nameserver import Do53Nameserver  # noqa: E402

started = time.perf_counter()
results = checkdmarc.check_domains(
    [network["domain"]],
    nameservers=[Do53Nameserver("127.0.0.1", network["dnsPort"])],
    check_mx_tls=True,
)
seconds = time.perf_counter() - started
print(json.dumps({"seconds": seconds, "results": results}, default=str))
