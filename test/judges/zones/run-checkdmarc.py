"""Check domains with checkdmarc, and print the results by domain as one line of JSON.

Arguments: the address of a resolver, and the domains.
"""

import json
import socket
import sys
from concurrent.futures import ThreadPoolExecutor

import checkdmarc

socket.getfqdn = lambda name="": "probe.test"
resolver, *domains = sys.argv[1:]


def check(domain):
    return checkdmarc.check_domains([domain], nameservers=[resolver], check_mx_tls=True)


with ThreadPoolExecutor(max_workers=4) as pool:
    results = list(pool.map(check, domains))
print(json.dumps(dict(zip(domains, results)), default=str))
