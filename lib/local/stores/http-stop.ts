/** Stops an HTTP server within a bounded time, whatever its clients do. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** How long requests in progress may take once the server stops. */
export const STOP_MILLISECONDS = 10_000;

/**
 * Watches the connections of a server. The returned function accepts no new ones, closes at once those without a request in
 * progress, also those that sent nothing or half a head, and has each of the others closed by its response. It resolves
 * when all are closed; after `milliseconds`, it closes those that are left. Connections to a TLS server count from the end
 * of their handshake.
 */
export function stoppable(server: Server | TlsServer): (milliseconds?: number) => Promise<void> {
  /** The responses that a connection still owes. */
  const connections = new Map<Socket, Set<ServerResponse>>();
  let isStopping = false;

  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, new Set());
    socket.once('close', () => connections.delete(socket));
    if (isStopping) socket.destroy();
  });
  const owe = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const owed = connections.get(socket);
    if (owed === undefined) return;
    owed.add(response);
    if (isStopping) closeAfter(response);
    response.once('close', () => {
      owed.delete(response);
      if (isStopping && owed.size === 0) socket.destroySoon();
    });
  };
  server.prependListener('request', owe);

  return async (milliseconds = STOP_MILLISECONDS) => {
    isStopping = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const [socket, owed] of connections) {
      if (owed.size === 0) socket.destroy();
      for (const response of owed) closeAfter(response);
    }
    const timer = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy();
    }, milliseconds);
    await closed;
    clearTimeout(timer);
  };
}

function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
