/** Requests to an HTTPS API of a mail provider with an access token, and what their failures mean. */
import * as z from 'zod/mini';
import { FolderProblem, type FolderProblemCode, type ListedMail } from './folder-port.ts';
import type { WebAnswer, WebCall, WebCaller } from './ports.ts';
import { retrySecondsOf } from './retry-after.ts';
import { semaphore } from './semaphore.ts';
import { withoutSecrets } from './without-secrets.ts';

/** `position-gone`: the provider does not know a position any more. `unreadable`: it cannot give this one mail. */
export type ApiCodes = Readonly<Record<string, FolderProblemCode | 'position-gone' | 'unreadable'>>;

interface MailApiOptions {
  readonly caller: WebCaller;
  /** Where all paths begin. Nothing else is asked, so that the token goes nowhere else. */
  readonly root: string;
  readonly token: string;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the provider means by the names of its errors, besides what HTTP means by their status. */
  readonly codes: ApiCodes;
}

export interface ApiRequest {
  readonly method?: WebCall['method'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly maxBytes?: number;
}

/** A response is larger than it may be. */
export class TooLarge extends FolderProblem {}

/** The provider cannot give this one mail, now or later. */
export class Unreadable extends FolderProblem {}

/** The resource does not exist, or no longer. */
export class NotFound extends FolderProblem {}

/** The provider does not know a position any more. */
export class PositionGone extends FolderProblem {}

/**
 * Providers limit how many requests a mailbox has under way (Microsoft Graph: 4). Some mails are fetched while others are
 * acknowledged.
 */
const AT_ONCE = 4;
const TIMEOUT_MILLISECONDS = 30_000;
const MAX_ANSWER = 4 * 1024 * 1024;
/** Positions are in links, which can be long. */
export const MAX_LINK = 16_384;

const errorBody = z.object({
  error: z.object({
    code: z.optional(z.union([z.string(), z.number()])),
    status: z.optional(z.string()),
    message: z._default(z.string(), ''),
    errors: z.optional(z.array(z.object({ reason: z.optional(z.string()) }))),
    details: z.optional(z.array(z.object({ reason: z.optional(z.string()) }))),
  }),
});

export type MailApiClient = ReturnType<typeof mailApiClient>;

export function mailApiClient({ caller, root, token, signal, headers: common = {}, codes }: MailApiOptions) {
  const quoted = (text: string) => withoutSecrets(text, [token]);
  const { host } = new URL(root);
  const inTurn = semaphore(AT_ONCE);

  /** The body of a successful response. @throws FolderProblem; of its own kinds: TooLarge, NotFound, PositionGone, Unreadable */
  async function bytes(path: string, request: ApiRequest = {}): Promise<Uint8Array> {
    const { method = 'GET', headers, json, maxBytes = MAX_ANSWER } = request;
    const url = path.startsWith(root) ? path : `${root}${path}`;
    const answer = await inTurn(async () => {
      if (signal.aborted) throw new FolderProblem('timeout', 'it took too long');
      return caller.call({
        ...{ method, url, maxBytes, maxUrl: MAX_LINK, timeoutMilliseconds: TIMEOUT_MILLISECONDS, signal },
        headers: {
          ...common,
          ...headers,
          ...(json !== undefined && { 'content-type': 'application/json' }),
          authorization: `Bearer ${token}`,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
    });
    if (answer.status !== 'found')
      throw signal.aborted ? new FolderProblem('timeout', 'it took too long') : unreached(answer, host);
    if (answer.httpStatus >= 200 && answer.httpStatus < 300) return answer.body;
    throw refused(answer);
  }

  /** @throws FolderProblem, also for what is not as described. */
  async function read<T>(schema: z.ZodMiniType<T>, path: string, request?: ApiRequest): Promise<T> {
    const body = await bytes(path, request);
    const parsed = z.safeParse(schema, parseJson(body));
    if (parsed.success) return parsed.data;
    throw new FolderProblem('server-error', `${host} sent a response that is not as documented`);
  }

  function refused({
    httpStatus,
    headers: received,
    body,
  }: Extract<WebAnswer, { status: 'found' }>): FolderProblem {
    const { data } = z.safeParse(errorBody, parseJson(body));
    const { code, status, message = '', errors = [], details = [] } = data?.error ?? {};
    const reasons = [...errors, ...details].map(({ reason }) => reason);
    const names = [...reasons, typeof code === 'string' ? code : undefined, status].filter(
      (name) => name !== undefined,
    );
    const said = [...names.slice(0, 1), message].filter((part) => part !== '').join(': ');
    const detail = quoted(said === '' ? `${host} answered with status ${httpStatus}` : said);
    const named = names.map((name) => codes[name]).find((one) => one !== undefined);
    if (named === 'position-gone' || (named === undefined && httpStatus === 410))
      return new PositionGone('server-error', detail);
    if (named === 'unreadable') return new Unreadable('server-error', detail);
    if (named === undefined && httpStatus === 404) return new NotFound('server-error', detail);
    const problem = named ?? ofStatus[httpStatus] ?? 'server-error';
    return new FolderProblem(problem, detail, retrySecondsOf(received['retry-after']));
  }

  return { bytes, read };
}

const ofStatus: Readonly<Record<number, FolderProblemCode>> = {
  401: 'api-token',
  403: 'not-permitted',
  429: 'throttled',
  503: 'throttled',
};

/** Why there is no response. */
function unreached(answer: Exclude<WebAnswer, { status: 'found' }>, host: string): FolderProblem {
  const { reason } = answer;
  const detail = 'detail' in answer && answer.detail !== '' ? `${reason}, ${answer.detail}` : reason;
  if (reason === 'too-large') return new TooLarge('server-error', `${host}: ${detail}`);
  return new FolderProblem(codesOfReasons[reason] ?? 'server-error', `${host}: ${detail}`);
}

const codesOfReasons: Readonly<
  Partial<Record<Exclude<WebAnswer, { status: 'found' }>['reason'], FolderProblemCode>>
> = {
  'no-address': 'name-not-found',
  'address-not-public': 'address-not-public',
  certificate: 'certificate',
  tls: 'tls',
  timeout: 'timeout',
  'name-resolution': 'name-resolution',
  connection: 'connection-lost',
};

/** Undefined for what is no JSON. */
function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Most mails are far smaller; what is larger is fetched alone, so that few large mails are in memory together. */
const USUAL_BYTES = 1024 * 1024;

/**
 * Fetches mails, some at a time, and yields them in their order. Those that are gone, too large, or unreadable for the provider are missing.
 * @param fetchOne Gets a mail of at most `maxBytes`. @throws TooLarge, NotFound, Unreadable
 */
export async function* fetchSome<Mail>(
  mails: readonly ListedMail[],
  maxBytes: number,
  fetchOne: (mail: ListedMail, maxBytes: number) => Promise<Mail>,
): AsyncGenerator<Mail> {
  const attempt = (mail: ListedMail, most: number): Promise<Mail | 'large' | 'gone'> =>
    fetchOne(mail, most).catch((error: unknown) => {
      if (error instanceof TooLarge) return 'large' as const;
      if (error instanceof NotFound || error instanceof Unreadable) return 'gone' as const;
      throw error;
    });
  for (let at = 0; at < mails.length; at += AT_ONCE) {
    const some = mails.slice(at, at + AT_ONCE);
    const fetched = await ended(some.map((mail) => attempt(mail, USUAL_BYTES)));
    for (const [n, mail] of some.entries()) {
      const first = fetched[n];
      const found = first === 'large' ? await attempt(mail, maxBytes) : first;
      if (found !== undefined && found !== 'gone' && found !== 'large') yield found;
    }
  }
}

/** Does something with each mail, some at a time; mails that are gone need nothing. */
export async function forEachMail(
  mails: readonly ListedMail[],
  work: (mail: ListedMail) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < mails.length; at += AT_ONCE)
    await ended(
      mails.slice(at, at + AT_ONCE).map((mail) =>
        work(mail).catch((error: unknown) => {
          if (!(error instanceof NotFound)) throw error;
        }),
      ),
    );
}

/** The same as `Promise.all`, but after a failure nothing goes on. */
async function ended<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Makes a folder, and says so if the provider refuses that. */
export async function making<Made>(name: string, make: () => Promise<Made>): Promise<Made> {
  try {
    return await make();
  } catch (error) {
    const isRefused = error instanceof FolderProblem && error.code === 'server-error';
    throw isRefused ? new FolderProblem('cannot-make-folder', `${name}: ${error.detail}`) : error;
  }
}
