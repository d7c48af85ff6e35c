import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, one of which could take the port in the meantime. */
const [FIRST, LAST] = [10_000, 32_000];
const ATTEMPTS = 50;

/** A port of the loopback address that is free at this moment, for TCP and UDP. */
export async function freePort(): Promise<number> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
  throw new Error(`none of ${ATTEMPTS} ports is free`);
}

async function isFree(port: number): Promise<boolean> {
  const udp = createSocket('udp4').bind(port, '127.0.0.1');
  const tcp = createServer().listen(port, '127.0.0.1');
  const listening = await Promise.allSettled([once(udp, 'listening'), once(tcp, 'listening')]);
  await Promise.all([
    new Promise<void>((closed) => udp.close(closed)),
    new Promise((closed) => tcp.close(closed)),
  ]);
  return listening.every(({ status }) => status === 'fulfilled');
}
