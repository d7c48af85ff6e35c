/** Sends mails through an SMTP relay, by message submission (RFC 6409, RFC 8314). */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTransport } from 'nodemailer';
import { authorities } from '../../../../shared/network/certificate.ts';
import { type Relay, relayAddress } from './relay-setting.ts';
import { type MessageSender, NotSent } from './send-message.ts';

export interface RelayLimits {
  /** Without an octet from the relay. */
  readonly idleMilliseconds: number;
  /** For a mail, from when it is handed over. Less than a delivery may take (`functions/triggers.ts`). */
  readonly sendMilliseconds: number;
}

const relayLimits: RelayLimits = { idleMilliseconds: 10_000, sendMilliseconds: 20_000 };

/** Connections at the same time, and mails over one connection: what providers of relays allow. */
const MAX_CONNECTIONS = 5;
const MAX_MESSAGES = 100;

/** @param extraCa Authorities to trust beside Node's, as PEM. */
export function smtpRelay(
  relay: Relay,
  extraCa?: string,
  { idleMilliseconds, sendMilliseconds }: RelayLimits = relayLimits,
): MessageSender {
  const open = () =>
    createTransport({
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      maxMessages: MAX_MESSAGES,
      // A relay that closes each connection would otherwise be tried forever.
      maxRequeues: 1,
      host: relay.host,
      port: relay.port,
      secure: relay.security === 'tls',
      requireTLS: true,
      tls: { ...authorities(extraCa), minVersion: 'TLSv1.2' },
      ...(relay.signIn && {
        auth: { user: relay.signIn.user, pass: relay.signIn.password },
        // A relay that offers no AUTH gets no mail without it.
        forceAuth: true,
      }),
      dnsTimeout: idleMilliseconds,
      connectionTimeout: idleMilliseconds,
      greetingTimeout: idleMilliseconds,
      socketTimeout: idleMilliseconds,
    });
  let transport = open();

  return {
    async send({ from, to, content }) {
      const used = transport;
      const ending = new AbortController();
      const late = sleep(sendMilliseconds, 'late' as const, { signal: ending.signal, ref: false });
      late.catch(() => {});
      const sending = used.sendMail({ envelope: { from, to: [...to] }, raw: content });
      // Its connection ends later than the wait for it.
      sending.catch(() => {});
      try {
        if ((await Promise.race([sending, late])) !== 'late') return;
      } catch (error) {
        throw notSent(error, relay);
      } finally {
        ending.abort();
      }
      // Mails that wait behind this one fail now, so that none is sent after its delivery counts as failed.
      if (transport === used) transport = open();
      used.close();
      throw new NotSent(`the relay ${relayAddress(relay)} does not answer in time`, false);
    },
    stop: () => transport.close(),
  };
}

interface SmtpError extends Error {
  /** Where it failed, such as `EAUTH`. */
  readonly code?: string;
  readonly responseCode?: number;
  /** The reply of the relay. */
  readonly response?: string;
}

/** What a relay says about the mail: about its envelope or its content, and not about the session. */
const ABOUT_THE_MAIL = ['EENVELOPE', 'EMESSAGE'];
/** RFC 4954 section 6: a relay that wants authentication says so to any command. The operator can set that right. */
const AUTHENTICATION_REQUIRED = 530;

function notSent(error: unknown, relay: Relay): NotSent {
  const { code = '', responseCode = 0, response, message } = error as SmtpError;
  const isPermanent =
    ABOUT_THE_MAIL.includes(code) && responseCode >= 500 && responseCode !== AUTHENTICATION_REQUIRED;
  const name = `the relay ${relayAddress(relay)}`;
  if (code === 'EAUTH') return new NotSent(`${name} refuses the user or password of SMTP_RELAY`, false);
  return new NotSent(
    response === undefined ? `${name} cannot be used: ${message}` : `${name} replied ${response}`,
    isPermanent,
  );
}
