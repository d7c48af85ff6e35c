/** The one table of errors that callers of the API can meet, and the exception that carries one of them. */

export const errorTable = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  unauthorized: { status: 401, message: 'The API token is missing or invalid.' },
  domain_limit_reached: { status: 403, message: 'The organization has reached its number of domains.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not know the method.' },
  domain_exists: { status: 409, message: 'The organization has registered this domain already.' },
  payload_too_large: { status: 413, message: 'The request or its answer is too large.' },
  rate_limited: { status: 429, message: 'Too many requests.' },
  internal: { status: 500, message: 'Something failed on our side.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorTable;

/** One thing wrong with a request: where (`body.usageType`), and what. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** The body of every error answer, in v1 and outside it. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details?: readonly ErrorDetail[];
  };
  /** The same sentence where API Gateway's own errors have theirs. */
  readonly message: string;
  readonly requestId: string;
}

export interface ServiceErrorOptions {
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An answer that is not success, thrown wherever it is found out and turned into a response by `endpoint()`. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string = errorTable[code].message,
    options: ServiceErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** The 400 that says everything that is wrong with a request; its message is the first of the details. */
export function invalidRequest(first: ErrorDetail, ...others: readonly ErrorDetail[]): ServiceError {
  return new ServiceError('invalid_request', `${first.path}: ${first.message}`, {
    details: [first, ...others],
  });
}

/** The 429 that says after how many whole seconds a request will be let through again. */
export function rateLimited(retryAfterMilliseconds: number, message?: string): ServiceError {
  const seconds = Math.max(1, Math.ceil(retryAfterMilliseconds / 1000));
  return new ServiceError('rate_limited', message ?? `Too many requests; try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Status and body of an error answer. What is not a `ServiceError` becomes `internal`, and tells nothing. */
export function errorResponse(
  error: unknown,
  requestId: string,
): { status: number; headers: Readonly<Record<string, string>>; body: ErrorBody } {
  const known = error instanceof ServiceError ? error : new ServiceError('internal');
  return {
    status: errorTable[known.code].status,
    headers: known.headers,
    body: {
      error: {
        code: known.code,
        message: known.message,
        ...(known.details === undefined ? {} : { details: known.details }),
      },
      message: known.message,
      requestId,
    },
  };
}
