/**
 * One folder of a mailbox on an IMAP server (RFC 9051, RFC 3501), on a connection of its own: TLS from the start or by STARTTLS,
 * with a verified certificate, to an address that the dialer checked. Nothing is sent in the clear but STARTTLS.
 */
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import {
  ImapFlow,
  type ImapFlowError,
  type ImapTransport,
  type ListResponse,
  type MailboxObject,
} from 'imapflow';
import { authorities } from './certificate.ts';
import { ContactRefused, connectFirst, type Dialer } from './dialer.ts';
import { findNamed, notFound } from './folder-names.ts';
import { FolderProblem, type FolderRequest, receivedAtOf } from './folder-port.ts';
import type { Imap, ImapAccount, ImapFolder, ImapMail } from './imap-port.ts';
import { errorCode } from './tls-client.ts';
import { withoutSecrets } from './without-secrets.ts';

interface ImapOptions {
  readonly dialer: Dialer;
  /** PEM of further trusted authorities. */
  readonly extraCa?: string;
  /** The size of the largest mail that is fetched, in bytes. */
  readonly maxMailBytes: number;
}

const CONNECT_MILLISECONDS = 10_000;
const GREETING_MILLISECONDS = 10_000;
const SILENCE_MILLISECONDS = 60_000;
const LOGOUT_MILLISECONDS = 2_000;

/** A line holds all UIDs of a folder: ten digits each, of a million mails. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** What a response has beside a mail. */
const MAX_FRAMING_BYTES = 64 * 1024;
/** A name in the list of folders has about ten. */
const MAX_TOKENS = 100_000;
/** What a server may send until a folder is open: the greeting, capabilities and the list of folders. */
const MAX_OPENING_BYTES = 16 * 1024 * 1024;
const OPENING_CHECK_MILLISECONDS = 100;

export function createImap({ dialer, extraCa, maxMailBytes }: ImapOptions): Imap {
  const secureContext = createSecureContext(authorities(extraCa));
  return {
    async open(account, request) {
      const socket = await dial(account, dialer, request.signal);
      const client = clientOn(socket, account, { secureContext, maxMailBytes });
      const onAbort = () => client.close();
      request.signal.addEventListener('abort', onAbort);
      const end = () => {
        request.signal.removeEventListener('abort', onAbort);
        client.close();
      };
      const explained = explainer(account, request.signal);
      const flood = endFlood(socket, client);
      try {
        await client.connect();
        const opened = await openFolder(client, request);
        return folderOn(client, opened, { explained, end });
      } catch (error) {
        end();
        throw explained(error);
      } finally {
        flood.end();
      }
    },
  };
}

async function dial({ host, port }: ImapAccount, dialer: Dialer, signal: AbortSignal): Promise<Socket> {
  const resolved = await dialer.resolve(host, port);
  if (resolved.status === 'absent') throw new FolderProblem('name-not-found', `${host} has no address`);
  if (resolved.status === 'unavailable') throw new FolderProblem('name-resolution', resolved.detail);
  if (resolved.status === 'rejected')
    throw new FolderProblem('address-not-public', `${host} has the address ${resolved.address}`);
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MILLISECONDS)]);
  try {
    return await connectFirst(resolved.endpoints, inTime);
  } catch (error) {
    if (inTime.aborted) throw new FolderProblem('timeout', `${host}:${port} did not answer`);
    const detail = error instanceof ContactRefused ? error.message : errorCode(error) || 'no connection';
    throw new FolderProblem('unreachable', detail);
  }
}

/** A client that continues on a connection, with limits on what a server can make it keep. */
function clientOn(
  socket: Socket,
  { host, port, security, user, credential }: ImapAccount,
  { secureContext, maxMailBytes }: { readonly secureContext: SecureContext; readonly maxMailBytes: number },
): ImapFlow {
  const client = new ImapFlow({
    host,
    port,
    secure: security === 'tls',
    doSTARTTLS: security === 'starttls',
    auth:
      credential.kind === 'token'
        ? { user, accessToken: credential.value }
        : { user, pass: credential.value },
    transport: transportOn(socket, host, secureContext),
    // Its lines can contain what others wrote, and what reads the folder describes errors.
    logger: false,
    clientInfo: { name: 'email-domain-security-monitor' },
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: CONNECT_MILLISECONDS,
    greetingTimeout: GREETING_MILLISECONDS,
    socketTimeout: SILENCE_MILLISECONDS,
    maxLineLength: MAX_LINE_BYTES,
    maxLiteralSize: maxMailBytes,
    maxResponseSize: maxMailBytes + MAX_LINE_BYTES + MAX_FRAMING_BYTES,
    maxResponseTokens: MAX_TOKENS,
  });
  // Whoever waits for the client gets the error; without a listener it would end the process.
  client.on('error', () => {});
  return client;
}

/** The connection that was dialed, and TLS on it. */
function transportOn(socket: Socket, host: string, secureContext: SecureContext): ImapTransport {
  const secured = (plain: Socket, onSecure: () => void): TLSSocket => {
    // The host is what the certificate is compared with; addresses are not sent (RFC 6066 section 3).
    const name = isIP(host) === 0 ? { servername: host } : {};
    return connectTls({ socket: plain, host, ...name, secureContext, minVersion: 'TLSv1.2' }, onSecure);
  };
  return {
    connect({ secure }, onConnect) {
      if (secure) return secured(socket, onConnect);
      process.nextTick(onConnect);
      return socket;
    },
    upgrade: (_plain, _options, onSecure) => secured(socket, onSecure),
  };
}

/** Ends a session whose server sends more than it needs to until a folder is open. */
function endFlood(socket: Socket, client: ImapFlow): { readonly end: () => void } {
  const timer = setInterval(() => {
    if (socket.bytesRead > MAX_OPENING_BYTES) client.close();
  }, OPENING_CHECK_MILLISECONDS);
  return { end: () => clearInterval(timer) };
}

async function openFolder(
  client: ImapFlow,
  { folder, readOnly, removes }: FolderRequest,
): Promise<MailboxObject> {
  const folders = await client.list();
  const path = pathIn(folders, folder);
  if (path === undefined)
    throw notFound(
      'folder',
      folder,
      folders.filter(canBeOpened).map((one) => one.path),
    );
  const opened = await client.mailboxOpen(path, { readOnly });
  if (!readOnly && opened.readOnly === true)
    throw new FolderProblem('folder-read-only', `${opened.path} is read-only`);
  if (removes && !client.capabilities.has('UIDPLUS'))
    throw new FolderProblem('cannot-remove', 'the server does not offer UIDPLUS (RFC 4315)');
  return opened;
}

/** The path of the folder with a name; undefined if there is none. */
function pathIn(folders: readonly ListResponse[], name: string): string | undefined {
  const inServersForm = (delimiter: string) => (delimiter === '' ? name : name.replaceAll('/', delimiter));
  return findNamed(
    folders,
    (folder, same) =>
      canBeOpened(folder) && (same(folder.path, name) || same(folder.path, inServersForm(folder.delimiter))),
  )?.path;
}

/** Servers also list names that only have folders below them. */
const canBeOpened = ({ flags }: ListResponse): boolean =>
  !flags.has('\\Noselect') && !flags.has('\\NonExistent');

interface FolderContext {
  readonly explained: (error: unknown) => FolderProblem;
  readonly end: () => void;
}

function folderOn(
  client: ImapFlow,
  { path, uidValidity, exists }: MailboxObject,
  context: FolderContext,
): ImapFolder {
  const { explained, end } = context;
  const targets = new Map<string, string>();
  const byUid = { uid: true } as const;

  async function run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw explained(error);
    }
  }

  /** A command that answers whether it was done. */
  const done = (what: string, work: () => Promise<unknown>) =>
    run(async () => {
      if (!(await work())) throw refused(`to ${what}`);
    });

  /** The library answers the same to a refusal and to the end of the connection. */
  const refused = (what: string): Error =>
    client.usable ? new FolderProblem('server-error', `the server refused ${what}`) : connectionEnded();

  async function make(name: string): Promise<string> {
    try {
      return (await client.mailboxCreate(name.split('/'))).path;
    } catch (error) {
      const { code, detail } = explained(error);
      throw code === 'server-error' ? new FolderProblem('cannot-make-folder', `${name}: ${detail}`) : error;
    }
  }

  async function folderFor(name: string): Promise<string> {
    const known = targets.get(name) ?? pathIn(await client.list(), name);
    const target = known ?? (await make(name));
    if (target === path)
      throw new FolderProblem('server-error', `mails of ${path} cannot be moved to itself`);
    targets.set(name, target);
    return target;
  }

  return {
    path,
    uidValidity: String(uidValidity),
    messages: exists,

    uidsAfter: (uid) =>
      run(async () => {
        const found = await client.search({ uid: `${uid + 1}:*` }, byUid);
        if (!Array.isArray(found)) throw refused('a search');
        // They are sorted. The last mail matches the range even if its UID is lower (RFC 9051 section 9, seq-range).
        return found.filter((one) => one > uid);
      }),

    list: (uids) =>
      run(async () => {
        const asked = new Set(uids);
        const query = { uid: true, size: true, internalDate: true };
        const found = await client.fetchAll([...uids].join(','), query, byUid);
        return found.flatMap((mail) => (asked.has(mail.uid) ? [listed(mail)] : []));
      }),

    async *fetch(uids) {
      const asked = new Set(uids);
      try {
        const query = { uid: true, size: true, internalDate: true, source: true };
        for await (const mail of client.fetch([...uids].join(','), query, byUid)) {
          const { source } = mail;
          // A server can send a mail twice, and changes of others.
          if (source !== undefined && asked.delete(mail.uid)) yield { ...listed(mail), content: source };
        }
      } catch (error) {
        throw explained(error);
      }
    },

    markRead: (uids) =>
      done('mark mails as read', () => client.messageFlagsAdd([...uids].join(','), ['\\Seen'], byUid)),

    move: (uids, to) =>
      done('move mails', async () => client.messageMove([...uids].join(','), await folderFor(to), byUid)),

    delete: (uids) => done('delete mails', () => client.messageDelete([...uids].join(','), byUid)),

    async close() {
      if (!client.usable) return end();
      await Promise.race([
        client.logout().catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, LOGOUT_MILLISECONDS).unref()),
      ]);
      end();
    },
  };
}

interface Attributes {
  readonly uid: number;
  readonly size?: number | undefined;
  readonly internalDate?: Date | string | undefined;
}

const listed = ({ uid, size = 0, internalDate }: Attributes): ImapMail => ({
  ...{ uid, size },
  receivedAt: receivedAtOf(internalDate),
});

/** Servers limit sign-ins and traffic with these (RFC 5530), and with their own words. */
const THROTTLED = new Set(['LIMIT', 'UNAVAILABLE', 'INUSE']);

const TIMEOUTS = new Set(['CONNECT_TIMEOUT', 'GREETING_TIMEOUT', 'UPGRADE_TIMEOUT', 'ETIMEOUT', 'ETIMEDOUT']);

const CONNECTION_LOST = new Set([
  'NoConnection',
  'EConnectionClosed',
  'StateLogout',
  'ClosedAfterConnectText',
  'ClosedAfterConnectTLS',
  'ECONNRESET',
  'EPIPE',
]);

/** Codes of OpenSSL's verification errors and of the comparison of names. */
const CERTIFICATE =
  /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

/** As the library says it, so that an end by the caller's time limit is explained as that. */
const connectionEnded = (): Error =>
  Object.assign(new Error('the connection ended'), { code: 'NoConnection' });

/** Says what an error is, without the password or token, which a server can repeat. */
function explainer({ credential }: ImapAccount, signal: AbortSignal): (error: unknown) => FolderProblem {
  const quoted = (text: string) => withoutSecrets(text, [credential.value]);
  const refused = credential.kind === 'token' ? 'token-not-accepted' : 'sign-in-refused';
  return (error) => {
    if (error instanceof FolderProblem) return new FolderProblem(error.code, quoted(error.detail));
    const failed = error as ImapFlowError;
    const { code = '', responseText, response, serverResponseCode = '' } = failed;
    const said = quoted(responseText ?? (typeof response === 'string' ? response : ''));
    const detail = said === '' ? quoted(`${failed.message ?? ''}${code === '' ? '' : ` (${code})`}`) : said;
    if (signal.aborted) return new FolderProblem('timeout', 'it took too long');
    if (serverResponseCode === 'OVERQUOTA') return new FolderProblem('mailbox-full', detail);
    if (THROTTLED.has(serverResponseCode) || code === 'ETHROTTLE')
      return new FolderProblem('throttled', detail);
    if (failed.authenticationFailed === true) return new FolderProblem(refused, detail);
    if (CERTIFICATE.test(code)) return new FolderProblem('certificate', detail);
    if (failed.tlsFailed === true || /^(?:ERR_SSL_|ERR_TLS_|EPROTO)/.test(code))
      return new FolderProblem('tls', detail);
    if (TIMEOUTS.has(code)) return new FolderProblem('timeout', detail);
    if (CONNECTION_LOST.has(code)) return new FolderProblem('connection-lost', detail);
    return new FolderProblem('server-error', detail);
  };
}
