/** Evidence as it is given to others: one signed document with all that its results can be recomputed from. */
import * as z from 'zod/mini';
import { recording } from '../checks/recording/recorded.ts';
import { checkResults } from '../checks/results.ts';
import { usageType } from '../checks/state.ts';
import { policies } from '../protocol/dmarc/record.ts';
import { count, flagOrNull, list, text, textOrNull, timestamp } from '../protocol/schema.ts';

/** The format of evidence. A change that a verifier cannot ignore is another one. */
export const FORMAT = 'email-domain-security-evidence/1';

/** What a plan depends on beside check results and lookups. */
const planFacts = z.strictObject({
  mailbox: textOrNull,
  mail: z.object({ isReported: z.boolean(), isAuthenticated: z.boolean(), isFromSubdomains: z.boolean() }),
  nextPolicy: z.nullable(z.enum(policies)),
  /** Null if nobody may know them. */
  senders: z.nullable(
    list(
      z.object({
        name: text,
        kind: z.enum(['provider', 'domain', 'network']),
        status: z.nullable(z.literal('approved')),
        spfAligned: count,
      }),
    ),
  ),
});

export type PlanFacts = z.infer<typeof planFacts>;

/** What DMARC reports of the 30 days before a check run said, and the mails that they came in. */
const reportFigures = z.strictObject({
  from: text,
  to: text,
  days: list(
    z.object({
      ...{ day: text, reports: count, messages: count, passed: count },
      ...{ dkimAligned: count, spfAligned: count, quarantined: count, rejected: count },
    }),
  ),
  mails: list(
    z.object({
      receivedAt: timestamp,
      /** Of the message as it was received, in hexadecimal; null if it arrived before hashes were kept. */
      sha256: textOrNull,
      isAuthenticated: flagOrNull,
    }),
  ),
  /** Whether there were more mails. */
  isPartial: z.boolean(),
});

export type ReportFigures = z.infer<typeof reportFigures>;

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

export const evidence = z.strictObject({
  format: z.literal(FORMAT),
  /** The origin of the service, and when it signed. */
  issuer: text,
  issuedAt: timestamp,
  domain: text,
  usageType,
  /** When the check run started, and the release that ran it. */
  checkedAt: timestamp,
  release: text,
  results: checkResults,
  score: z.nullable(z.number()),
  /** Absent if the answers were too large to be kept. */
  recording: z.exactOptional(recording),
  /** Certificates in DER (base64) by their SHA-256. */
  certificates: z.record(hash, z.base64()),
  /** The public roots at which chains end, among the certificates. There are about 150. */
  roots: z.readonly(z.array(hash).check(z.maxLength(300))),
  /** Absent without a recording. */
  plan: z.exactOptional(z.strictObject({ facts: planFacts, recommended: z.unknown() })),
  reports: z.exactOptional(reportFigures),
});

export type Evidence = z.infer<typeof evidence>;

/** Evidence before it is parsed, which is what is signed. */
export type EvidenceJson = z.input<typeof evidence>;

/** What the API answers, and what `verify` reads. */
export const signedEvidence = z.strictObject({
  evidence: z.record(z.string(), z.unknown()),
  /** JWS with detached content (RFC 7515 appendix F): the content is the canonical JSON (RFC 8785) of `evidence`. */
  signature: text,
});

export type SignedEvidence = z.infer<typeof signedEvidence>;
