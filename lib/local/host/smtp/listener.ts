/**
 * The SMTP listener, which replaces SES on one machine. It accepts mail for existing addresses, and replies 250 to a
 * message only after the message is stored and its notification is sent.
 */
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  SMTPServer,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server';
import { domainOf, localPartOf } from '../../../../shared/protocol/mail-address.ts';
import type { Log } from '../../../../shared/runtime/logging/log.ts';
import { type CertificateSource, TLS_OPTIONS } from '../certificate.ts';
import { type ReceivedMail, withTrace } from './deliver.ts';
import { type Session, type SessionLimits, Sessions, sessionLimits } from './sessions.ts';
import type { UnfinishedMessage } from './unfinished-message.ts';

/** One kind of mail that the listener accepts. */
export interface MailRoute {
  /** The domain of the recipient addresses, in lowercase. */
  readonly domain: string;
  /** Resolves to whether this address exists; `localPart` is in lowercase. */
  hasMailbox(localPart: string): Promise<boolean>;
  /** Stores a message and sends its notification. If this fails, the sending server retries. */
  deliver(mail: ReceivedMail): Promise<void>;
}

export interface SmtpListener {
  readonly port: number;
  /** Accepts no more connections. Resolves when the messages in progress have a reply. */
  stop(): Promise<void>;
}

interface SmtpListenerOptions {
  readonly address: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly routes: readonly MailRoute[];
  readonly log: Log;
  /** Whether nothing can be stored now. */
  readonly isFull?: () => boolean;
  /** If absent, the listener does not offer STARTTLS. */
  readonly certificate?: CertificateSource | undefined;
  readonly limits?: SessionLimits;
  /** Whether a client address is on this machine. Defaults to the loopback addresses; tests replace it. */
  readonly isLocal?: (address: string) => boolean;
}

/** Octets of a message, the same limit as that of SES. */
const MAX_MESSAGE = 40 * 1024 * 1024;
/** RFC 5321 section 4.5.3.1.8. */
const MAX_RECIPIENTS = 100;
const CLOSE_MILLISECONDS = 5_000;

/** A negative reply. The library derives the enhanced status code (RFC 3463) from the reply code. */
class Refusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

/** Chooses each connection's ID, because the library does not otherwise reveal which socket an ID belongs to. */
class Server extends SMTPServer {
  readonly #sessions: Sessions;

  constructor(sessions: Sessions, options: SMTPServerOptions) {
    super(options);
    this.#sessions = sessions;
  }

  override connect(...[socket, options]: Parameters<SMTPServer['connect']>): void {
    const id = options?.id ?? randomUUID();
    if (this.#sessions.open(id, socket)) super.connect(socket, { ...options, id });
  }
}

/** The promise rejects if the port is in use. */
export async function startSmtpListener(options: SmtpListenerOptions): Promise<SmtpListener> {
  const {
    address,
    port,
    routes,
    log,
    certificate,
    isFull = () => false,
    limits = sessionLimits,
    isLocal,
  } = options;
  const sessions = new Sessions(limits, isLocal);
  const server = new Server(sessions, {
    name: routes[0]?.domain ?? 'localhost',
    banner: 'ready',
    heloResponse: '%s',
    size: MAX_MESSAGE,
    rejectOversized: true,
    disabledCommands: ['AUTH', ...(certificate === undefined ? ['STARTTLS'] : [])],
    ...TLS_OPTIONS,
    ...certificate?.current(),
    authOptional: true,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    hideSMTPUTF8: true,
    maxRecipients: MAX_RECIPIENTS,
    socketTimeout: limits.idleMilliseconds,
    closeTimeout: CLOSE_MILLISECONDS,
    logger: { debug: countCommand },
    onSecure(socket, { id }, reply) {
      sessions.get(id)?.secure(socket);
      reply();
    },
    onClose: ({ id }) => sessions.get(id)?.closed(),
    onMailFrom: (_sender, { id }, reply) => reply(startTransaction(id)),
    onRcptTo: ({ address: recipient }, _session, reply) => settle(checkRecipient(recipient), reply),
    onData: (stream, session, reply) => settle(takeMessage(stream, session), reply),
  });
  certificate?.onChange((pair) => server.updateSecureContext(pair));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Clients can disconnect at any time. Without a listener, an error event would end the process.
  server.on('error', (error) => log.debug('smtp connection failed', { error: error.message }));
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };

  function settle(work: Promise<void>, reply: (error?: Error | null) => void): void {
    work.then(
      () => reply(),
      (error: unknown) => {
        if (error instanceof Refusal) return reply(error);
        log.error('message could not be stored', { error });
        reply(isFull() ? full() : new Refusal(451, 'The message cannot be stored now, try again later'));
      },
    );
  }

  async function checkRecipient(recipient: string): Promise<void> {
    const [localPart, domain] = partsOf(recipient);
    const route = routes.find((one) => one.domain === domain);
    if (route === undefined || !(await route.hasMailbox(localPart))) {
      throw new Refusal(550, 'There is no such mailbox');
    }
  }

  /** The library reports commands only in its log. */
  function countCommand({ tnx, cid = '' }: { tnx?: string; cid?: string }): void {
    const session = sessions.get(cid);
    if (tnx === 'command' && session !== undefined) sessions.countCommand(session);
  }

  function startTransaction(id: string): Error | undefined {
    const session = sessions.get(id);
    if (session === undefined) return hasEnded();
    if (isFull()) return full();
    return sessions.startTransaction(session) ? undefined : tooMuch();
  }

  async function takeMessage(stream: SMTPServerDataStream, smtpSession: SMTPServerSession): Promise<void> {
    const session = sessions.get(smtpSession.id);
    if (session === undefined) throw hasEnded();
    const message = sessions.startMessage(session);
    try {
      await receive(stream, session, message);
      // The library itself replies to a message that is too large.
      if (stream.sizeExceeded) return;
      if (message.isDiscarded) throw tooMuch();
      await deliver(message.finish(), smtpSession);
    } finally {
      sessions.endTransaction(session);
    }
  }

  /** Reads the content of a message to its end. Throws a refusal if the connection ends first. */
  async function receive(
    stream: SMTPServerDataStream,
    session: Session,
    message: UnfinishedMessage,
  ): Promise<void> {
    const { milliseconds, octets } = limits.pace;
    let arrived = 0;
    const timer = setInterval(() => {
      if (arrived < octets) session.end('4.4.2 The message arrives too slowly');
      arrived = 0;
    }, milliseconds);
    try {
      for await (const chunk of stream) {
        arrived += chunk.length;
        if (stream.sizeExceeded) message.giveUp();
        message.add(chunk);
      }
    } catch (error) {
      // The stream has an error only if the library ended it because the connection was lost.
      if (stream.errored === null) throw error;
      log.debug('smtp connection ended during DATA', { client: session.client, octets: stream.byteLength });
      throw hasEnded();
    } finally {
      clearInterval(timer);
    }
  }

  async function deliver(
    content: readonly Uint8Array[],
    { envelope, ...session }: SMTPServerSession,
  ): Promise<void> {
    const recipients = [...new Set(envelope.rcptTo.map(({ address: to }) => partsOf(to).join('@')))];
    const traced = withTrace(content, {
      mailFrom: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
      helo: session.hostNameAppearsAs,
      // A session without TLS says something about the client only if it was offered.
      protocol: certificate === undefined ? 'SMTP' : session.transmissionType,
      ip: session.remoteAddress,
      recipients,
      receivedAt: new Date(),
    });
    for (const route of routes) {
      const matching = recipients.filter((recipient) => recipient.endsWith(`@${route.domain}`));
      if (matching.length > 0) await route.deliver({ ...traced, recipients: matching });
    }
  }
}

const tooMuch = () => new Refusal(452, 'Too much mail at once, try again later');
/** RFC 5321 section 4.2.2; the client tries again later. */
const full = () => new Refusal(452, 'Nothing can be stored now, try again later');
/** No client receives this reply. It stops what the library still does for the connection. */
const hasEnded = () => new Refusal(451, 'The session has ended');

function partsOf(address: string): [localPart: string, domain: string] {
  return [localPartOf(address).toLowerCase(), domainOf(address).toLowerCase()];
}
