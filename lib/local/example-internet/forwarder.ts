/** Forwards queries to real resolvers and returns their answers unchanged. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerAddress } from '../../../shared/network/dns-transport.ts';
import { semaphore } from '../../../shared/network/semaphore.ts';

export type Transport = 'udp' | 'tcp';

/** The first resolver's answer; `silent` if none answers in time; undefined if there is none or none can be reached. */
export type Forward = (query: Buffer, transport: Transport) => Promise<Buffer | 'silent' | undefined>;

/** How long to wait for one resolver before the next is queried as well, and the timeout. */
const NEXT_MILLISECONDS = 1500;
const TOTAL_MILLISECONDS = 4500;
/** The maximum number of concurrent queries; more wait. */
const MAX_OPEN = 2000;

export function createForwarder(resolvers: readonly ServerAddress[]): Forward {
  const turn = semaphore(MAX_OPEN);
  /** By transport and query without its ID. A query that is repeated waits for the same answer. */
  const open = new Map<string, ReturnType<Forward>>();
  return async (query, transport) => {
    const key = `${transport} ${query.toString('latin1', 2)}`;
    const asked = open.get(key) ?? turn(() => forward(resolvers, query, transport));
    open.set(key, asked);
    try {
      const answer = await asked;
      if (!Buffer.isBuffer(answer)) return answer;
      return Buffer.concat([query.subarray(0, 2), answer.subarray(2)]);
    } finally {
      open.delete(key);
    }
  };
}

async function forward(
  resolvers: readonly ServerAddress[],
  query: Buffer,
  transport: Transport,
): ReturnType<Forward> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), TOTAL_MILLISECONDS);
  const exchange = transport === 'udp' ? queryOverUdp : queryOverTcp;
  try {
    return await Promise.any(
      resolvers.map(async (resolver, index) => {
        if (index > 0) await pause(index * NEXT_MILLISECONDS, undefined, { signal: end.signal });
        return exchange(query, resolver, end.signal);
      }),
    );
  } catch {
    return end.signal.aborted ? 'silent' : undefined;
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

async function queryOverUdp(
  query: Buffer,
  { address, port }: ServerAddress,
  signal: AbortSignal,
): Promise<Buffer> {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', signal });
  // Without a listener, an error event would end the process.
  socket.on('error', () => undefined);
  try {
    // A connected socket accepts answers from this resolver only.
    socket.connect(port, address);
    await once(socket, 'connect', { signal });
    socket.send(query);
    for (;;) {
      const [answer] = (await once(socket, 'message', { signal })) as [Buffer];
      if (isAnswerTo(answer, query)) return answer;
    }
  } finally {
    if (!signal.aborted) socket.close();
  }
}

async function queryOverTcp(
  query: Buffer,
  { address, port }: ServerAddress,
  signal: AbortSignal,
): Promise<Buffer> {
  const socket = connect({ host: address, port, signal });
  socket.on('error', () => undefined);
  try {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(query.length);
    socket.write(Buffer.concat([length, query]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket) {
      received = Buffer.concat([received, chunk as Buffer]);
      if (received.length < 2) continue;
      const end = 2 + received.readUInt16BE(0);
      if (received.length >= end) return received.subarray(2, end);
    }
    throw new Error('connection closed before the answer');
  } finally {
    socket.destroy();
  }
}

function isAnswerTo(answer: Buffer, query: Buffer): boolean {
  return (
    answer.length >= 12 && answer.readUInt16BE(0) === query.readUInt16BE(0) && ((answer[2] ?? 0) & 0x80) !== 0
  );
}
