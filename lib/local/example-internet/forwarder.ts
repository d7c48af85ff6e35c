/** Forwards queries to real resolvers and returns their answers unchanged. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerAddress } from '../../../shared/network/dns-transport.ts';

export type Transport = 'udp' | 'tcp';

/** The first resolver's answer; undefined if none answers in time. */
export type Forward = (query: Buffer, transport: Transport) => Promise<Buffer | undefined>;

/** How long to wait for one resolver before the next is queried as well, and the timeout. */
const NEXT_MILLISECONDS = 1500;
const TOTAL_MILLISECONDS = 4500;
/** The maximum number of concurrent queries; more get no answer. */
const MAX_OPEN = 200;

export function createForwarder(resolvers: readonly ServerAddress[]): Forward {
  let open = 0;
  return async (query, transport) => {
    if (resolvers.length === 0 || open >= MAX_OPEN) return undefined;
    open += 1;
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
      return undefined;
    } finally {
      clearTimeout(timer);
      end.abort();
      open -= 1;
    }
  };
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
