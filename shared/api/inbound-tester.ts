/** Answers of the inbound mail tester: sessions, and what a test found out. */
import * as z from 'zod/mini';
import { type RuleId, rules, verdicts } from '../mail-test/rules.ts';
import { signatureReasons } from '../protocol/dkim/reasons.ts';
import { TEST_ID, type TestSession } from '../store/test-sessions.ts';
import { count, described, flagOrNull, missing, text, textOrNull, texts, timestamp } from './common.ts';

export const testSessionPath = z.object({ testId: z.string().check(z.regex(TEST_ID, missing.test)) });

const policy = z.nullable(z.enum(['none', 'quarantine', 'reject']));

const spf = z.object({
  result: described(
    z.enum(['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror']),
    'RFC 7208 section 2.6',
  ),
  domain: described(text, 'Whose record was asked for: the domain of MAIL FROM, of HELO for bounces'),
  ip: described(textOrNull, 'The address that handed the message in'),
  helo: described(textOrNull, 'What the sending host called itself'),
  mailFrom: described(text, 'The reverse-path; empty for bounces'),
  matched: described(
    z.nullable(z.object({ domain: text, term: text })),
    'The term that decided, and at whose record',
  ),
  problem: described(
    z.nullable(z.object({ kind: text, domain: text, term: z.optional(text) })),
    'Why there is no verdict',
  ),
  explanation: described(textOrNull, 'What the domain says to a client that fails'),
  lookups: described(count, 'Look-ups that were spent, of ten'),
  aligned: described(
    flagOrNull,
    'Whether the domain is that of the author, passed or not; null where nobody can tell',
  ),
});

const signature = z.object({
  domain: described(text, 'The signing domain (d=)'),
  selector: text,
  algorithm: described(text, 'As written in the signature, such as rsa-sha256'),
  keySize: described(z.nullable(count), 'Bits of the public key; null where none was seen'),
  verdict: described(
    z.enum(['pass', 'fail', 'neutral', 'policy', 'temperror', 'not-checked']),
    'RFC 8601 section 2.7.1. neutral: cannot be used. policy: not to be accepted today. ' +
      'not-checked: more than this test looks at',
  ),
  reason: described(
    z.nullable(z.enum(signatureReasons as [string, ...string[]])),
    'Why it does not pass; body-hash and header-hash say which part was changed',
  ),
  explanation: described(textOrNull, 'The reason in a sentence'),
  unsignedOctets: described(
    z.nullable(count),
    'Octets of the body that a length limit (l=) leaves unsigned; null without one',
  ),
  testing: described(
    z.boolean(),
    'The key is marked as a test (t=y): receivers are to treat the message as unsigned (RFC 6376 section 3.6.1), ' +
      'though not all do. Here a pass counts, and a failure does not',
  ),
  signedAt: z.nullable(timestamp),
  expiresAt: z.nullable(timestamp),
  signedFields: described(texts, 'The header fields that it covers'),
  warnings: described(texts, 'What is amiss without changing the verdict'),
  duplicate: described(z.boolean(), 'A copy of a signature further up, which counts only once'),
  aligned: described(flagOrNull, 'Whether the signing domain is that of the author, valid or not'),
});

const dkim = z.object({
  valid: described(z.boolean(), 'At least one signature passes'),
  signatures: described(z.array(signature), 'From the top of the message'),
  more: described(count, 'Signatures beyond those listed'),
});

const mode = described(z.enum(['r', 's']), 'r: relaxed. s: strict');

const dmarc = z.object({
  result: described(
    z.enum(['pass', 'fail', 'none', 'temperror', 'permerror']),
    'none: no record applies. permerror: no author, or a broken record',
  ),
  policy: described(policy, 'What the author domain asks for mail that fails; null without a record'),
  domain: described(textOrNull, 'The author domain: of the From field'),
  recordDomain: described(textOrNull, 'Where the record stands'),
  record: textOrNull,
  modes: described(z.nullable(z.object({ spf: mode, dkim: mode })), 'How strictly domains are compared'),
  spfAligned: described(z.boolean(), 'SPF passed for a domain that aligns'),
  dkimAligned: described(z.boolean(), 'A signature passed whose domain aligns'),
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
    'Why it is no pass',
  ),
});

const ptr = z.object({
  valid: z.boolean(),
  record: described(textOrNull, 'The name; of several the one that fits best'),
  status: described(
    z.enum(['valid', 'mismatch', 'missing', 'unknown']),
    'mismatch: the name does not lead back to the address, or does not fit the HELO. unknown: no answer',
  ),
  names: described(texts, 'Every name that was looked at'),
  confirmed: described(z.boolean(), 'The name has the address among its own'),
  helo: described(
    z.nullable(z.enum(['same', 'same-organization', 'other'])),
    'How the name compares with the HELO',
  ),
});

const mx = z.object({
  domain: described(textOrNull, 'The domain of MAIL FROM, of the author for bounces'),
  status: described(
    z.enum(['valid', 'none', 'invalid', 'unknown']),
    'none: no MX record, or a null MX. unknown: no answer',
  ),
  records: z.array(z.object({ priority: count, exchange: text })),
  problem: textOrNull,
});

const blocklist = z.object({
  list: z.enum(['combined', 'openrelay', 'reputation', 'userreported']),
  zone: described(text, 'The zone that was asked; of one that is not public, its organizational domain'),
  listed: described(flagOrNull, 'null: not known'),
  codes: described(texts, 'The codes of a listing; what they mean is the list’s own'),
  reason: described(textOrNull, 'What the list says of a listing'),
  unknown: described(
    z.nullable(z.enum(['refused', 'broken', 'no-test-entry', 'no-ipv6', 'no-answer', 'no-address'])),
    'Why it is not known. refused: the list does not answer this service. broken: it answers what no working ' +
      'list does. no-test-entry: it lists nothing, not even what every working list holds: it has ended, or ' +
      'does not serve our resolver. no-ipv6: it holds IPv4 addresses only',
  ),
});

const headers = z.object({
  messageId: textOrNull,
  date: described(z.nullable(timestamp), 'null where there is none that can be read'),
  dateStatus: z.enum(['valid', 'missing', 'unreadable', 'future']),
});

const message = z.object({
  octets: count,
  from: textOrNull,
  to: textOrNull,
  subject: described(textOrNull, 'With encoded words decoded'),
  received: described(
    z.array(
      z.object({
        from: textOrNull,
        by: textOrNull,
        protocol: textOrNull,
        tls: described(textOrNull, 'The version of TLS, such as 1.3; null where the line does not tell'),
        date: textOrNull,
      }),
    ),
    'The way of the message, last host first; only the first line is our own, the rest is the sender’s word',
  ),
  fields: described(z.array(z.object({ name: text, value: text })), 'The header as it arrived, cut'),
  moreFields: count,
});

const note = z.object({
  requirement: z.enum([
    'spf-and-dkim',
    'dkim-aligned',
    'dmarc-record',
    'reverse-dns',
    'one-click-unsubscribe',
    'tls',
  ]),
  state: described(z.enum(['met', 'not-met', 'unknown']), 'unknown: could not be seen'),
  explanation: text,
});

const opinion = z.nullable(z.enum(['pass', 'fail']));

const scoreLine = z.object({
  rule: z.enum(Object.keys(rules) as [RuleId, ...RuleId[]]),
  score: z.number(),
  explanation: text,
  fix: described(textOrNull, 'What to do; null where all is well'),
});

const session = {
  testId: text,
  email: described(text, 'Send one message to this address'),
  expiresAt: described(timestamp, 'From then on the address takes no mail and the results are gone'),
  url: described(text, 'The same session as a page for people'),
};

export const pendingTest = z.object({ ...session, status: z.literal('pending') });

export const completedTest = z.object({
  ...session,
  status: z.literal('completed'),
  receivedAt: timestamp,
  otherMessages: described(count, 'Messages that came after the first, which are not looked at'),
  spamScore: described(z.number(), 'The sum of the breakdown; lower is better'),
  verdict: described(z.enum(verdicts), 'ham below 3, probable-spam from 3, spam from 6, high-spam from 10'),
  results: z.object({
    spf,
    dkim,
    dmarc,
    ptr,
    mx,
    blocklists: z.object({
      listed: described(count, 'On how many lists the address is'),
      results: z.array(blocklist),
    }),
    headers,
    message,
    secondOpinion: described(
      z.nullable(z.object({ spf: opinion, dkim: opinion, dmarc: opinion })),
      'What the receiving mail service itself made of the message, where it judges messages. It does not count',
    ),
    notes: described(z.array(note), 'What Gmail and Yahoo ask of bulk senders; it does not count'),
  }),
  scoreBreakdown: z.array(scoreLine),
});

export const testSession = z.discriminatedUnion('status', [pendingTest, completedTest]);

/** Where a session is seen, below the service's origin. */
export const testPath = (testId: string): string => `/t/${testId}`;

/** How a session appears: `hostUrl` and `testerDomain` are the service's own. */
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
  // Zod's arrays can be written to; the result's own cannot.
  return { ...common, status, receivedAt, otherMessages, ...test } as unknown as z.output<typeof testSession>;
}
