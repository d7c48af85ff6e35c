/**
 * The real Web: one HTTPS request at a time, on its own connection, so that the dialled address is the checked one and
 * the certificate is verified before anything is sent.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { authorities, certificateFacts } from './certificate.ts';
import { ContactRefused, connectFirst, type Dialer } from './dialer.ts';
import { request as httpRequest } from './http.ts';
import type { CertificateFacts, Web, WebAnswer, WebCall, WebCaller, WebPoster, WebRequest } from './ports.ts';
import { describeError, errorCode, handshake, isTlsError } from './tls-client.ts';

interface WebOptions {
  readonly dialer: Dialer;
  /** PEM of further trusted authorities. */
  readonly extraCa?: string;
}

const HTTPS_PORT = 443;
const MAX_URL = 2048;
const MAX_HEADER_OCTETS = 16_384;
const MAX_REDIRECTS = 10;
const REDIRECT_STATUS = new Set([301, 302, 303, 307, 308]);
const USER_AGENT = 'email-domain-security-monitor';

type WithoutEvidence<T> = T extends unknown ? Omit<T, 'evidence'> : never;
type Outcome = WithoutEvidence<WebAnswer>;
type Rejection = Extract<WebAnswer, { status: 'rejected' }>['reason'];

/** Ends a request from anywhere inside it with its answer. */
class Ended extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.status);
    this.outcome = outcome;
  }
}

function rejected(reason: Rejection, detail: string, certificate?: CertificateFacts): Ended {
  return new Ended({
    status: 'rejected',
    reason,
    detail,
    ...(certificate === undefined ? {} : { certificate }),
  });
}

/** Ends a request that a limit does not allow. */
const unsent = (): Ended => new Ended({ status: 'unavailable', reason: 'connection-limit', detail: '' });

/**
 * Creates a Web that dials through `dialer`. Only https, without credentials, limited in size and time, without
 * decompression.
 */
export function createWeb({ dialer, extraCa }: WebOptions): Web & WebPoster & WebCaller {
  const secureContext = createSecureContext(authorities(extraCa));

  /** Limits the total time of a session. */
  async function inTime<T>(
    milliseconds: number,
    request: (session: Session) => Promise<T>,
    wanted?: AbortSignal,
  ): Promise<T> {
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(new Error('timeout')), milliseconds);
    try {
      const signal = wanted === undefined ? ended.signal : AbortSignal.any([ended.signal, wanted]);
      return await request({ dialer, secureContext, signal, started: performance.now() });
    } finally {
      clearTimeout(timer);
      ended.abort();
    }
  }

  const call = ({ timeoutMilliseconds, signal, ...request }: WebCall): Promise<WebAnswer> =>
    inTime(timeoutMilliseconds, (session) => requestOnce(request, session), signal);

  return {
    call,

    post: (request) => call({ ...request, method: 'POST' }),

    get: ({ url, timeoutMilliseconds, redirects: allowed = 0, ...limits }) =>
      inTime(timeoutMilliseconds, async (session) => {
        const redirects = Math.min(allowed, MAX_REDIRECTS);
        let answer = await requestOnce({ ...limits, url, method: 'GET' }, session);
        for (let hop = 0; redirects > 0; hop += 1) {
          const next = redirection(answer);
          if (next === undefined) break;
          if (hop === redirects) {
            const { evidence } = answer;
            return {
              status: 'rejected',
              reason: 'redirect',
              detail: `more than ${redirects} redirects`,
              evidence,
            };
          }
          answer = await requestOnce({ ...limits, url: next, method: 'GET' }, session);
        }
        return answer;
      }),
  };
}

interface Session {
  readonly dialer: Dialer;
  readonly secureContext: SecureContext;
  readonly signal: AbortSignal;
  /** In the time of `performance.now()`. */
  readonly started: number;
}

interface RequestDetails extends Pick<WebRequest, 'onlyPort443' | 'mayRequest' | 'mayContact'> {
  readonly url: string;
  readonly method: WebCall['method'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The maximum size of the body in bytes; without it, the body is not read. */
  readonly maxBytes?: number;
  readonly maxUrl?: number;
}

async function requestOnce(asked: RequestDetails, session: Session): Promise<WebAnswer> {
  const { url, maxBytes, maxUrl = MAX_URL, onlyPort443 } = asked;
  const { secureContext, signal, started } = session;
  let socket: TLSSocket | undefined;
  let address: string | undefined;
  const conclude = (outcome: Outcome): WebAnswer => ({
    ...outcome,
    evidence: {
      url: url.slice(0, MAX_URL),
      ...(address === undefined ? {} : { address }),
      milliseconds: Math.round(performance.now() - started),
    },
  });
  try {
    const target = readUrl(url, maxUrl);
    if (onlyPort443 && target.port !== HTTPS_PORT) throw rejected('invalid-url', `not port ${HTTPS_PORT}`);
    const plain = await dial(target, session, asked);
    address = plain.remoteAddress;
    socket = await secured(plain, target.host, secureContext, signal);
    const certificate = trustedCertificate(socket, target.host);
    const response = await send(socket, { ...asked, url: target.url }, signal);
    const body = maxBytes === undefined ? new Uint8Array() : await readBody(response, maxBytes);
    if (body === undefined) throw rejected('too-large', `more than ${maxBytes} octets`, certificate);
    const httpStatus = response.statusCode ?? 0;
    return conclude({ status: 'found', httpStatus, headers: joinHeaders(response), body, certificate });
  } catch (error) {
    if (error instanceof Ended) return conclude(error.outcome);
    if (error instanceof ContactRefused) return conclude(unsent().outcome);
    const malformed = errorCode(error).startsWith('HPE_');
    const reason = signal.aborted ? 'timeout' : malformed ? 'malformed' : 'connection';
    return conclude({ status: 'unavailable', reason, detail: describeError(error) });
  } finally {
    socket?.destroy();
  }
}

/** The target of a redirect, as an absolute URL if it can be parsed. */
function redirection(answer: WebAnswer): string | undefined {
  if (answer.status !== 'found' || !REDIRECT_STATUS.has(answer.httpStatus)) return undefined;
  const location = answer.headers.location;
  return location === undefined ? undefined : (URL.parse(location, answer.evidence.url)?.href ?? location);
}

interface Target {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
}

function readUrl(text: string, longest: number): Target {
  const url = text.length > longest ? null : URL.parse(text);
  if (url === null) throw rejected('invalid-url', 'not a URL');
  if (url.protocol !== 'https:') throw rejected('invalid-url', 'not an https URL');
  if (url.username !== '' || url.password !== '') throw rejected('invalid-url', 'holds credentials');
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  return { url, host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port };
}

async function dial(
  { host, port }: Target,
  { dialer, signal }: Session,
  { mayRequest, mayContact }: RequestDetails,
): Promise<Socket> {
  const resolved = await beforeAbort(dialer.resolve(host, port), signal);
  switch (resolved.status) {
    case 'found':
      if (mayRequest?.() === false) throw unsent();
      return connectFirst(resolved.endpoints, signal, mayContact);
    case 'absent':
      throw new Ended({ status: 'absent', reason: 'no-address' });
    case 'rejected':
      throw rejected('address-not-public', `${host} has the address ${resolved.address}`);
    case 'unavailable':
      throw new Ended({ status: 'unavailable', reason: 'name-resolution', detail: resolved.detail });
  }
}

async function secured(socket: Socket, hostname: string, secureContext: SecureContext, signal: AbortSignal) {
  try {
    return await handshake(socket, { hostname, secureContext, protocols: ['http/1.1'] }, signal);
  } catch (error) {
    throw isTlsError(error) ? rejected('tls', describeError(error)) : error;
  }
}

function trustedCertificate(secure: TLSSocket, host: string): CertificateFacts {
  const certificate = certificateFacts(secure, host);
  if (certificate === undefined) throw rejected('tls', 'no certificate was shown');
  if (!certificate.trusted)
    throw rejected('certificate', certificate.untrustedReason ?? 'not trusted', certificate);
  if (!certificate.matchesName) throw rejected('certificate', `not valid for ${host}`, certificate);
  return certificate;
}

/** Sends the request and waits for the head of the response. */
function send(
  secure: TLSSocket,
  { url, method, headers, body }: Omit<RequestDetails, 'url'> & { readonly url: URL },
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      createConnection: () => secure,
      signal,
      method,
      path: `${url.pathname}${url.search}`,
      maxHeaderSize: MAX_HEADER_OCTETS,
      headers: {
        ...headers,
        host: url.host,
        accept: '*/*',
        // Unpacked, a body could be any size.
        'accept-encoding': 'identity',
        'user-agent': USER_AGENT,
        connection: 'close',
      },
    });
    request.once('response', resolve);
    request.once('upgrade', () => reject(new Error('the server changed the protocol')));
    request.on('error', reject);
    request.end(body);
  });
}

/** The body; undefined as soon as it is larger than allowed. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const joined = Buffer.concat(chunks);
  // A small one is in memory that it shares.
  return joined.length < joined.buffer.byteLength ? Uint8Array.from(joined) : new Uint8Array(joined.buffer);
}

function joinHeaders(response: IncomingMessage): Record<string, string> {
  const headers = Object.entries(response.headersDistinct);
  return Object.fromEntries(headers.map(([name, values]) => [name, (values ?? []).join(', ')]));
}

function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
