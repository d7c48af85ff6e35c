/** Requests and responses of evidence, and the time of which a request asks how a domain stood. */
import * as z from 'zod/mini';
import { publicJwk } from '../evidence/signature.ts';
import { described, list, text, withKeywords } from '../protocol/schema.ts';

const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/;

/** A day that does not exist, such as February 30, would be read as another one. */
const isMoment = (typed: string): boolean =>
  TIME.test(typed) &&
  !Number.isNaN(Date.parse(typed)) &&
  new Date(typed).toISOString().startsWith(typed.slice(0, 10));

/** A time in UTC, or a day, which means its end. */
export const moment = described(
  withKeywords(z.string('must be a string').check(z.refine(isMoment, 'must be a day or a time in UTC')), {
    pattern: TIME.source,
  }),
  'How the domain stood at this time (ISO 8601, UTC), or at the end of this day: the results of the latest check run until then that changed something',
  '2026-06-30',
);

/** The latest time that it means (ISO 8601). */
export const momentOf = (typed: string): string =>
  new Date(typed.length === '2026-06-30'.length ? `${typed}T23:59:59.999Z` : typed).toISOString();

export const atQuery = z.object({ at: z.optional(moment) });

export const evidenceResponse = z.object({
  evidence: described(
    z.record(z.string(), z.unknown()),
    'What was asked and answered, the results, the score and the plan; see docs/evidence.md',
    { format: 'email-domain-security-evidence/1', domain: 'example.com' },
  ),
  signature: described(
    text,
    'JWS with detached content (RFC 7515 appendix F) over the canonical JSON (RFC 8785) of `evidence`',
    'eyJhbGciOiJFZERTQSJ9..c2lnbmF0dXJl',
  ),
});

export const jsonWebKeySet = z.object({
  keys: described(list(publicJwk), 'All public keys that ever signed'),
});
