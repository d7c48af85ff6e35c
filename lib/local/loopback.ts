import { contains, parseIp, parsePrefix, unmapped } from '../../shared/protocol/ip.ts';

const LOOPBACK = ['127.0.0.0/8', '::1'].flatMap((text) => parsePrefix(text) ?? []);

/** Whether a client is on this machine, by its address. */
export function isLoopback(client: string): boolean {
  const address = parseIp(client);
  return address !== undefined && LOOPBACK.some((block) => contains(block, unmapped(address)));
}
