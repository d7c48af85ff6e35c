/** Properties shared by rows of `routes.ts`. */
import * as z from 'zod/mini';
import type { ErrorCode } from '../shared/api/error-table.ts';
import type { OpenOperation, Operation } from '../shared/operations/operation.ts';
import type { Scope } from '../shared/protocol/scope.ts';
import type { Route } from '../shared/runtime/http/route.ts';

type Unnamed<Row> = Row extends Route ? Omit<Row, 'name'> : never;

type Named<Rows> = { readonly [Name in keyof Rows]: Rows[Name] & { readonly name: string } };

/** Rows with their keys as their names. */
export function named<const Rows extends Record<string, Unnamed<Route>>>(rows: Rows): Named<Rows> {
  const named = Object.entries(rows).map(([name, row]) => [name, { ...row, name }]);
  return Object.fromEntries(named);
}

/** The v1 API, which requires a token. */
export const v1 = {
  access: 'token',
  rate: 'organization',
  timeoutSeconds: 10,
  memoryMegabytes: 512,
} as const;

export const v1Errors = ['unauthorized', 'forbidden', 'rate_limited', 'internal'] as const;

/** Errors of POST requests, which can have an Idempotency-Key. */
export const v1PostErrors = [
  'invalid_request',
  'request_in_progress',
  'idempotency_key_reused',
  ...v1Errors,
] as const;

/** Errors of DELETE requests, which can have a condition. */
const v1DeleteErrors = ['precondition_failed', ...v1Errors] as const;

/** The row of a read of v1, which changes nothing. What it is about can be missing, and its query can be wrong. */
export const reads = <const R extends Route['request']>(path: string, request: R) => ({
  ...v1,
  path,
  scope: 'read' as const,
  method: 'GET' as const,
  request,
  errors: [...errorsOfRead(request), ...v1Errors],
});

const errorsOfRead = ({ path, query }: Route['request']): readonly ErrorCode[] => [
  ...(query === undefined ? [] : (['invalid_request'] as const)),
  ...(path === undefined ? [] : (['not_found'] as const)),
];

/** What v1 answers: one thing, and a page of a list. */
export const data = <S extends z.ZodMiniType>(description: string, schema: S) =>
  ({ status: 200, envelope: 'data', description, schema }) as const;
export const paged = <S extends z.ZodMiniType>(description: string, schema: S) =>
  ({ status: 200, envelope: 'page', description, schema }) as const;

/** What was created, and the template of its path. */
export const created = <S extends z.ZodMiniType>(description: string, schema: S, createsAt: string) =>
  ({ status: 201, envelope: 'data', description, schema, createsAt }) as const;

/** The row of the endpoint of v1 that performs an operation: its input is the body, or with GET and DELETE the query. */
export const performs = <const M extends Route['method'], S extends Scope, O extends OpenOperation>(
  method: M,
  path: string,
  operation: O & OpenOperation<S>,
) => ({
  ...v1,
  path,
  ...documented(operation),
  scope: operation.scope,
  method,
  request: requestOf<M, O>(method, operation),
  hasVersions: operation.refusals.includes('precondition_failed'),
  errors: errorsOf(
    method === 'DELETE' ? { refusals: operation.refusals } : operation,
    method === 'POST' ? v1PostErrors : method === 'DELETE' ? v1DeleteErrors : v1Errors,
  ),
});

interface RequestOf<M extends Route['method'], O extends OpenOperation> {
  readonly path: O extends { readonly on: infer On extends z.ZodMiniType } ? On : undefined;
  readonly query: M extends 'GET' | 'DELETE' ? InputSchemaOf<O> : undefined;
  readonly body: M extends 'GET' | 'DELETE' ? undefined : InputSchemaOf<O>;
}

type InputSchemaOf<O extends OpenOperation> = O extends { readonly input: infer Input extends z.ZodMiniType }
  ? Input
  : undefined;

function requestOf<M extends Route['method'], O extends OpenOperation>(method: M, of: O): RequestOf<M, O>;
function requestOf(method: Route['method'], { on: path, input }: OpenOperation): Route['request'] {
  const inQuery = method === 'GET' || method === 'DELETE';
  return {
    ...(path !== undefined && { path }),
    ...(input !== undefined && (inQuery ? { query: input } : { body: input })),
  };
}

/**
 * The row of a form of the console that performs an operation.
 * @param on The template of the address of the page with the form.
 * @param leadsTo The page that the redirect leads to.
 */
export const submits = <S extends Scope>(operation: OpenOperation<S>, on: string, leadsTo: string) => ({
  ...consolePage,
  page: on,
  success: { ...page, status: 303 as const, description: `Redirect to ${leadsTo}` },
  scope: operation.scope,
  operation: operation.name,
  method: 'POST' as const,
  errors: errorsOf(operation, [...consoleErrors, 'payload_too_large']),
  uses: operation.uses,
});

/** The same for a form that may need a proof of who the person is, which it looks for in the session. */
export const confirms = <S extends Scope>(operation: OpenOperation<S>, on: string, leadsTo: string) => ({
  ...submits(operation, on, `${leadsTo}, or to the page that asks for a proof`),
  uses: [...operation.uses, 'sessions:write'] as const,
});

const documented = ({ summary, description, uses }: OpenOperation) => ({
  ...{ summary, uses },
  ...(description !== undefined && { description }),
});

function errorsOf(
  { refusals, input }: Pick<Operation, 'refusals' | 'input'>,
  ofRequests: readonly ErrorCode[],
): readonly ErrorCode[] {
  const ofBody = input === undefined ? [] : (['payload_too_large'] as const);
  return [...new Set([...refusals, ...ofBody, ...ofRequests])];
}

/** Public tools without a token. */
export const publicTool = { access: 'public', rate: 'client', memoryMegabytes: 1024 } as const;

/** The row of the endpoint of a public tool that performs an operation. */
export const offers = ({ summary, description, refusals, uses }: OpenOperation) => ({
  ...publicTool,
  ...{ summary, uses },
  ...(description !== undefined && { description }),
  method: 'POST' as const,
  errors: [...refusals, 'internal'] as const,
});

/** An HTML page. */
export const page = { envelope: 'html', schema: z.string() } as const;

/** The console, which requires a session. */
export const consolePage = {
  access: 'session',
  rate: 'organization',
  timeoutSeconds: 10,
  memoryMegabytes: 512,
} as const;

export const consoleErrors = ['invalid_request', 'forbidden', 'rate_limited', 'internal'] as const;

/** The row of a page of the console. What it is about can be missing. */
export const shows = <const R extends Route['request']>(path: string, request: R) => ({
  ...consolePage,
  path,
  scope: 'read' as const,
  method: 'GET' as const,
  request,
  success: { ...page, status: 200 as const, description: 'The page' },
  errors: request.path === undefined ? consoleErrors : ([...consoleErrors, 'not_found'] as const),
});

/** What reads a year of reports, all domains of an organization, or a report of 200,000 rows, or runs all checks. */
export const heavy = { timeoutSeconds: 25, memoryMegabytes: 1024 } as const;

/** A lookup that starts in the last second of an SPF expansion can take six more seconds. */
export const EXPANSION_SECONDS = 28;
