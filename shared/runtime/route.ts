/** What one row of `functions/routes.ts` says; every host and the OpenAPI document derive from these rows. */
import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

export interface Route {
  /** A key of the table, and the OpenAPI operationId. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** In API Gateway's form, `/api/v1/domains/{id}`. */
  readonly path: string;
  /** The handler's file below `functions/`, without `.ts`. */
  readonly handler: string;
  /** `token`: the organization comes from the bearer token. `public`: anyone. */
  readonly access: 'token' | 'public';
  /**
   * Whose requests are counted together against which general limit. `looks` are a client's too, counted apart: each asks
   * whether something has come.
   */
  readonly rate: 'organization' | 'client' | 'looks' | 'none';
  readonly summary: string;
  /** What a user misses when this function fails; told in alarms. */
  readonly errorImpact: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly request: {
    readonly path?: z.ZodMiniType;
    readonly query?: z.ZodMiniType;
    /** A JSON body. */
    readonly body?: z.ZodMiniType;
    /** The fields of a form that a page sends (`application/x-www-form-urlencoded`). */
    readonly form?: z.ZodMiniType;
  };
  readonly success: Success;
  readonly errors: readonly ErrorCode[];
  /** What the function may do beyond reading its route: AWS actions are granted from this, per function. */
  readonly uses: readonly Capability[];
  /** How the partition keys begin that the function reaches, where it does what anyone asks; all, where not told. */
  readonly partitions?: readonly `${string}#`[];
}

/** The methods of requests that a route answers: `HEAD` wherever it answers `GET` (RFC 9110 section 9.1). */
export function methodsOf({ method }: Pick<Route, 'method'>) {
  return method === 'GET' ? (['GET', 'HEAD'] as const) : ([method] as const);
}

export interface Success {
  readonly status: 200 | 201 | 303;
  readonly description: string;
  /**
   * `data`: v1's envelope around the schema; `page`: the envelope with `meta.pagination`; `bare`: the object itself;
   * `html`: a page for people, which the OpenAPI document leaves out.
   */
  readonly envelope: 'data' | 'page' | 'bare' | 'html';
  readonly schema: z.ZodMiniType;
  readonly contentType?: string;
  /**
   * How long an answer may be shown again without asking (RFC 9111 section 4.2), in seconds. It carries an entity tag,
   * and who asks again with that is told in few octets where nothing changed (RFC 9110 section 13.1.2).
   */
  readonly freshSeconds?: number;
  /** Media types in which the answer can be had as well, by `Accept`. */
  readonly alternatives?: readonly string[];
}

/** What a function touches besides the log; grants and environment of each Lambda derive from it. */
export type Capability =
  | 'table:read'
  | 'table:write'
  | 'calls:count'
  | 'queue:deletions'
  | 'queue:checks'
  | 'queue:notifications'
  | 'postpone:notifications'
  | 'size:checks'
  | 'report-mail:read'
  | 'report-mail:delete'
  | 'test-mail:read'
  | 'test-mail:delete'
  | 'mail:send'
  | 'dns'
  | 'probes';
