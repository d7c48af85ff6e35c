/** What a handler's sentence answers with, before the envelope. */
import { inPieces } from './body.ts';

export interface Pagination {
  readonly page: number;
  readonly limit: number;
  readonly hasMore: boolean;
}

export interface Reply<T = unknown> {
  readonly data: T;
  /** Another status than the route's: of a page that says what is wrong with what was typed into it. */
  readonly status?: 400;
  readonly pagination?: Pagination;
  /** The answer in another form than the route's, because the caller asked for it; `data` is not looked at. */
  readonly text?: { readonly contentType: string; readonly body: Iterable<string> };
  readonly headers?: Readonly<Record<string, string>>;
  /** What can be asked for instead where the answer is too large, such as `a smaller limit`. */
  readonly lessBy?: readonly string[];
}

/** The answer `data`; the route says with which status and in which envelope. */
export function reply<T>(data: T, headers?: Readonly<Record<string, string>>): Reply<T> {
  return headers === undefined ? { data } : { data, headers };
}

/** One page of a list. */
export function page<T>(data: T, pagination: Pagination): Reply<T> {
  return { data, pagination };
}

/** The answer as CSV (RFC 4180), which a browser saves under `fileName`. */
export function csvReply(
  lines: Iterable<string>,
  fileName: string,
  headers: Readonly<Record<string, string>> = {},
): Reply<never> {
  return {
    data: undefined as never,
    text: { contentType: 'text/csv; charset=utf-8; header=present', body: inPieces(lines) },
    headers: { 'content-disposition': `attachment; filename="${fileName}"`, ...headers },
  };
}
