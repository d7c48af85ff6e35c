/**
 * A DNS server on loopback that acts as a recursive resolver, with UDP and TCP on one port and responses from a zone
 * literal. It uses dns-packet, so that our parser is tested against an independent encoder.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Answer,
  AUTHENTIC_DATA,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import { canonicalName } from '../../shared/protocol/domain-name.ts';
import { indexZone, type ZoneLiteral, type ZoneNode } from './zone.ts';

/** A hand-made response: receives the query unchanged, with the port of the client, and returns the packets to send, in order. */
export type Forger = (query: Buffer, transport: 'udp' | 'tcp', port: number) => readonly Uint8Array[];

export type Behaviour =
  /** No response over UDP, or none to the first `drop` queries. */
  | { readonly drop: true | number }
  /** A truncated response over UDP, the complete one over TCP. */
  | { readonly truncate: true }
  | { readonly delayMilliseconds: number }
  /** A response only to the first query, sent after the query is repeated. */
  | { readonly repliesOnceRepeated: true }
  /** Only the first CNAME of a chain, without the records of its target. */
  | { readonly minimal: true }
  | { readonly forge: Forger };

export interface DnsServerOptions {
  readonly behaviours?: Readonly<Record<string, Behaviour>>;
  /** The AA bit of every response, which the zone's own server sets. */
  readonly authoritative?: boolean;
  /** Names without signatures. If there is this list, all other responses have the AD bit. */
  readonly insecure?: readonly string[];
  readonly ttl?: number;
  /** Delay of every response that no behaviour delays; 0 by default. */
  readonly delayMilliseconds?: number;
  /** MINIMUM of the SOA record in negative responses; undefined omits the SOA. */
  readonly negativeTtl?: number | undefined;
  /** The extended DNS errors (RFC 8914) of every SERVFAIL. */
  readonly extendedErrors?: readonly { readonly code: number; readonly text: string }[];
  /** `127.0.0.1` by default. */
  readonly host?: string;
  /** A free port by default. */
  readonly port?: number;
}

export interface DnsServer {
  readonly address: string;
  readonly port: number;
  /** Queries in order of arrival: `udp example.org TXT`. */
  readonly queries: readonly string[];
  stop(): Promise<void>;
}

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 };
const MAX_CHAIN = 8;

/** Starts a server on loopback. */
export async function startDnsServer(
  literal: ZoneLiteral,
  options: DnsServerOptions = {},
): Promise<DnsServer> {
  const host = options.host ?? '127.0.0.1';
  const behaviours = new Map(
    Object.entries(options.behaviours ?? {}).map(([name, behaviour]) => [canonicalName(name), behaviour]),
  );
  const names = indexZone(literal);
  const queries: string[] = [];
  const seen = new Map<string, number>();
  const sockets = new Set<Socket>();
  let stopped = false;

  async function respond(
    bytes: Buffer,
    transport: 'udp' | 'tcp',
    from: number,
  ): Promise<readonly Uint8Array[]> {
    const query = decode(bytes);
    const question = query.questions?.[0];
    if (question === undefined) return [];
    const name = canonicalName(question.name);
    queries.push(`${transport} ${name} ${question.type}`);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    const behaviour = behaviours.get(name);
    if (behaviour !== undefined && 'forge' in behaviour) return behaviour.forge(bytes, transport, from);
    if (behaviour !== undefined && 'repliesOnceRepeated' in behaviour) {
      if (count > 1) return [];
      while (!stopped && seen.get(name) === 1) await pause(20, undefined, { ref: false });
    }
    if (behaviour !== undefined && 'delayMilliseconds' in behaviour)
      await pause(behaviour.delayMilliseconds, undefined, { ref: false });
    else if (options.delayMilliseconds !== undefined)
      await pause(options.delayMilliseconds, undefined, { ref: false });
    if (behaviour !== undefined && 'drop' in behaviour && transport === 'udp') {
      if (behaviour.drop === true || count <= behaviour.drop) return [];
    }
    const minimal = behaviour !== undefined && 'minimal' in behaviour;
    const reply = answer(names, query, question, options, minimal);
    if (reply === undefined) return [];
    const encoded = wireReply(reply);
    const limit = (behaviour !== undefined && 'truncate' in behaviour) || encoded.length > 1232;
    if (transport === 'tcp' || !limit) return [encoded];
    return [
      encode({
        ...reply.packet,
        flags: (reply.packet.flags ?? 0) | TRUNCATED_RESPONSE,
        answers: [],
        authorities: [],
      }),
    ];
  }

  const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', async (bytes, from) => {
    const replies = await respond(bytes, 'udp', from.port);
    if (!stopped) for (const reply of replies) udp.send(reply, from.port, from.address);
  });
  const tcp = createServer((socket) => {
    sockets.add(socket);
    let received = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', async (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      for (const reply of await respond(
        received.subarray(2, 2 + received.readUInt16BE(0)),
        'tcp',
        socket.remotePort ?? 0,
      )) {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        socket.write(Buffer.concat([length, reply]));
      }
    });
  });

  const port = await bindBoth(tcp, udp, { host, port: options.port ?? 0 });
  return {
    address: host,
    port,
    queries,
    async stop() {
      if (stopped) return;
      stopped = true;
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => tcp.close(() => resolve())),
        new Promise<void>((resolve) => udp.close(() => resolve())),
      ]);
    },
  };
}

type Names = ReturnType<typeof indexZone>;

/** The reply to a query, as over TCP; undefined if there is none. */
export function replyFrom(names: Names, bytes: Buffer, options: DnsServerOptions = {}): Buffer | undefined {
  const query = decode(bytes);
  const question = query.questions?.[0];
  const reply = question && answer(names, query, question, options, false);
  return reply && wireReply(reply);
}

function wireReply({ packet, rcode }: { packet: Packet; rcode: keyof typeof rcodes }): Buffer {
  const encoded = encode(packet);
  encoded.writeUInt8((encoded.readUInt8(3) & 0xf0) | rcodes[rcode], 3);
  return encoded;
}

function answer(
  names: Names,
  query: Packet,
  question: Question,
  options: DnsServerOptions,
  minimal: boolean,
): { packet: Packet; rcode: keyof typeof rcodes } | undefined {
  const { ttl = 300, authoritative = false } = options;
  const answers: Answer[] = [];
  let rcode: keyof typeof rcodes = 'NOERROR';
  let name = canonicalName(question.name);
  let authentic = options.insecure !== undefined;
  let negative = true;
  let cut = false;
  for (let step = 0; step < MAX_CHAIN; step += 1) {
    const held = names.at(name);
    if (options.insecure?.includes(name)) authentic = false;
    if (held === 'TIMEOUT') return undefined;
    if (held === 'no-name') {
      rcode = 'NXDOMAIN';
      break;
    }
    if (typeof held === 'string') {
      rcode = held;
      break;
    }
    const type = question.type as keyof ZoneNode;
    const values = held[type];
    if (values === 'TIMEOUT') return undefined;
    if (typeof values === 'string') {
      rcode = values;
      break;
    }
    const records = (values ?? []).map(
      (value) => ({ name, type, ttl, data: wireData(type, value) }) as Answer,
    );
    answers.push(...records);
    negative = records.length === 0;
    const alias = Array.isArray(held.CNAME) ? held.CNAME[0] : undefined;
    if (!negative || alias === undefined || type === 'CNAME') break;
    answers.push({ name, type: 'CNAME', ttl, data: alias });
    name = canonicalName(alias);
    cut = minimal || step === MAX_CHAIN - 1;
    if (cut) break;
  }
  const failed = rcode === 'SERVFAIL' || rcode === 'REFUSED';
  const soa = negative && !failed && !cut && options.negativeTtl !== undefined;
  const edns = query.additionals?.some((record) => record.type === 'OPT') === true;
  return {
    rcode,
    packet: {
      type: 'response',
      id: query.id ?? 0,
      flags:
        RECURSION_DESIRED |
        RECURSION_AVAILABLE |
        (authoritative ? AUTHORITATIVE_ANSWER : 0) |
        (authentic ? AUTHENTIC_DATA : 0),
      questions: [question],
      answers: failed ? [] : answers,
      authorities: soa ? [startOfAuthority(ttl, options.negativeTtl ?? 0)] : [],
      additionals: edns ? [optRecord(failed ? options.extendedErrors : [])] : [],
    },
  };
}

function wireData(type: keyof ZoneNode, value: unknown): unknown {
  switch (type) {
    case 'MX': {
      const [preference, exchange] = value as readonly [number, string];
      return { preference, exchange: exchange === '' ? '.' : exchange };
    }
    case 'TXT':
      return typeof value === 'string' ? [value] : [...(value as readonly string[])];
    case 'TLSA':
    case 'DS':
    case 'DNSKEY':
      return Object.fromEntries(
        Object.entries(value as object).map(([key, held]) => [
          key,
          held instanceof Uint8Array ? Buffer.from(held) : held,
        ]),
      );
    default:
      return value;
  }
}

function startOfAuthority(ttl: number, minimum: number): Answer {
  return {
    name: '.',
    type: 'SOA',
    ttl,
    data: { mname: 'ns.test', rname: 'hostmaster.test', serial: 1, minimum },
  };
}

function optRecord(errors: DnsServerOptions['extendedErrors'] = []): Answer {
  const options = errors.map((error) => {
    const data = Buffer.concat([Buffer.alloc(2), Buffer.from(error.text)]);
    data.writeUInt16BE(error.code);
    return { code: 15, data };
  });
  return {
    name: '.',
    type: 'OPT',
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options,
  } as unknown as Answer;
}

/** Binds one port for TCP and UDP. Another program may have the UDP port that belongs to a free TCP port. */
async function bindBoth(
  tcp: Server,
  udp: UdpSocket,
  wanted: { host: string; port: number },
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    await once(tcp.listen(wanted.port, wanted.host), 'listening');
    const { port } = tcp.address() as AddressInfo;
    try {
      await once(udp.bind(port, wanted.host), 'listening');
      return port;
    } catch (error) {
      if (attempt === 10 || wanted.port !== 0) throw error;
      tcp.close();
      await once(tcp, 'close');
    }
  }
}
