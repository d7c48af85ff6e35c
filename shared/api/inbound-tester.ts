/** Responses of the inbound mail tester: sessions and test results. */
import * as z from 'zod/mini';
import { receivers, requirements } from '../mail-test/bulk-sender.ts';
import { unscoredNames } from '../mail-test/facts.ts';
import { type RuleId, rules, verdicts } from '../mail-test/rules.ts';
import { signatureReasons } from '../protocol/dkim/reasons.ts';
import {
  count,
  described,
  flagOrNull,
  list,
  text,
  textOrNull,
  texts,
  timestamp,
} from '../protocol/schema.ts';
import { TEST_ID, type TestSession } from '../store/test-sessions.ts';
import { missing } from './common.ts';

export const testSessionPath = z.object({ testId: z.string().check(z.regex(TEST_ID, missing.test)) });

const policy = z.nullable(z.enum(['none', 'quarantine', 'reject']));

const spf = z.object({
  result: described(
    z.enum(['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror']),
    'SPF result (RFC 7208 section 2.6)',
  ),
  domain: described(
    text,
    'The domain whose record was evaluated: the MAIL FROM domain, or the HELO domain for bounces',
  ),
  ip: described(textOrNull, 'The IP address of the sending host'),
  helo: described(textOrNull, 'The HELO or EHLO name of the sending host'),
  mailFrom: described(text, 'The MAIL FROM address; empty for bounces'),
  matched: described(
    z.nullable(z.object({ domain: text, term: text })),
    'The matching term, and the domain of its record',
  ),
  problem: described(
    z.nullable(z.object({ kind: text, domain: text, term: z.optional(text) })),
    'Why SPF evaluation failed',
  ),
  explanation: described(textOrNull, 'The explanation of the domain for clients that fail (exp modifier)'),
  lookups: described(count, 'DNS lookups used, of the 10 allowed'),
  aligned: described(
    flagOrNull,
    'Whether the domain aligns with the From domain, regardless of the result; `null` if unknown',
  ),
});

const signature = z.object({
  domain: described(text, 'The signing domain (d=)'),
  selector: text,
  algorithm: described(text, 'The signing algorithm, such as rsa-sha256'),
  keySize: described(z.nullable(count), 'Size of the public key in bits; `null` if the key was not found'),
  verdict: described(
    z.enum(['pass', 'fail', 'neutral', 'policy', 'temperror', 'not-checked']),
    'Result as in RFC 8601 section 2.7.1. `neutral`: the signature cannot be evaluated. `policy`: valid, but not ' +
      'acceptable, for example because the key is too short. `not-checked`: beyond the number of signatures that are checked',
  ),
  reason: described(
    z.nullable(z.enum(signatureReasons as [string, ...string[]])),
    'Why the signature does not pass; `body-hash` and `header-hash` show which part of the message was changed',
  ),
  explanation: described(textOrNull, 'The reason as a sentence'),
  unsignedOctets: described(
    z.nullable(count),
    'Number of bytes of the body that are not signed because of a length limit (l=); `null` without a limit',
  ),
  testing: described(
    z.boolean(),
    'The key is in test mode (t=y): receivers should treat the message as unsigned (RFC 6376 section 3.6.1), ' +
      'but some do not. In this test a pass counts, and a failure does not',
  ),
  signedAt: z.nullable(timestamp),
  expiresAt: z.nullable(timestamp),
  signedFields: described(texts, 'The header fields that the signature covers'),
  warnings: described(texts, 'Problems that do not affect the verdict'),
  duplicate: described(z.boolean(), 'Whether it duplicates an earlier signature; duplicates do not count'),
  aligned: described(
    flagOrNull,
    'Whether the signing domain aligns with the From domain, regardless of the verdict; `null` if unknown',
  ),
});

const dkim = z.object({
  valid: described(z.boolean(), 'Whether at least one signature passes'),
  signatures: described(list(signature), 'Signatures in order from the top of the message'),
  more: described(count, 'Number of signatures that are not listed'),
});

const mode = described(z.enum(['r', 's']), '`r`: relaxed. `s`: strict');

const dmarc = z.object({
  result: described(
    z.enum(['pass', 'fail', 'none', 'temperror', 'permerror']),
    '`none`: no DMARC record applies. `permerror`: there is no author domain, or the record is invalid',
  ),
  policy: described(policy, 'The policy for mail that fails; `null` without a record'),
  domain: described(textOrNull, 'The author domain, from the From header field'),
  recordDomain: described(textOrNull, 'The domain that has the DMARC record'),
  record: textOrNull,
  modes: described(z.nullable(z.object({ spf: mode, dkim: mode })), 'The alignment modes'),
  spfAligned: described(z.boolean(), 'Whether SPF passed with an aligned domain'),
  dkimAligned: described(z.boolean(), 'Whether a DKIM signature passed with an aligned domain'),
  reason: described(
    z.nullable(
      z.enum([
        'no-from',
        'no-author-domain',
        'several-from',
        'several-authors',
        'no-record',
        'broken-record',
        'not-aligned',
        'dns',
        'limit',
      ]),
    ),
    'Why DMARC does not pass; `null` if it passes',
  ),
});

const ptr = z.object({
  valid: z.boolean(),
  record: described(textOrNull, 'The PTR name; if there are several, the best match'),
  status: described(
    z.enum(['valid', 'mismatch', 'missing', 'unknown']),
    '`mismatch`: the name does not resolve back to the address, or does not match the HELO name. `unknown`: the lookup failed',
  ),
  names: described(texts, 'All PTR names that were checked'),
  confirmed: described(z.boolean(), 'Whether the name resolves back to the address'),
  helo: described(
    z.nullable(z.enum(['same', 'same-organization', 'other'])),
    'How the name compares with the HELO name',
  ),
});

const mx = z.object({
  domain: described(textOrNull, 'The MAIL FROM domain, or the author domain for bounces'),
  status: described(
    z.enum(['valid', 'none', 'invalid', 'unknown']),
    '`none`: no MX record, or a null MX. `unknown`: the lookup failed',
  ),
  records: list(z.object({ priority: count, exchange: text })),
  problem: textOrNull,
});

const blocklist = z.object({
  list: z.enum(['combined', 'openrelay', 'reputation', 'userreported']),
  zone: described(text, 'The queried zone; for a private zone, only its organizational domain'),
  listed: described(flagOrNull, 'Whether the list contains the address; `null` if unknown'),
  codes: described(texts, 'The return codes of the listing, as defined by the list'),
  reason: described(textOrNull, 'The reason for the listing, in the words of the list'),
  unknown: described(
    z.nullable(z.enum(['refused', 'broken', 'no-test-entry', 'no-ipv6', 'no-answer', 'no-address'])),
    'Why `listed` is `null`. `refused`: the list refuses queries from this service. `broken`: the list returns ' +
      'invalid answers. `no-test-entry`: the test entry of the list is missing; it may have shut down or may block ' +
      'this resolver. `no-ipv6`: the list covers IPv4 addresses only. `no-answer`: the lookup failed. ' +
      '`no-address`: the sending IP address is unknown',
  ),
});

const headers = z.object({
  messageId: textOrNull,
  date: described(z.nullable(timestamp), '`null` if the date is missing or invalid'),
  dateStatus: z.enum(['valid', 'missing', 'unreadable', 'future']),
});

const message = z.object({
  octets: count,
  from: textOrNull,
  to: textOrNull,
  subject: described(textOrNull, 'The subject with encoded words decoded'),
  received: described(
    list(
      z.object({
        from: textOrNull,
        by: textOrNull,
        protocol: textOrNull,
        tls: described(textOrNull, 'The TLS version, such as 1.3; `null` if the field does not state it'),
        date: textOrNull,
      }),
    ),
    'The delivery path from the Received header fields, last hop first. Only the first entry was recorded by this service; the others are unverified',
  ),
  fields: described(list(z.object({ name: text, value: text })), 'The header fields as received, truncated'),
  moreFields: described(count, 'Number of header fields that are not listed'),
  unscored: described(
    z.optional(list(z.object({ name: z.enum(unscoredNames), count }))),
    'Header fields of DKIM2 (an Internet-Draft) and ARC, which do not affect the score',
  ),
});

const note = z.object({
  receiver: described(
    z.optional(z.enum(receivers)),
    '`gmail`: more than about 5,000 messages a day; rejects since November 2025. `yahoo`: bulk senders, without a number. ' +
      '`microsoft`: more than 5,000 messages a day to Outlook.com; rejects with 550 5.7.515 since 5 May 2025',
  ),
  requirement: z.enum(requirements),
  state: described(z.enum(['met', 'not-met', 'unknown']), '`unknown`: could not be determined'),
  explanation: text,
});

const opinion = z.nullable(z.enum(['pass', 'fail']));

const scoreLine = z.object({
  rule: z.enum(Object.keys(rules) as [RuleId, ...RuleId[]]),
  score: z.number(),
  explanation: text,
  fix: described(textOrNull, 'How to fix it; `null` for rules that lower the score'),
});

const session = {
  testId: text,
  email: described(text, 'The test address; send one message to it'),
  expiresAt: described(timestamp, 'When the address stops accepting mail and the results become unavailable'),
  url: described(text, 'The web page of this test'),
};

export const pendingTest = z.object({ ...session, status: z.literal('pending') });

export const completedTest = z.object({
  ...session,
  status: z.literal('completed'),
  receivedAt: timestamp,
  otherMessages: described(count, 'Number of later messages, which are not analyzed'),
  spamScore: described(z.number(), 'The sum of the score breakdown; lower is better'),
  verdict: described(
    z.enum(verdicts),
    '`ham`: below 3. `probable-spam`: 3 or more. `spam`: 6 or more. `high-spam`: 10 or more',
  ),
  results: z.object({
    spf,
    dkim,
    dmarc,
    ptr,
    mx,
    blocklists: z.object({
      listed: described(count, 'Number of lists that contain the address'),
      results: list(blocklist),
    }),
    headers,
    message,
    secondOpinion: described(
      z.nullable(z.object({ spf: opinion, dkim: opinion, dmarc: opinion })),
      'The verdicts of the receiving mail service itself, if it evaluates messages; they do not affect the score',
    ),
    notes: described(
      list(note),
      'The bulk sender requirements of Gmail, Yahoo and Microsoft; they do not affect the score',
    ),
  }),
  scoreBreakdown: list(scoreLine),
});

export const testSession = z.discriminatedUnion('status', [pendingTest, completedTest]);

/** The path of the web page of a session. */
export const testPath = (testId: string): string => `/t/${testId}`;

/** The names in the representation of a session: origin and tester domain of the service. */
export interface TesterNames {
  readonly hostUrl: string;
  readonly testerDomain: string;
}

export function showTestSession(
  shown: TestSession & { readonly status: 'pending' },
  names: TesterNames,
): z.output<typeof pendingTest>;
export function showTestSession(shown: TestSession, names: TesterNames): z.output<typeof testSession>;
export function showTestSession(
  shown: TestSession,
  { hostUrl, testerDomain }: TesterNames,
): z.output<typeof testSession> {
  const { testId, expiresAt } = shown;
  const common = {
    testId,
    email: `${testId}@${testerDomain}`,
    expiresAt,
    url: `${hostUrl}${testPath(testId)}`,
  };
  if (shown.status === 'pending') return { ...common, status: 'pending' };
  const { status, receivedAt, otherMessages, test } = shown;
  return { ...common, status, receivedAt, otherMessages, ...test };
}
