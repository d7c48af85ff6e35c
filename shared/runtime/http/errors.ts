/** The table of API errors, and the exception that carries one of them. */

export const errorTable = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  unauthorized: { status: 401, message: 'The API token is missing or invalid.' },
  forbidden: { status: 403, message: 'The API token does not allow this request.' },
  domain_limit_reached: { status: 403, message: 'The organization has reached its domain limit.' },
  not_found: { status: 404, message: 'The requested resource does not exist.' },
  method_not_allowed: { status: 405, message: 'The resource does not support this method.' },
  request_in_progress: {
    status: 409,
    message: 'A request with the same Idempotency-Key is in progress. Try again in a moment.',
  },
  domain_exists: { status: 409, message: 'The organization has already registered this domain.' },
  precondition_failed: {
    status: 412,
    message: 'The resource has changed since the response whose ETag is in If-Match.',
  },
  payload_too_large: { status: 413, message: 'The request or the response is too large.' },
  idempotency_key_reused: {
    status: 422,
    message: 'The Idempotency-Key was used with another request.',
  },
  rate_limited: { status: 429, message: 'Too many requests.' },
  internal: { status: 500, message: 'An internal error occurred.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errorTable;

/** A problem with a request: where (`body.usageType`) and what. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

/** The body of every error response, in v1 and elsewhere. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details?: readonly ErrorDetail[];
  };
  /** The same message, in the same place as in API Gateway's own errors. */
  readonly message: string;
  readonly requestId: string;
}

export interface ServiceErrorOptions {
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error response, thrown anywhere and converted to a response by `endpoint()`. */
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

/** Ends a request with a redirect to another page, such as the page to sign in. */
export class Redirect extends Error {
  override readonly name = 'Redirect';
  readonly location: string;

  constructor(location: string) {
    super(`redirect to ${location}`);
    this.location = location;
  }
}

/** A 400 with all problems of a request; its message is the first of them. */
export function invalidRequest(first: ErrorDetail, ...others: readonly ErrorDetail[]): ServiceError {
  return new ServiceError('invalid_request', `${first.path}: ${first.message}`, {
    details: [first, ...others],
  });
}

/** A 429 with the number of seconds until the next request is allowed. */
export function rateLimited(retryAfterMilliseconds: number, message?: string): ServiceError {
  const seconds = Math.max(1, Math.ceil(retryAfterMilliseconds / 1000));
  return new ServiceError('rate_limited', message ?? `Too many requests. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

/** Status and body of an error response. Any error other than a `ServiceError` becomes `internal`, without details. */
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
