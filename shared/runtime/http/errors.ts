/** The exception that carries an error of the API, and the response that it becomes. */
import { type ErrorBody, type ErrorCode, type ErrorDetail, errorTable } from '../../api/error-table.ts';
import { type Refused, secondsUntil, tooOften } from '../../operations/outcome.ts';
import { Contended } from '../../store/contention.ts';

interface ServiceErrorOptions {
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
  readonly headers: Readonly<Record<string, string>>;

  constructor(location: string, headers: Readonly<Record<string, string>> = {}) {
    super(`redirect to ${location}`);
    this.location = location;
    this.headers = headers;
  }
}

/** A 400 with all problems of a request; its message is the first of them. */
export function invalidRequest(first: ErrorDetail, ...others: readonly ErrorDetail[]): ServiceError {
  return new ServiceError('invalid_request', `${first.path}: ${first.message}`, {
    details: [first, ...others],
  });
}

/** What is there. @throws ServiceError `not_found` */
export function existing<T>(found: T | undefined, message: string): T {
  if (found === undefined) throw new ServiceError('not_found', message);
  return found;
}

/** A 429 with the number of seconds until the next request is allowed. */
export function rateLimited(retryAfterMilliseconds: number, message?: string): ServiceError {
  return refusal(tooOften(retryAfterMilliseconds, message));
}

/** The time after which a request can be sent again that other changes of the same resource came before. */
const CONTENDED_MILLISECONDS = 1000;

/** An error that says why nothing was done, as a `ServiceError`; undefined for our own failures. */
export function asRefusal(error: unknown): ServiceError | undefined {
  if (error instanceof Contended)
    return rateLimited(
      CONTENDED_MILLISECONDS,
      'Too many requests change this resource at the same time. Try again in 1 s.',
    );
  return error instanceof ServiceError ? error : undefined;
}

/** A problem of an input, by its path in the request; `where`: the part of the request that had the input. */
export const placedIn =
  (where: string) =>
  ({ path, message }: ErrorDetail): ErrorDetail => ({
    path: path === '' ? where : `${where}.${path}`,
    message,
  });

/** What an operation refused, as an error response. `where`: the part of the request that had its input. */
export function refusal(
  { code, message, problems, retryAfterMilliseconds }: Refused,
  where = 'body',
): ServiceError {
  if (problems !== undefined) {
    const [first, ...others] = problems;
    return invalidRequest(placedIn(where)(first), ...others.map(placedIn(where)));
  }
  if (retryAfterMilliseconds === undefined) return new ServiceError(code, message);
  return new ServiceError(code, message, {
    headers: { 'retry-after': String(secondsUntil(retryAfterMilliseconds)) },
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
