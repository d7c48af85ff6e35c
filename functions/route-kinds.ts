/** Properties shared by rows of `routes.ts`. */
import * as z from 'zod/mini';

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

/** Public tools without a token. */
export const publicTool = { access: 'public', rate: 'client', memoryMegabytes: 1024 } as const;

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

/** A lookup that starts in the last second of an SPF expansion can take six more seconds. */
export const EXPANSION_SECONDS = 28;
