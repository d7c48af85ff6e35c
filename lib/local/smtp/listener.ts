/**
 * The SMTP listener: on one machine what SES is in the cloud. It takes mail for addresses that there are, and says yes
 * to a message only when it is stored and announced.
 */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { domainOf, localPartOf } from '../../../shared/protocol/mail-address.ts';
import type { Log } from '../../../shared/runtime/log.ts';
import { commandCounter, limitSessions, type SessionLimits, sessionLimits } from './sessions.ts';
import { type ReceivedMail, withTrace } from './trace-lines.ts';

/** One kind of mail that is taken. */
export interface MailWay {
  /** The domain of its addresses, in lower case. */
  readonly domain: string;
  /** Whether there is such an address, by its local part in lower case. */
  hasMailbox(localPart: string): Promise<boolean>;
  /** Stores and announces a message; whoever sent it tries again when this fails. */
  deliver(mail: ReceivedMail): Promise<void>;
}

export interface SmtpListener {
  readonly port: number;
  /** Takes no more connections, and ends when the messages under way are answered. */
  stop(): Promise<void>;
}

export interface SmtpListenerOptions {
  readonly address: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly ways: readonly MailWay[];
  readonly log: Log;
  readonly limits?: SessionLimits;
}

/** Octets of a message; SES takes as much. */
const MAX_MESSAGE = 40 * 1024 * 1024;
/** Octets of messages that are under way, all connections together; who comes then is asked to come again. */
const MAX_UNDER_WAY = 4 * MAX_MESSAGE;
const MAX_CLIENTS = 50;
/** RFC 5321 section 4.5.3.1.8. */
const MAX_RECIPIENTS = 100;
const IDLE_MILLISECONDS = 60_000;
const CLOSE_MILLISECONDS = 5_000;

/** A reply that refuses; the enhanced status code is that of its code (RFC 3463). */
class Refusal extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

/** Rejects where the port is taken. */
export async function startSmtpListener(options: SmtpListenerOptions): Promise<SmtpListener> {
  const { address, port, ways, log, limits = sessionLimits } = options;
  let underWay = 0;
  const server: SMTPServer = new SMTPServer({
    name: ways[0]?.domain ?? 'localhost',
    banner: 'ready',
    heloResponse: '%s',
    size: MAX_MESSAGE,
    rejectOversized: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    hideSMTPUTF8: true,
    maxClients: MAX_CLIENTS,
    maxRecipients: MAX_RECIPIENTS,
    socketTimeout: IDLE_MILLISECONDS,
    closeTimeout: CLOSE_MILLISECONDS,
    logger: commandCounter(() => server, limits),
    onRcptTo: ({ address: recipient }, _session, reply) => answer(allow(recipient), reply),
    onData: (stream, session, reply) => answer(take(stream, session), reply),
  });
  limitSessions(server.server, limits);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  // A client that breaks off is no matter of ours, and an error that nobody listens for would end the process.
  server.on('error', (error) => log.debug('smtp connection failed', { error: error.message }));
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };

  function answer(work: Promise<void>, reply: (error?: Error | null) => void): void {
    work.then(
      () => reply(),
      (error: unknown) => {
        if (error instanceof Refusal) return reply(error);
        log.error('mail could not be taken', { error });
        reply(new Refusal(451, 'The message cannot be stored now, try again later'));
      },
    );
  }

  async function allow(recipient: string): Promise<void> {
    const [localPart, domain] = partsOf(recipient);
    const way = ways.find((one) => one.domain === domain);
    if (way === undefined || !(await way.hasMailbox(localPart))) {
      throw new Refusal(550, 'There is no such mailbox');
    }
  }

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const chunks: Uint8Array[] = [];
    let held = 0;
    let isBusy = false;
    try {
      for await (const chunk of stream) {
        isBusy ||= underWay + chunk.length > MAX_UNDER_WAY;
        if (isBusy || stream.sizeExceeded) continue;
        chunks.push(chunk);
        held += chunk.length;
        underWay += chunk.length;
      }
      // The server itself answers what is too large.
      if (stream.sizeExceeded) return;
      if (isBusy) throw new Refusal(452, 'Too much mail at once, try again later');
      await deliver(Buffer.concat(chunks), session);
    } finally {
      underWay -= held;
    }
  }

  async function deliver(message: Uint8Array, { envelope, ...session }: SMTPServerSession): Promise<void> {
    const recipients = [...new Set(envelope.rcptTo.map(({ address: to }) => partsOf(to).join('@')))];
    const traced = withTrace(message, {
      mailFrom: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
      helo: session.hostNameAppearsAs,
      ip: session.remoteAddress,
      recipients,
      receivedAt: new Date(),
    });
    for (const way of ways) {
      const own = recipients.filter((recipient) => recipient.endsWith(`@${way.domain}`));
      if (own.length > 0) await way.deliver({ ...traced, recipients: own });
    }
  }
}

function partsOf(address: string): [localPart: string, domain: string] {
  return [localPartOf(address).toLowerCase(), domainOf(address).toLowerCase()];
}
