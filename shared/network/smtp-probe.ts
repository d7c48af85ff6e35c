/**
 * The real Smtp: inspects an MX host as a sending server would, up to the envelope, and disconnects (RFC 5321 section
 * 3). It never sends mail.
 */
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { anchoredAt, authorities, certificateFacts } from './certificate.ts';
import { ContactRefused, connectFirst, type Dialer, type Endpoint } from './dialer.ts';
import type { Smtp, SmtpAnswer, SmtpProbeRequest } from './ports.ts';
import { ConnectionClosed, SmtpChannel } from './smtp-channel.ts';
import { MalformedReply, type SmtpReply, writeReply } from './smtp-reply.ts';
import { describeError, errorCode, handshake } from './tls-client.ts';

interface SmtpOptions {
  readonly dialer: Dialer;
  /** The name sent in EHLO (RFC 5321 section 4.1.1.1). */
  readonly ehloName: string;
  /** PEM of further trusted authorities. */
  readonly extraCa?: string;
}

const SMTP_PORT = 25;

type Found = Extract<SmtpAnswer, { status: 'found' }>;
type Starttls = Found['starttls'];
type WithoutEvidence<T> = T extends unknown ? Omit<T, 'evidence'> : never;
type Outcome = WithoutEvidence<SmtpAnswer>;

/** Ends a session from anywhere inside it with its answer. */
class Ended extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.status);
    this.outcome = outcome;
  }
}

/** Creates an Smtp that dials port 25 through `dialer`. */
export function createSmtp({ dialer, ehloName, extraCa }: SmtpOptions): Smtp {
  const trustingAuthorities = contextsOf(authorities(extraCa));

  return {
    async probe(request) {
      const { hostname, address } = request;
      const started = performance.now();
      const conclude = ({ outcome, reply }: Visited): SmtpAnswer => {
        const milliseconds = Math.round(performance.now() - started);
        return {
          ...outcome,
          evidence: { hostname, address, milliseconds, ...(reply === undefined ? {} : { reply }) },
        };
      };
      const endpoint = dialer.endpoint(hostname, address, SMTP_PORT);
      if (endpoint === undefined) {
        const detail = `${address} is not a public address`;
        return conclude({ outcome: { status: 'rejected', reason: 'address-not-public', detail } });
      }
      const end = new AbortController();
      const timer = setTimeout(() => end.abort(new Error('no answer in time')), request.timeoutMilliseconds);
      try {
        const { trustAnchors } = request;
        const { modern, anyTls } =
          trustAnchors === undefined ? trustingAuthorities : contextsOf(anchoredAt(trustAnchors));
        const plan = { ...request, endpoint, ehloName, signal: end.signal };
        const first = await visit({ ...plan, secureContext: modern });
        if (!handshakeFailed(first)) return conclude(first);
        const second = await visit({ ...plan, secureContext: anyTls });
        return conclude(tlsEstablished(second) ? second : first);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

interface Contexts {
  readonly modern: SecureContext;
  /** Used after the first handshake failed, to distinguish old TLS versions from broken TLS. */
  readonly anyTls: SecureContext;
}

function contextsOf(trusted: SecureContextOptions): Contexts {
  return {
    modern: createSecureContext(trusted),
    anyTls: createSecureContext({ ...trusted, minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }),
  };
}

interface Visit extends SmtpProbeRequest {
  readonly endpoint: Endpoint;
  readonly ehloName: string;
  readonly secureContext: SecureContext;
  readonly signal: AbortSignal;
}

interface Visited {
  readonly outcome: Outcome;
  /** The last reply before QUIT. */
  readonly reply?: string;
}

function handshakeFailed({ outcome }: Visited): boolean {
  return (
    outcome.status === 'found' &&
    outcome.starttls.status === 'failed' &&
    outcome.starttls.reason === 'handshake'
  );
}

function tlsEstablished({ outcome }: Visited): boolean {
  return outcome.status === 'found' && outcome.starttls.status === 'established';
}

/** One connection, from greeting to QUIT. */
async function visit(plan: Visit): Promise<Visited> {
  let channel: SmtpChannel | undefined;
  let outcome: Outcome;
  try {
    channel = new SmtpChannel(await connectFirst([plan.endpoint], plan.signal, plan.mayContact), plan.signal);
    await greet(channel);
    const offered = await introduce(channel, plan.ehloName);
    const starttls: Starttls = offered.includes('STARTTLS')
      ? await startTls(channel, plan)
      : { status: 'not-offered' };
    const recipient = await tryEnvelope(channel, plan, starttls.status === 'established');
    outcome = { status: 'found', starttls, recipient };
  } catch (error) {
    outcome = error instanceof Ended ? error.outcome : failure(error, plan.signal);
  }
  channel?.quit();
  const reply = channel?.lastReply;
  return reply === undefined ? { outcome } : { outcome, reply: writeReply(reply) };
}

/** RFC 5321 section 4.3.2: 220, or a refusal. */
async function greet(channel: SmtpChannel): Promise<void> {
  const reply = await channel.command();
  if (reply.code !== 220) throw refused(reply, 'greeting');
}

/** Sends EHLO, or HELO if the server does not support it (RFC 5321 section 3.2). Returns the keywords offered. */
async function introduce(channel: SmtpChannel, ehloName: string): Promise<string[]> {
  const ehlo = await channel.command(`EHLO ${ehloName}`);
  if (ehlo.code === 250)
    return ehlo.lines.slice(1).map((line) => (/^[\w-]+/.exec(line)?.[0] ?? '').toUpperCase());
  if (ehlo.code < 500) throw refused(ehlo, 'ehlo');
  const helo = await channel.command(`HELO ${ehloName}`);
  if (helo.code === 250) return [];
  throw refused(helo, 'ehlo');
}

function refused(reply: SmtpReply, reason: 'greeting' | 'ehlo'): Ended {
  const detail = writeReply(reply);
  if (reply.code >= 500) return new Ended({ status: 'rejected', reason, detail });
  return new Ended({ status: 'unavailable', reason: reply.code >= 400 ? 'deferred' : 'malformed', detail });
}

async function startTls(channel: SmtpChannel, plan: Visit): Promise<Starttls> {
  const { hostname, secureContext, signal } = plan;
  const reply = await channel.command('STARTTLS');
  if (reply.code !== 220) return { status: 'failed', reason: 'reply', detail: writeReply(reply) };
  try {
    const secure = await channel.upgrade((socket) => handshake(socket, { hostname, secureContext }, signal));
    const certificate = certificateFacts(secure, hostname);
    const protocol = secure.getProtocol() ?? 'unknown';
    const cipher = secure.getCipher().name;
    if (certificate === undefined)
      return { status: 'failed', reason: 'handshake', detail: 'no certificate was shown' };
    return { status: 'established', protocol, cipher, certificate };
  } catch (error) {
    if (signal.aborted) throw error;
    return { status: 'failed', reason: 'handshake', detail: describeError(error) };
  }
}

/**
 * Tests the recipient. Inside TLS it sends EHLO again first, because the server forgets what it learned in the clear
 * (RFC 3207 section 4.2). A failure here does not change what is already known.
 */
async function tryEnvelope(
  channel: SmtpChannel,
  { ehloName, recipient }: Visit,
  insideTls: boolean,
): Promise<Found['recipient']> {
  try {
    if (insideTls) await introduce(channel, ehloName);
    if (recipient === undefined || !isPlainMailbox(recipient)) return 'not-asked';
    let reply = await channel.command('MAIL FROM:<>');
    if (reply.code < 300) reply = await channel.command(`RCPT TO:<${recipient}>`);
    if (reply.code < 300) return 'accepted';
    return reply.code >= 500 ? 'rejected' : 'deferred';
  } catch {
    return 'not-asked';
  }
}

/** Whether a mailbox needs no quoting in a command (RFC 5321 section 4.1.2, Dot-string). */
function isPlainMailbox(recipient: string): boolean {
  return recipient.length <= 254 && /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9._-]+$/.test(recipient);
}

function failure(error: unknown, signal: AbortSignal): Outcome {
  return { status: 'unavailable', reason: failureReason(error, signal), detail: describeError(error) };
}

function failureReason(
  error: unknown,
  signal: AbortSignal,
): Extract<SmtpAnswer, { status: 'unavailable' }>['reason'] {
  if (error instanceof ContactRefused) return 'connection-limit';
  if (signal.aborted) return 'timeout';
  if (error instanceof MalformedReply) return 'malformed';
  if (error instanceof ConnectionClosed) return 'closed';
  switch (errorCode(error)) {
    case 'ECONNREFUSED':
      return 'connection-refused';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'closed';
    case 'ETIMEDOUT':
      return 'timeout';
    default:
      return 'unreachable';
  }
}
