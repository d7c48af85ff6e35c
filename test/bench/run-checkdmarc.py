"""One full check by checkdmarc on the simulated network, whose description is the first argument, in JSON.

Prints the seconds that the check took, and what it found, as one line of JSON. Not counted are the start of Python
and its imports, and the look-ups of the operating system: hosts are dialled on loopback without asking for them.
"""

import json
import socket
import sys
import time

network = json.loads(sys.argv[1])
ask = socket.getaddrinfo


def getaddrinfo(host, port, *rest, **named):
    mapped = network["ports"].get(f"{host}:{port}")
    return ask(host, port, *rest, **named) if mapped is None else ask("127.0.0.1", mapped, type=socket.SOCK_STREAM)


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
