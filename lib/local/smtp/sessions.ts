/** What one SMTP client may take of the listener, where the library that speaks SMTP knows no limit. */
import type { Server, Socket } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { callerOf } from '../../../shared/runtime/caller.ts';
import { isLoopback } from '../loopback.ts';

export interface SessionLimits {
  /** From the greeting to the end, however busy. */
  readonly milliseconds: number;
  readonly commands: number;
  /** Sessions at once of one client, unless it is on this machine. */
  readonly perClient: number;
}

export const sessionLimits: SessionLimits = { milliseconds: 600_000, commands: 1000, perClient: 5 };

/** Whoever is told so comes again (RFC 5321 section 3.8). */
const CLOSING = 421;

/** Holds the sessions of a server to the limits of time and of sessions at once. */
export function limitSessions(server: Server, { milliseconds, perClient }: SessionLimits): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    const client = callerOf(remoteAddress);
    const count = (open.get(client) ?? 0) + 1;
    const timer = setTimeout(() => cut(socket, '4.4.2 The session takes too long'), milliseconds);
    open.set(client, count);
    socket.once('close', () => {
      clearTimeout(timer);
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    });
    if (count > perClient && !isLoopback(remoteAddress)) cut(socket, '4.7.0 Too many sessions at once');
  });
}

/** The library tells of each command by its log, and nowhere else. */
export function commandCounter(server: () => SMTPServer, { commands }: SessionLimits) {
  const said = new WeakMap<object, number>();
  return {
    debug({ tnx, cid }: { tnx?: string; cid?: string }): void {
      if (tnx !== 'command') return;
      const session = [...server().connections].find(({ id }) => id === cid);
      if (session === undefined) return;
      const count = (said.get(session) ?? 0) + 1;
      said.set(session, count);
      if (count > commands) session.send(CLOSING, 'Too many commands in one session', false);
    },
  };
}

function cut(socket: Socket, reason: string): void {
  socket.write(`${CLOSING} ${reason}\r\n`);
  socket.destroySoon();
}
