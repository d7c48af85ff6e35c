/**
 * The name server of the example internet on loopback, over UDP and TCP. It is authoritative for the zones and forwards
 * all other queries. It never sets the AD bit, because it does not validate.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket as TcpSocket } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';
import type { AuthoritativeData } from './authoritative-data.ts';
import type { Forward, Transport } from './forwarder.ts';

const LOOPBACK = '127.0.0.1';
/** Without EDNS (RFC 1035 section 4.2.1), and the size announced to EDNS clients (DNS flag day 2020). */
const PLAIN_PAYLOAD = 512;
const EDNS_PAYLOAD = 1232;
const TCP_IDLE_MILLISECONDS = 10_000;
const MAX_TCP_CONNECTIONS = 100;
/** Attempts to find a port that is free on both transports. */
const MAX_PORT_ATTEMPTS = 10;

const flags = {
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  recursionAvailable: 0x0080,
};
const checkingDisabled = 0x0010;
const rcodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4 } as const;

/** Listens on `port`, or on any free port if it is 0. Rejects if the port is in use. */
export async function startNameServer(data: AuthoritativeData, forward: Forward, port = 0) {
  const respond = async (query: Buffer, transport: Transport): Promise<Buffer | undefined> => {
    const queried = readQuery(query);
    if (queried === undefined) return undefined;
    const [question] = queried.packet.questions ?? [];
    if (question === undefined) return write(queried, { rcode: 'FORMERR' }, transport);
    if (question.class !== undefined && question.class !== 'IN')
      return write(queried, { rcode: 'NOTIMP' }, transport);
    const reply = data.answer(question.name, question.type, queried.dnssec);
    if (reply !== undefined) return write(queried, reply, transport);
    const answer = (await forward(query, transport)) ?? write(queried, { rcode: 'SERVFAIL' }, transport);
    // SERVFAIL would be a reason that no server gave.
    return answer === 'silent' ? undefined : answer;
  };

  for (let attempt = 1; ; attempt += 1) {
    const tcp = createServer((socket) => serveTcp(socket, (query) => respond(query, 'tcp')));
    tcp.maxConnections = MAX_TCP_CONNECTIONS;
    const connections = new Set<TcpSocket>();
    tcp.on('connection', (socket) => {
      connections.add(socket);
      socket.once('close', () => connections.delete(socket));
    });
    await once(tcp.listen(port, LOOPBACK), 'listening');
    const bound = (tcp.address() as { port: number }).port;
    const udp = createSocket('udp4');
    try {
      await once(udp.bind(bound, LOOPBACK), 'listening');
    } catch (error) {
      tcp.close();
      if (port !== 0 || attempt === MAX_PORT_ATTEMPTS) throw error;
      continue;
    }
    serveUdp(udp, (query) => respond(query, 'udp'));
    return {
      port: bound,
      async stop() {
        const closed = Promise.all([once(udp, 'close'), once(tcp, 'close')]);
        udp.close();
        tcp.close();
        for (const socket of connections) socket.destroy();
        await closed;
      },
    };
  }
}

type Respond = (query: Buffer) => Promise<Buffer | undefined>;

function serveUdp(socket: Socket, respond: Respond): void {
  // A client that disconnected causes an error on a later send.
  socket.on('error', () => undefined);
  socket.on('message', async (query, { port, address }) => {
    const answer = await respond(query);
    if (answer === undefined) return;
    try {
      socket.send(answer, port, address);
    } catch {
      // The server stopped while the query was being answered.
    }
  });
}

function serveTcp(socket: TcpSocket, respond: Respond): void {
  let received = Buffer.alloc(0);
  socket.setTimeout(TCP_IDLE_MILLISECONDS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', async (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const query = received.subarray(2, 2 + received.readUInt16BE(0));
      received = received.subarray(2 + query.length);
      const answer = await respond(query);
      if (answer === undefined || !socket.writable) return void socket.destroy();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    }
  });
}

interface Query {
  readonly packet: Packet;
  readonly edns: boolean;
  readonly dnssec: boolean;
  readonly payload: number;
}

function readQuery(octets: Buffer): Query | undefined {
  try {
    const packet = decode(octets);
    if (packet.flag_qr) return undefined;
    const opt = packet.additionals?.find((record) => record.type === 'OPT');
    if (opt?.type !== 'OPT') return { packet, edns: false, dnssec: false, payload: PLAIN_PAYLOAD };
    const payload = Math.min(Math.max(opt.udpPayloadSize, PLAIN_PAYLOAD), EDNS_PAYLOAD);
    return { packet, edns: true, dnssec: opt.flag_do, payload };
  } catch {
    return undefined;
  }
}

interface Reply {
  readonly rcode: keyof typeof rcodes;
  readonly answers?: readonly Answer[];
  readonly authorities?: readonly Answer[];
}

function write(query: Query, reply: Reply, transport: Transport): Buffer {
  const { packet, edns, dnssec, payload } = query;
  const kept = (packet.flags ?? 0) & (flags.recursionDesired | checkingDisabled);
  const response: Packet = {
    type: 'response',
    id: packet.id ?? 0,
    flags: kept | flags.recursionAvailable | flags.authoritative | rcodes[reply.rcode],
    questions: packet.questions ?? [],
    answers: [...(reply.answers ?? [])],
    authorities: [...(reply.authorities ?? [])],
    additionals: edns ? [optRecord(dnssec)] : [],
  };
  const octets = encode(response);
  if (transport === 'tcp' || octets.length <= payload) return octets;
  const truncated = (response.flags ?? 0) | flags.truncated;
  return encode({ ...response, flags: truncated, answers: [], authorities: [] });
}

function optRecord(dnssec: boolean) {
  return {
    type: 'OPT' as const,
    name: '.',
    udpPayloadSize: EDNS_PAYLOAD,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: dnssec ? 0x8000 : 0,
    flag_do: dnssec,
    options: [],
  };
}
