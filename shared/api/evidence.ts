/** Requests and responses of evidence, and the time of which a request asks how a domain stood. */
import * as z from 'zod/mini';
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

/** RFC 7517 section 4, RFC 7518 section 6.2.1, RFC 8037 section 2. */
const shownKey = z.object({
  kty: described(text, 'Kind of the key: `OKP`, or `EC`', 'OKP'),
  crv: described(text, 'Its curve: `Ed25519`, or `P-256`', 'Ed25519'),
  x: described(text, 'The key, or its X coordinate', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
  y: described(z.exactOptional(text), 'The Y coordinate of a key on P-256'),
  kid: described(text, 'Thumbprint of the key (RFC 7638)', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
  alg: described(text, 'Algorithm of its signatures: `EdDSA`, or `ES256`', 'EdDSA'),
  use: described(text, 'Always `sig`', 'sig'),
});

export const jsonWebKeySet = z.object({
  keys: described(list(shownKey), 'All public keys that ever signed'),
});
