/** The type of the rows in `functions/<topic>/routes.ts`; gateways and the OpenAPI document derive from the rows. */
import type * as z from 'zod/mini';
import type { ErrorCode } from '../../api/error-table.ts';
import type { Capability } from '../../operations/capability.ts';
import type { Scope } from '../../store/api-tokens.ts';

export type Route = RouteRow & (TokenAccess | SessionAccess | PublicAccess);

/** The bearer token determines the organization. */
interface TokenAccess {
  readonly access: 'token';
  /** The scope that the token needs at least. */
  readonly scope: Scope;
  readonly tokenPath?: never;
}

/** The session of the console determines the token and so the organization. */
export interface SessionAccess {
  readonly access: 'session';
  /** The scope that the token needs at least. */
  readonly scope: Scope;
  /** The operation of the API that a form performs, for the audit log; none if it changes nothing there. */
  readonly operation?: string;
  /** Of a form: the template of the address of the page that it is on, where its problems are shown. */
  readonly page?: string;
  readonly tokenPath?: never;
}

/** No authentication. */
interface PublicAccess {
  readonly access: 'public';
  readonly scope?: never;
  /** The path for requests with a token: they are rejected here, so that nobody takes the answer for that of an owner. */
  readonly tokenPath?: `/api/v1/${string}`;
}

interface RouteRow {
  /** The key in the table, and the OpenAPI operationId. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path template in the format of API Gateway, such as `/api/v1/domains/{id}`. */
  readonly path: string;
  /** The methods of paths that this template fits, too, but that are other resources, by their last segment. */
  readonly reserved?: Readonly<Record<string, readonly string[]>>;
  /** The handler's file in `functions/`, without `.ts`. */
  readonly handler: string;
  /**
   * The general rate limit that applies, per organization or per client. `polls` is a separate limit per client, for
   * polling a result and for links in mails. `queries` is the limit of `client` for requests with a query string only: a page whose form submits
   * to itself is a tool then, and costs nothing otherwise.
   */
  readonly rate: 'organization' | 'client' | 'queries' | 'polls' | 'none';
  readonly summary: string;
  /** What callers need to know beyond the summary; sentences in Markdown, for the OpenAPI document. */
  readonly description?: string;
  /** The user impact if this function fails; shown in alarms. */
  readonly errorImpact: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly request: {
    readonly path?: z.ZodMiniType;
    readonly query?: z.ZodMiniType;
    /** A JSON body. */
    readonly body?: z.ZodMiniType;
    /** What the OpenAPI document says about the body, if the handler accepts less than `body` does. */
    readonly describedBody?: z.ZodMiniType;
    /** The fields of an HTML form (`application/x-www-form-urlencoded`). */
    readonly form?: z.ZodMiniType;
  };
  /** Whether its resource has versions, which responses show in `ETag` and `If-Match` compares. */
  readonly hasVersions?: boolean;
  readonly success: Success;
  readonly errors: readonly ErrorCode[];
  /** What the function needs access to besides tokens and its rate limit; its AWS permissions are derived from this. */
  readonly uses: readonly Capability[];
}

/** Whether a route is a public tool: it works for anyone, up to 28 seconds per request. Others only show what is stored. */
export const isPublicTool = ({ access, rate }: Partial<Pick<Route, 'access' | 'rate'>>): boolean =>
  access === 'public' && (rate === 'client' || rate === 'queries');

/** Whether the OpenAPI document describes a route. */
export const isDescribed = ({ success: { envelope } }: Pick<Route, 'success'>): boolean =>
  envelope !== 'html' && envelope !== 'rpc';

/** The request methods of a route; a `GET` route also supports `HEAD` (RFC 9110 section 9.1). */
export function methodsOf({ method }: Pick<Route, 'method'>) {
  return method === 'GET' ? (['GET', 'HEAD'] as const) : ([method] as const);
}

/** The path templates of a route: its own, and those of its response in other formats. */
export function pathsOf({
  path,
  success: { formats = [] },
}: Pick<Route, 'path' | 'success'>): readonly string[] {
  return [path, ...formats.map(({ ending }) => `${path}${ending}`)];
}

/** A format of a response beside JSON, selected with the header `Accept`, or with a path of its own. */
export interface Format {
  /** The end of that path, after the path of the route. */
  readonly ending: '.csv' | '.jsonl' | '.zone' | '.tf' | '/route53';
  /** Without parameters. */
  readonly mediaType: string;
  /** The operationId. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Query parameters of the route that mean nothing for this format: its path does not know them. */
  readonly without?: readonly string[];
  /** Of the text; by default, it is JSON without an envelope. */
  readonly example?: string;
  readonly schema?: z.ZodMiniType;
}

/** Rows as CSV. */
export const csv = (row: Pick<Format, 'name' | 'summary' | 'example' | 'without'>): Format => ({
  ending: '.csv',
  mediaType: 'text/csv',
  description: 'CSV (RFC 4180) with a header line',
  ...row,
});

export interface Success {
  readonly status: 200 | 201 | 303;
  readonly description: string;
  /**
   * `data`: the envelope of v1 around the schema; `page`: the same with `meta.pagination`; `bare`: the object itself;
   * `html`: a web page; `rpc`: messages of another protocol. The OpenAPI document has neither of these.
   */
  readonly envelope: 'data' | 'page' | 'bare' | 'html' | 'rpc';
  readonly schema: z.ZodMiniType;
  /** The template of the path of what was created, for the header `Location`; its data has the ID. */
  readonly createsAt?: string;
  readonly contentType?: string;
  /** The beginning of a body of that type, for the OpenAPI document. */
  readonly example?: string;
  /** No cache may store the response, not even that of its reader (RFC 9111 section 5.2.2.5). */
  readonly isConfidential?: true;
  /**
   * How long a response can be cached (RFC 9111 section 4.2), in seconds. The response has an entity tag, and a
   * conditional request for an unmodified response gets a 304 (RFC 9110 section 13.1.2).
   */
  readonly freshSeconds?: number;
  /** Whether all responses are the same: they are made once per process. */
  readonly isFixed?: boolean;
  readonly formats?: readonly Format[];
}

/**
 * The header `Cache-Control` of successful responses; undefined for those that cannot be cached and are not compared with
 * earlier ones.
 */
export function cacheControlOf({
  success,
  access,
  method,
}: Pick<Route, 'success' | 'access' | 'method'>): string | undefined {
  if (success.freshSeconds !== undefined) return `public, max-age=${success.freshSeconds}`;
  const isCompared = access === 'token' && method === 'GET' && success.isConfidential !== true;
  return isCompared ? 'private, no-cache' : undefined;
}
