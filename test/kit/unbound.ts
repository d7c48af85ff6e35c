/** A real Unbound on loopback that validates what a fake server of all zones answers. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode, encode } from 'dns-packet';
import { type RecordSet, type RrsigRecord, recordTypeNumbers } from '../../shared/protocol/dns.ts';
import { nameToWire } from '../../shared/protocol/dnssec/canonical.ts';
import { freePort } from './free-port.ts';

export interface WireAnswer {
  readonly rcode: 'NOERROR' | 'NXDOMAIN' | 'SERVFAIL';
  readonly answers: readonly RecordSet[];
  readonly authorities: readonly RecordSet[];
}

export type Verdict = 'secure' | 'insecure' | 'bogus';

export interface Unbound {
  /** What Unbound says about an answer: AD, no AD, or SERVFAIL. */
  judge(name: string, type: string): Promise<Verdict>;
  stop(): Promise<void>;
}

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 };
const WAIT_MILLISECONDS = 20_000;
const AUTHENTIC_DATA = 0x20;

/** Starts the server and Unbound, which trusts `anchor` (`. IN DS ...`) and takes `date` for the current time. */
export async function startUnbound(
  anchor: string,
  date: Date,
  answer: (name: string, type: string) => Promise<WireAnswer>,
): Promise<Unbound> {
  const server = createSocket('udp4');
  server.on('message', async (query, { port: from, address }) => {
    const [question] = decode(query).questions ?? [];
    if (question === undefined) return;
    const name = question.name === '.' ? '' : question.name.toLowerCase();
    const reply = await answer(name, question.type);
    server.send(encodeAnswer(query, name, reply), from, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
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
      `  forward-addr: 127.0.0.1@${server.address().port}`,
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
      server.close();
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

function encodeAnswer(query: Buffer, name: string, { rcode, answers, authorities }: WireAnswer): Buffer {
  const question = query.subarray(12, 12 + (nameToWire(name)?.length ?? 1) + 4);
  const sections = [answers, authorities].map((sets) => sets.flatMap(recordsOf));
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580 | rcodes[rcode], 2);
  header.writeUInt16BE(1, 4);
  for (const [at, records] of sections.entries()) header.writeUInt16BE(records.length, 6 + 2 * at);
  header.writeUInt16BE(1, 10);
  const options = Buffer.from('0000291000000080000000', 'hex');
  return Buffer.concat([header, question, ...sections.flat(), options]);
}

function recordsOf({ name, type, ttl, rdata, signatures }: RecordSet): Buffer[] {
  return [
    ...rdata.map((octets) => record(name, recordTypeNumbers[type] ?? 0, ttl, octets)),
    ...signatures.map((it) => record(name, recordTypeNumbers.RRSIG ?? 0, ttl, rrsigRdata(it))),
  ];
}

function record(name: string, type: number, ttl: number, rdata: Uint8Array): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([nameToWire(name) ?? Buffer.of(0), fixed, rdata]);
}

function rrsigRdata(it: RrsigRecord): Buffer {
  const fixed = Buffer.alloc(18);
  fixed.writeUInt16BE(recordTypeNumbers[it.typeCovered] ?? 0, 0);
  fixed.writeUInt8(it.algorithm, 2);
  fixed.writeUInt8(it.labels, 3);
  fixed.writeUInt32BE(it.originalTtl, 4);
  fixed.writeUInt32BE(it.expiration >>> 0, 8);
  fixed.writeUInt32BE(it.inception >>> 0, 12);
  fixed.writeUInt16BE(it.keyTag, 16);
  return Buffer.concat([fixed, nameToWire(it.signerName) ?? Buffer.of(0), it.signature]);
}
