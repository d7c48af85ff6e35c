/**
 * Opens TCP connections to hosts that untrusted parties named. It resolves names through our own Dns, checks every
 * address and dials exactly the address that it checked, so that a second DNS answer cannot redirect it (DNS
 * rebinding).
 */
import { connect, isIP, isIPv6, type Socket } from 'node:net';
import { type Dns, whyFailed } from '../protocol/dns.ts';
import { isPublicAddress } from './address-guard.ts';
import type { MayContact } from './ports.ts';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

interface DialerOptions {
  readonly dns: Dns;
  /** `allow` permits private addresses, for tests and internal networks. */
  readonly privateAddresses: 'deny' | 'allow';
  /** Substitute endpoints by `host:port`. The host is a name, an IPv4 address or an IPv6 address in brackets. */
  readonly dialMap: ReadonlyMap<string, Endpoint>;
}

export type Resolved =
  | { readonly status: 'found'; readonly endpoints: readonly Endpoint[] }
  | { readonly status: 'absent' }
  /** The host has addresses, but none is public. */
  | { readonly status: 'rejected'; readonly address: string }
  | { readonly status: 'unavailable'; readonly detail: string };

export interface Dialer {
  /** The endpoints of a host, which may be an address. Never throws. */
  resolve(host: string, port: number): Promise<Resolved>;
  /** The endpoint of a host with a known address; undefined if it may not be dialled. */
  endpoint(host: string, address: string, port: number): Endpoint | undefined;
}

/** The number of addresses tried per host. */
const MAX_ENDPOINTS = 6;

/** RFC 8305 section 5: the delay before the next address is tried in parallel. */
const ATTEMPT_DELAY_MILLISECONDS = 250;

/** The key of a host and port in a dial map. */
export function dialKey(host: string, port: number): string {
  return isIPv6(host) ? `[${host.toLowerCase()}]:${port}` : `${host.toLowerCase()}:${port}`;
}

export function createDialer({ dns, privateAddresses, dialMap }: DialerOptions): Dialer {
  function endpoint(host: string, address: string, port: number): Endpoint | undefined {
    const mapped = dialMap.get(dialKey(host, port)) ?? dialMap.get(dialKey(address, port));
    if (mapped !== undefined) return mapped;
    const allowed = isIP(address) !== 0 && (privateAddresses === 'allow' || isPublicAddress(address));
    return allowed ? { address, port } : undefined;
  }

  function choose(host: string, addresses: readonly string[], port: number): Resolved {
    const endpoints = addresses
      .map((address) => endpoint(host, address, port))
      .filter((candidate) => candidate !== undefined)
      .slice(0, MAX_ENDPOINTS);
    return endpoints.length > 0
      ? { status: 'found', endpoints }
      : { status: 'rejected', address: addresses[0] ?? host };
  }

  return {
    endpoint,
    async resolve(host, port) {
      const mapped = dialMap.get(dialKey(host, port));
      if (mapped !== undefined) return { status: 'found', endpoints: [mapped] };
      if (isIP(host) !== 0) return choose(host, [host], port);
      const answers = await Promise.all([dns.lookup(host, 'A'), dns.lookup(host, 'AAAA')]);
      const addresses = answers.flatMap((answer) => (answer.status === 'found' ? answer.records : []));
      if (addresses.length > 0) return choose(host, addresses, port);
      const failed = answers.find((answer) => answer.status === 'unavailable');
      return failed === undefined
        ? { status: 'absent' }
        : { status: 'unavailable', detail: whyFailed(failed) };
    },
  };
}

/** An address to which no more connections may be opened at the moment. */
export class ContactRefused extends Error {
  override readonly name = 'ContactRefused';

  constructor(address: string) {
    super(`the limit of connections to ${address} is reached`);
  }
}

/**
 * Connects to the first endpoint that answers. Each attempt starts a moment after the previous one, or as soon as that
 * fails (RFC 8305), and only if `mayContact` allows it. Rejects with the error of the last attempt, which may be
 * ContactRefused, or with the reason of `signal`.
 */
export function connectFirst(
  endpoints: readonly Endpoint[],
  signal: AbortSignal,
  mayContact: MayContact = async () => true,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const waiting = [...endpoints];
    const open = new Set<Socket>();
    /** Attempts that wait for permission. */
    let asking = 0;
    let settled = false;
    let delay: NodeJS.Timeout | undefined;

    const settle = (end: () => void) => {
      settled = true;
      clearTimeout(delay);
      signal.removeEventListener('abort', onAbort);
      for (const socket of open) socket.destroy();
      waiting.length = 0;
      open.clear();
      end();
    };
    const onAbort = () => settle(() => reject(signal.reason));
    const fail = (error: unknown) => {
      if (waiting.length > 0) startNext();
      else if (open.size === 0 && asking === 0) settle(() => reject(error));
    };
    const startNext = () => {
      clearTimeout(delay);
      const next = waiting.shift();
      if (next === undefined) return;
      if (waiting.length > 0) delay = setTimeout(startNext, ATTEMPT_DELAY_MILLISECONDS);
      asking += 1;
      mayContact(next.address).then(
        (allowed) => {
          asking -= 1;
          if (settled) return;
          if (allowed) dial(next);
          else fail(new ContactRefused(next.address));
        },
        (error) => settle(() => reject(error)),
      );
    };
    const dial = ({ address, port }: Endpoint) => {
      const socket = connect({ host: address, port });
      open.add(socket);
      // Keep the listener: an error event without one would end the process.
      socket.on('error', (error) => {
        if (open.delete(socket)) fail(error);
      });
      socket.once('connect', () => {
        if (!open.delete(socket)) return;
        settle(() => resolve(socket));
      });
    };

    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    signal.addEventListener('abort', onAbort);
    if (waiting.length === 0) settle(() => reject(new Error('no address to dial')));
    startNext();
  });
}
