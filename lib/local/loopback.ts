import { contains, parseIp, parsePrefix, unmapped } from '../../shared/protocol/ip.ts';

const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap((text) => parsePrefix(text) ?? []);

/** Whether an address is that of a client on this machine. */
export function isLoopback(client: string): boolean {
  const address = parseIp(client);
  return address !== undefined && LOOPBACK.some((block) => contains(block, unmapped(address)));
}
