/** The reply of a handler, before the envelope is added. */
import { type Outcome, Refused, type Subject } from '../../operations/outcome.ts';
import type { Flash } from '../../store/flashes.ts';
import { type Body, inPieces } from './body.ts';
import { refusal } from './errors.ts';

export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly hasMore: boolean;
  /** Where the next page begins; only of lists that rows are added to all the time. */
  readonly nextPageToken?: string;
}

export interface Reply<T = unknown> {
  readonly data: T;
  /** Overrides the status of the route, for a page that shows an input error, and for other protocols. */
  readonly status?: number;
  readonly pagination?: Pagination;
  /** The response in another format, if the client requested it; `data` is then ignored. */
  readonly content?: { readonly contentType: string; readonly body: Body };
  readonly headers?: Readonly<Record<string, string>>;
  /** The headers `Set-Cookie`, if there are several. */
  readonly cookies?: readonly string[];
  /** What the page says that a form of the console leads to. */
  readonly flash?: Said;
  /** What changed, for the audit log; undefined if nothing did. */
  readonly subjects?: readonly Subject[];
  /** The version of the resource, which `If-Match` compares; letters, digits and hyphens. */
  readonly version?: string;
  /** How to get a smaller response, such as `a smaller limit`. */
  readonly lessBy?: readonly string[];
}

/** A reply with `data`; the route determines its status and envelope. */
export function reply<T>(data: T, headers?: Readonly<Record<string, string>>): Reply<T> {
  return headers === undefined ? { data } : { data, headers };
}

type Where = 'body' | 'form' | 'query';

/** What was not refused. @throws ServiceError what was; `where`: the part of the request that had the input. */
export function accepted<T>(given: T | Refused, where?: Where): T {
  if (given instanceof Refused) throw refusal(given, where);
  return given;
}

/**
 * The reply to what an operation did.
 * @throws ServiceError what it refused; `where`: the part of the request that had its input.
 */
export function answer<Value>(outcome: Outcome<Value>, show?: undefined, where?: Where): Reply<Value>;
export function answer<Value, T>(outcome: Outcome<Value>, show: (value: Value) => T, where?: Where): Reply<T>;
export function answer<Value, T>(
  outcome: Outcome<Value>,
  show?: (value: Value) => T,
  where?: Where,
): Reply<Value | T> {
  const { value, ...change } = accepted(outcome, where);
  return { data: show === undefined ? value : show(value), ...change };
}

/** What a form of the console did: what `Flash` has that the request does not say. */
export type Said = Pick<Flash, 'says'> & Partial<Pick<Flash, 'kind' | 'secret' | 'typed' | 'added'>>;

/**
 * The redirect of a form to the page that shows what an operation did.
 * @param say What the page says once; by default it says nothing.
 * @throws ServiceError what it refused.
 */
export const redirect = <Value>(
  outcome: Outcome<Value>,
  to: (value: Value) => string,
  say?: (value: Value) => Said,
): Reply<string> => {
  const { data, ...reply } = answer(outcome, (value) => value, 'form');
  return {
    ...reply,
    ...{ data: '', headers: { location: to(data) } },
    ...(say !== undefined && { flash: say(data) }),
  };
};

/** One page of a list. */
export function page<T>(data: T, pagination: Pagination): Reply<T> {
  return { data, pagination };
}

/** One page of a list that is completely in memory. */
export function pageOf<T>(all: readonly T[], query: { page: number; limit: number }): Reply<T[]> {
  const end = query.page * query.limit;
  const { page: number, limit } = query;
  return page(all.slice(end - limit, end), { page: number, limit, hasMore: all.length > end });
}

/**
 * A reply in a format of its own, without the envelope of the API. With a `fileName`, of letters, digits and `-._`,
 * browsers save it (RFC 6266).
 */
export function contentReply(contentType: string, body: Body, fileName?: string): Reply<never> {
  const headers = { 'content-disposition': `attachment; filename="${fileName}"` };
  return {
    data: undefined as never,
    content: { contentType, body },
    ...(fileName !== undefined && { headers }),
  };
}

/** A reply as CSV (RFC 4180), with a file name for saving it. */
export const csvReply = (lines: Iterable<string>, fileName: string): Reply<never> =>
  contentReply('text/csv; charset=utf-8; header=present', inPieces(lines), fileName);
