import type { IncomingHttpHeaders } from 'node:http';
import { contains, parseIp, parsePrefix, unmapped } from '../../../shared/protocol/ip.ts';

/** What only programs on this machine can connect to. */
export const LOOPBACK_ADDRESS = '127.0.0.1';

const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap((text) => parsePrefix(text) ?? []);

/** Whether an address is that of a client on this machine. */
export function isLoopback(client: string): boolean {
  const address = parseIp(client);
  return address !== undefined && LOOPBACK.some((block) => contains(block, unmapped(address)));
}

/**
 * Whether an intermediary says that it passed a request on (RFC 7239; RFC 9110 section 7.6.3; and the customary headers).
 * A proxy on this machine connects from loopback, wherever its client is.
 */
export const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some((name) => /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/.test(name));
