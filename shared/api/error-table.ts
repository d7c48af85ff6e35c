/** The errors of the API, and the body of error responses. */

export const errorTable = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  unauthorized: { status: 401, message: 'The API token is missing or invalid.' },
  forbidden: { status: 403, message: 'The API token does not allow this request.' },
  domain_limit_reached: {
    status: 403,
    message:
      'The organization has reached its domain limit. Delete domains that you no longer need, or ask the operator of the service to raise the limit.',
  },
  not_found: { status: 404, message: 'The requested resource does not exist.' },
  method_not_allowed: { status: 405, message: 'The resource does not support this method.' },
  request_in_progress: {
    status: 409,
    message: 'A request with the same Idempotency-Key is in progress. Try again in a moment.',
  },
  last_admin: {
    status: 409,
    message: 'The person is the last admin. Make somebody else an admin first.',
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
