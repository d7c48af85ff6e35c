/** For which hosts the gateway answers, and who sent a request. */
import type { IncomingMessage } from 'node:http';
import { contains, formatIp, type IpPrefix, parseIp, unmapped } from '../../../../shared/protocol/ip.ts';
import { isForwarded, isLoopback } from '../../stores/loopback.ts';

/** `example.org`, `192.0.2.1` or `[2001:db8::1]`, possibly with a port (RFC 9110 section 7.2). */
const HOST = /^(\[[\da-f:.]+\]|[^:[\]/?#@\\\s]+)(?::\d{0,5})?$/i;

/**
 * Whether the Host header names this service: the host of its URL, `localhost`, a loopback address, or the address that
 * the request arrived at. A page whose name was made to lead here (DNS rebinding) sends the name of its own site.
 */
export function isOwnHost(request: IncomingMessage, hostUrl: string | undefined): boolean {
  const [host = '', ...others] = request.headersDistinct.host ?? [];
  const name = HOST.exec(host)?.[1]?.toLowerCase();
  if (name === undefined || others.length > 0) return false;
  if (name === 'localhost' || (hostUrl !== undefined && name === new URL(hostUrl).hostname)) return true;
  const address = canonical(name.replace(/^\[|\]$/g, ''));
  return address !== undefined && (isLoopback(address) || address === canonical(arrivedAt(request)));
}

/** Without the zone of a link-local address, which no Host header has. */
const arrivedAt = ({ socket }: IncomingMessage): string => (socket.localAddress ?? '').split('%', 1)[0] ?? '';

/** An IPv4-mapped address is the IPv4 address in it. Undefined for text that is not an address. */
function canonical(text: string): string | undefined {
  const address = parseIp(text);
  return address && formatIp(unmapped(address));
}

export interface Sender {
  /** The IP address of the client. */
  readonly client: string;
  /** Whether it is a program on this machine, as far as no proxy says otherwise. */
  readonly isLocal: boolean;
}

/**
 * Who sent a request: its connection's peer. If that is a trusted proxy, it is the last address in X-Forwarded-For that is
 * not one: each proxy appends its own client, and what is before that is the word of a stranger. Undefined if a trusted
 * proxy names something that is not an address.
 */
export function senderOf(request: IncomingMessage, trustedProxies: readonly IpPrefix[]): Sender | undefined {
  const { remoteAddress = '' } = request.socket;
  const peer = canonical(remoteAddress) ?? remoteAddress;
  const isTrusted = (client: string): boolean => {
    const address = parseIp(client);
    return address !== undefined && trustedProxies.some((network) => contains(network, address));
  };
  const named = (request.headersDistinct['x-forwarded-for'] ?? []).join(',').split(',');
  const forwardedFor = isTrusted(peer) ? named.map((one) => one.trim()).filter((one) => one !== '') : [];
  if (forwardedFor.length === 0)
    return { client: peer, isLocal: isLoopback(peer) && !isForwarded(request.headers) };
  let client = peer;
  while (isTrusted(client)) {
    const next = forwardedFor.pop();
    if (next === undefined) break;
    const address = canonical(next);
    if (address === undefined) return undefined;
    client = address;
  }
  return { client, isLocal: isLoopback(client) };
}
