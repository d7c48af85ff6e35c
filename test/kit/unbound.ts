/** A real Unbound on loopback that validates what a fake server of all zones answers. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode } from 'dns-packet';
import { freePort } from './free-port.ts';
import { type AnswerWith, startSetServer, type Verdict } from './set-server.ts';

export interface Unbound {
  /** What Unbound says about an answer: AD, no AD, or SERVFAIL. */
  judge(name: string, type: string): Promise<Verdict>;
  stop(): Promise<void>;
}

const WAIT_MILLISECONDS = 20_000;
const AUTHENTIC_DATA = 0x20;

/** Starts the server and Unbound, which trusts `anchor` (`. IN DS ...`) and takes `date` for the current time. */
export async function startUnbound(anchor: string, date: Date, answer: AnswerWith): Promise<Unbound> {
  const server = await startSetServer(answer);
  const folder = mkdtempSync(join(tmpdir(), 'unbound-'));
  const port = await freePort();
  const time = date.toISOString().replace(/\D/g, '').slice(0, 14);
  writeFileSync(
    join(folder, 'unbound.conf'),
    [
      'server:',
      `  interface: 127.0.0.1@${port}`,
      '  use-syslog: no',
      '  verbosity: 0',
      `  directory: "${folder}"`,
      '  chroot: ""',
      '  username: ""',
      `  pidfile: "${folder}/pid"`,
      '  do-not-query-localhost: no',
      '  do-ip6: no',
      '  num-threads: 1',
      '  edns-buffer-size: 4096',
      '  qname-minimisation: no',
      '  aggressive-nsec: no',
      '  harden-below-nxdomain: no',
      '  module-config: "validator iterator"',
      `  val-override-date: "${time}"`,
      '  val-nsec3-keysize-iterations: "1024 100 2048 100 4096 100"',
      `  trust-anchor: "${anchor}"`,
      'forward-zone:',
      '  name: "."',
      `  forward-addr: 127.0.0.1@${server.port}`,
      'remote-control:',
      '  control-enable: no',
      '',
    ].join('\n'),
  );
  const child = spawn('unbound', ['-d', '-c', join(folder, 'unbound.conf')], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const unbound: Unbound = {
    async judge(name, type) {
      const { rcode, flags = 0 } = await query(port, name, type);
      if (rcode === 'SERVFAIL') return 'bogus';
      return (flags & AUTHENTIC_DATA) !== 0 ? 'secure' : 'insecure';
    },
    async stop() {
      server.stop();
      if (child.exitCode === null) {
        const closed = once(child, 'close');
        child.kill('SIGTERM');
        await closed;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await query(port, '', 'DNSKEY');
  return unbound;
}

/** Repeats a query until there is an answer: Unbound may be starting. */
async function query(port: number, name: string, type: string) {
  const socket = createSocket('udp4');
  const id = Math.floor(Math.random() * 65_536);
  const packet = encode({
    type: 'query',
    id,
    flags: 0x0100,
    questions: [{ name: name === '' ? '.' : name, type: type as 'A' }],
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: 4096, flags: 0x8000, options: [] } as never],
  });
  const received = once(socket, 'message');
  // Nothing listens yet: the kernel reports it on a later send.
  socket.on('error', () => undefined);
  const timer = setInterval(() => socket.send(packet, port, '127.0.0.1'), 200);
  socket.send(packet, port, '127.0.0.1');
  const deadline = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`no answer about ${name} ${type}`)), WAIT_MILLISECONDS).unref();
  });
  try {
    const [reply] = (await Promise.race([received, deadline])) as [Buffer];
    return decode(reply) as ReturnType<typeof decode> & { readonly rcode: string };
  } finally {
    clearInterval(timer);
    socket.close();
  }
}
