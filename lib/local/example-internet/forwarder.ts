/** Passes questions on to real resolvers, and their answers back, octet by octet. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerAddress } from '../../../shared/network/dns-transport.ts';

export type Transport = 'udp' | 'tcp';

/** Gives the answer of the first resolver that has one; undefined when none answers in time. */
export type Forward = (query: Buffer, transport: Transport) => Promise<Buffer | undefined>;

/** How long one resolver may be silent before the next is asked as well, and how long to wait in all. */
const NEXT_MILLISECONDS = 1500;
const TOTAL_MILLISECONDS = 4500;
/** Questions under way at once; more get no answer. */
const MAX_OPEN = 200;

export function createForwarder(resolvers: readonly ServerAddress[]): Forward {
  let open = 0;
  return async (query, transport) => {
    if (resolvers.length === 0 || open >= MAX_OPEN) return undefined;
    open += 1;
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), TOTAL_MILLISECONDS);
    const ask = transport === 'udp' ? askOverUdp : askOverTcp;
    try {
      return await Promise.any(
        resolvers.map(async (resolver, index) => {
          if (index > 0) await pause(index * NEXT_MILLISECONDS, undefined, { signal: end.signal });
          return ask(query, resolver, end.signal);
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

async function askOverUdp(
  query: Buffer,
  { address, port }: ServerAddress,
  signal: AbortSignal,
): Promise<Buffer> {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', signal });
  // Between two waits nobody listens, and an error that nobody hears ends the process.
  socket.on('error', () => undefined);
  try {
    // A connected socket of its own takes answers from this resolver only.
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

async function askOverTcp(
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
