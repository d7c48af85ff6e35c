/**
 * Responses of the inbound mail tester: sessions and test results.
 *
 * Longer than 350 lines: one table of schemas: the response that is the result of a test.
 */
import * as z from 'zod/mini';
import { dmarcPolicy } from '../checks/dmarc/result.ts';
import { mxRecord } from '../checks/mx/result.ts';
import { adviceTopics } from '../mail-test/advice.ts';
import { receivers, requirements } from '../mail-test/bulk-sender.ts';
import { unscoredNames } from '../mail-test/facts.ts';
import { deliveries, receiverNames } from '../mail-test/receivers.ts';
import { type RuleId, rules, verdicts } from '../mail-test/rules.ts';
import { signatureReasons } from '../protocol/dkim/reasons.ts';
import {
  count,
  described,
  emailAddress,
  flagOrNull,
  list,
  text,
  textOrNull,
  texts,
  timestamp,
  url,
} from '../protocol/schema.ts';
import { TEST_ID, type TestSession } from '../store/test-sessions.ts';
import { missing } from './common.ts';

const SAMPLE_ID = 'k7m2q4x5t3w6z7c2abcdefghij';

export const testSessionPath = z.object({
  testId: described(z.string().check(z.regex(TEST_ID, missing.test)), 'ID of the test', SAMPLE_ID),
});

export const spfResultName = described(
  z.enum(['none', 'neutral', 'pass', 'fail', 'softfail', 'temperror', 'permerror']),
  'SPF result (RFC 7208 section 2.6)',
  'pass',
);

const spf = z.object({
  result: spfResultName,
  domain: described(
    text,
    'The domain whose record was evaluated: the MAIL FROM domain, or the HELO domain for bounces',
    'example.org',
  ),
  ip: described(textOrNull, 'The IP address of the sending host', '192.0.2.25'),
  helo: described(textOrNull, 'The HELO or EHLO name of the sending host', 'mail.example.org'),
  mailFrom: described(text, 'The MAIL FROM address; empty for bounces', 'alice@example.org'),
  matched: described(
    z.nullable(
      z.object({
        domain: described(text, 'The domain of the record', 'example.org'),
        term: described(text, 'The term as published', 'ip4:192.0.2.0/24'),
      }),
    ),
    'The matching term, and the domain of its record',
  ),
  problem: described(
    z.nullable(
      z.object({
        kind: described(text, 'Kind of the problem', 'syntax'),
        domain: described(text, 'The domain of the record', 'example.org'),
        term: described(z.optional(text), 'The term, if the problem is in one'),
      }),
    ),
    'Why SPF evaluation failed; `null` if it did not',
    null,
  ),
  explanation: described(
    textOrNull,
    'The explanation of the domain for clients that fail (exp modifier)',
    null,
  ),
  lookups: described(count, 'DNS lookups used, of the 10 allowed', 0),
  aligned: described(
    flagOrNull,
    'Whether the domain aligns with the From domain, regardless of the result; `null` if unknown',
    true,
  ),
});

export const signatureVerdict = described(
  z.enum(['pass', 'fail', 'neutral', 'policy', 'temperror', 'not-checked']),
  'Result as in RFC 8601 section 2.7.1. `neutral`: the signature cannot be evaluated. `policy`: valid, but not ' +
    'acceptable, for example because the key is too short. `not-checked`: beyond the number of signatures that are checked',
);

export const signatureReason = described(
  z.enum(signatureReasons as [string, ...string[]]),
  'Why a signature does not pass; `body-hash` and `header-hash` show which part of the message was changed',
);

export const signature = z.object({
  domain: described(text, 'The signing domain (d=)', 'example.org'),
  selector: described(text, 'The selector (s=)', 's1'),
  algorithm: described(text, 'The signing algorithm, such as rsa-sha256', 'rsa-sha256'),
  keySize: described(
    z.nullable(count),
    'Size of the public key in bits; `null` if the key was not found',
    2048,
  ),
  verdict: signatureVerdict,
  reason: described(
    z.nullable(signatureReason),
    'Why the signature does not pass; `null` if it passes',
    null,
  ),
  explanation: described(textOrNull, 'The reason as a sentence', null),
  unsignedOctets: described(
    z.nullable(count),
    'Number of bytes of the body that are not signed because of a length limit (l=); `null` without a limit',
    null,
  ),
  testing: described(
    z.boolean(),
    'The key is in test mode (t=y): receivers should treat the message as unsigned (RFC 6376 section 3.6.1), ' +
      'but some do not. In this test a pass counts, and a failure does not',
    false,
  ),
  signedAt: described(
    z.nullable(timestamp),
    'When the message was signed; `null` if the signature does not say',
  ),
  expiresAt: described(
    z.nullable(timestamp),
    'When the signature expires; `null` if the signature does not say',
    null,
  ),
  signedFields: described(texts, 'The header fields that the signature covers', ['from', 'to', 'subject']),
  warnings: described(texts, 'Problems that do not affect the verdict', []),
  duplicate: described(
    z.boolean(),
    'Whether it duplicates an earlier signature; duplicates do not count',
    false,
  ),
  aligned: described(
    flagOrNull,
    'Whether the signing domain aligns with the From domain, regardless of the verdict; `null` if unknown',
    true,
  ),
});

const dkim = z.object({
  valid: described(z.boolean(), 'Whether at least one signature passes', true),
  signatures: described(list(signature), 'Signatures in order from the top of the message'),
  more: described(count, 'Number of signatures that are not listed', 0),
});

export const alignmentMode = described(z.enum(['r', 's']), '`r`: relaxed. `s`: strict');

export const dmarcResultName = described(
  z.enum(['pass', 'fail', 'none', 'temperror', 'permerror']),
  'DMARC result. `none`: no DMARC record applies. `permerror`: there is no author domain, or the record is invalid',
);

export const dmarcReason = described(
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
  'Why DMARC does not pass',
);

const dmarc = z.object({
  result: dmarcResultName,
  policy: described(
    z.nullable(dmarcPolicy),
    'The policy for mail that fails; `null` without a record',
    'reject',
  ),
  domain: described(textOrNull, 'The author domain, from the From header field', 'example.org'),
  recordDomain: described(textOrNull, 'The domain that has the DMARC record', 'example.org'),
  record: described(textOrNull, 'The DMARC record; `null` without one', 'v=DMARC1; p=reject'),
  modes: described(
    z.nullable(
      z.object({
        spf: described(alignmentMode, 'SPF alignment mode: `r` (relaxed) or `s` (strict)'),
        dkim: described(alignmentMode, 'DKIM alignment mode: `r` (relaxed) or `s` (strict)'),
      }),
    ),
    'The alignment modes',
  ),
  spfAligned: described(z.boolean(), 'Whether SPF passed with an aligned domain', true),
  dkimAligned: described(z.boolean(), 'Whether a DKIM signature passed with an aligned domain', true),
  reason: described(z.nullable(dmarcReason), 'Why DMARC does not pass; `null` if it passes', null),
});

export const ptrStatus = described(
  z.enum(['valid', 'mismatch', 'missing', 'unknown']),
  'Status of reverse DNS. `mismatch`: the name does not resolve back to the address, or does not match the HELO name. `unknown`: the lookup failed',
);

export const heloMatch = described(
  z.enum(['same', 'same-organization', 'other']),
  'How a name compares with the HELO name',
);

const ptr = z.object({
  valid: described(z.boolean(), 'Whether the status is `valid`', true),
  record: described(textOrNull, 'The PTR name; if there are several, the best match', 'mail.example.org'),
  status: ptrStatus,
  names: described(texts, 'All PTR names that were checked', ['mail.example.org']),
  confirmed: described(z.boolean(), 'Whether the name resolves back to the address', true),
  helo: described(
    z.nullable(heloMatch),
    'How the name compares with the HELO name; `null` if there is nothing to compare',
  ),
});

export const senderMxStatus = described(
  z.enum(['valid', 'none', 'invalid', 'unknown']),
  'Status of the MX records of the sender. `none`: neither an MX record nor an address, or a null MX. `unknown`: the lookup failed',
);

const mx = z.object({
  domain: described(textOrNull, 'The domain', 'example.org'),
  status: senderMxStatus,
  records: described(list(mxRecord), 'The MX records'),
  problem: described(textOrNull, 'Why the status is `invalid` or `unknown`; `null` otherwise', null),
});

export const blocklistName = described(
  z.enum(['combined', 'openrelay', 'reputation', 'userreported']),
  'The kind of the blocklist',
);

export const blocklistProblem = described(
  z.enum(['refused', 'broken', 'no-test-entry', 'no-ipv6', 'no-answer', 'no-address']),
  'Why it is unknown whether a list contains an address. `refused`: the list refuses queries from this service. ' +
    '`broken`: the list returns invalid answers. `no-test-entry`: the test entry of the list is missing; it may have ' +
    'shut down or may block this resolver. `no-ipv6`: the list covers IPv4 addresses only. `no-answer`: the lookup ' +
    'failed. `no-address`: the sending IP address is unknown',
);

const listing = {
  zone: described(
    text,
    'The queried zone; for a private zone, only its organizational domain',
    'zen.spamhaus.org',
  ),
  listed: described(flagOrNull, 'Whether it is on the list; `null` if unknown', false),
  codes: described(texts, 'The return codes of the listing, as defined by the list', []),
  reason: described(textOrNull, 'The reason for the listing, in the words of the list', null),
  unknown: described(z.nullable(blocklistProblem), 'Why `listed` is `null`; `null` otherwise', null),
};

export const blocklistResult = z.object({ list: blocklistName, ...listing });

export const domainBlocklistResult = z.object({
  domain: described(text, 'A domain of the message', 'example.org'),
  ...listing,
});

export const dateStatus = described(
  z.enum(['valid', 'missing', 'unreadable', 'future']),
  'Status of the Date header field',
);

const headers = z.object({
  messageId: described(textOrNull, 'The Message-ID; `null` without one', '<1a2b3c@example.org>'),
  date: described(z.nullable(timestamp), 'The Date; `null` if it is missing or invalid'),
  dateStatus,
});

const hop = z.object({
  from: described(textOrNull, 'The sending host; `null` if the field does not state it', 'mail.example.org'),
  by: described(textOrNull, 'The receiving host; `null` if the field does not state it', 'mx.example.net'),
  protocol: described(textOrNull, 'The protocol; `null` if the field does not state it', 'ESMTPS'),
  tls: described(textOrNull, 'The TLS version, such as 1.3; `null` if the field does not state it', '1.3'),
  date: described(
    textOrNull,
    'The date as written; `null` if the field does not state it',
    'Thu, 1 Jan 2026 12:00:00 +0000',
  ),
});

const headerField = z.object({
  name: described(text, 'Name of the header field', 'From'),
  value: described(text, 'Value of the header field as received', 'Alice <alice@example.org>'),
});

export const unscoredName = described(z.enum(unscoredNames), 'Name of a header field that is not scored');

const unscoredFields = z.object({
  name: unscoredName,
  count: described(count, 'Number of header fields with this name', 1),
});

const message = z.object({
  octets: described(count, 'Size of the message in bytes', 2048),
  from: described(textOrNull, 'The From header field', 'Alice <alice@example.org>'),
  to: described(textOrNull, 'The To header field', 'k7m2q9x4@test.example.net'),
  subject: described(textOrNull, 'The subject with encoded words decoded', 'Hello'),
  received: described(
    list(hop),
    'The delivery path from the Received header fields, last hop first. Only the first entry was recorded by this service; the others are unverified',
  ),
  fields: described(list(headerField), 'The header fields as received, truncated'),
  moreFields: described(count, 'Number of header fields that are not listed', 0),
  unscored: described(
    list(unscoredFields),
    'Header fields of DKIM2 (an Internet-Draft) and ARC, which do not affect the score',
  ),
});

export const senderRequirement = described(
  z.enum(requirements),
  'A requirement of Gmail, Yahoo or Microsoft for bulk senders',
);

export const bulkReceiver = described(
  z.enum(receivers),
  '`gmail`: more than about 5,000 messages a day; rejects since November 2025. `yahoo`: bulk senders, without a number. ' +
    '`microsoft`: more than 5,000 messages a day to Outlook.com; rejects with 550 5.7.515 since 5 May 2025',
);

export const requirementState = described(
  z.enum(['met', 'not-met', 'unknown']),
  'Whether a requirement is met. `unknown`: could not be determined',
);

export const delivery = described(
  z.enum(deliveries),
  'What a receiver does with the message, by the rules that it publishes. `unknown`: a rule could not be checked',
);

export const testedReceiver = described(
  z.enum(receiverNames),
  'A receiver. `others`: what is common among receivers that publish no rules',
);

export const senderVolume = described(
  z.enum(['all', 'bulk']),
  'Which senders a rule is for. `bulk`: those of more than 5,000 messages a day, or of bulk mail',
);

export const brokenRule = z.object({
  senders: senderVolume,
  delivery: described(delivery, 'What follows; `unknown`: the rule could not be checked'),
  reply: described(textOrNull, 'The SMTP reply code, if the receiver publishes it', '550 5.7.26'),
  rule: described(text, 'The rule that the message breaks', 'SPF or DKIM must pass.'),
  source: described(
    textOrNull,
    'The page with the rule; `null` for common practice',
    'https://support.google.com/a/answer/3726730',
  ),
});

export const receiverOutcome = z.object({
  receiver: testedReceiver,
  delivery,
  bulkDelivery: described(delivery, 'The same for senders of bulk mail, for whom there are more rules'),
  broken: described(list(brokenRule), 'The rules that the message breaks, the worst first'),
});

export const adviceTopic = described(z.enum(adviceTopics), 'What can be better about a message');

export const adviceState = described(
  z.enum(['good', 'bad', 'unknown']),
  'Whether something about a message is good. `unknown`: could not be determined',
);

const advice = z.object({
  topic: adviceTopic,
  state: adviceState,
  explanation: described(
    text,
    'What was found, and what to do if it is bad',
    'The message has a text part beside HTML.',
  ),
});

const content = z.object({
  hasText: described(z.boolean(), 'Whether the message has a text part', true),
  hasHtml: described(z.boolean(), 'Whether the message has an HTML part', true),
  linkDomains: described(texts, 'The organizational domains of links', ['example.org']),
  moreDomains: described(count, 'Number of domains of links that are not listed', 0),
  linksToAddress: described(z.boolean(), 'Whether a link leads to an IP address', false),
});

const note = z.object({
  receiver: bulkReceiver,
  requirement: senderRequirement,
  state: requirementState,
  explanation: described(text, 'The state as a sentence', 'SPF and DKIM pass.'),
});

export const opinionResult = described(z.enum(['pass', 'fail']), 'A verdict of the receiving mail service');

const opinion = (method: string) =>
  described(z.nullable(opinionResult), `Its verdict on ${method}; \`null\` if it has none`);

export const spamRule = described(
  z.enum(Object.keys(rules) as [RuleId, ...RuleId[]]),
  'A rule of the spam score',
);

export const scoreLine = z.object({
  rule: spamRule,
  score: described(z.number(), 'The points that the rule adds', -0.2),
  explanation: described(text, 'What was found', rules.SPF_PASS.explanation),
  fix: described(textOrNull, 'How to fix it; `null` for rules that lower the score', null),
});

const session = {
  testId: described(text, 'ID of the test', SAMPLE_ID),
  email: described(emailAddress, 'The test address; send one message to it', `${SAMPLE_ID}@test.example.net`),
  expiresAt: described(timestamp, 'When the address stops accepting mail and the results become unavailable'),
  url: described(url, 'The web page of this test', `https://monitor.example.net/t/${SAMPLE_ID}`),
};

export const pendingTest = z.object({
  ...session,
  status: described(z.literal('pending'), 'No message has arrived'),
});

export const verdict = described(
  z.enum(verdicts),
  'The spam score in words. `ham`: below 3. `probable-spam`: 3 or more. `spam`: 6 or more. `high-spam`: 10 or more',
);

const blocklists = z.object({
  listed: described(count, 'Number of lists that contain the address', 0),
  results: described(list(blocklistResult), 'The result of each list'),
});

const domainBlocklists = z.object({
  listed: described(count, 'Number of domains that are on a list', 0),
  results: described(list(domainBlocklistResult), 'The result of each list for each domain'),
});

export const testResults = z.object({
  spf: described(spf, 'SPF evaluation of the message'),
  dkim: described(dkim, 'DKIM verification of the message'),
  dmarc: described(dmarc, 'DMARC evaluation of the message'),
  ptr: described(ptr, 'Reverse DNS of the sending host'),
  mx: described(mx, 'MX records of the MAIL FROM domain, or of the From domain for bounces'),
  blocklists: described(blocklists, 'Blocklists of IP addresses'),
  headers: described(headers, 'Header fields that every message needs'),
  message: described(message, 'The message as received'),
  secondOpinion: described(
    z.nullable(z.object({ spf: opinion('SPF'), dkim: opinion('DKIM'), dmarc: opinion('DMARC') })),
    'The verdicts of the receiving mail service itself, if it evaluates messages; they do not affect the score',
    null,
  ),
  notes: described(
    list(note),
    'The bulk sender requirements of Gmail, Yahoo and Microsoft; they do not affect the score',
  ),
  receivers: described(
    list(receiverOutcome),
    'What each receiver does with the message. This and the following fields do not affect the score',
  ),
  content: described(z.nullable(content), 'The content; `null` if it could not be read'),
  domainBlocklists: described(
    domainBlocklists,
    'Blocklists of domains, for the From domain and the domains of links',
  ),
  fromMx: described(mx, 'The MX records of the From domain'),
  advice: described(list(advice), 'What can be better'),
});

export const completedTest = z.object({
  ...session,
  status: described(z.literal('completed'), 'A message has arrived'),
  receivedAt: described(timestamp, 'When the message arrived'),
  otherMessages: described(count, 'Number of later messages, which are not analyzed', 0),
  spamScore: described(z.number(), 'The sum of the score breakdown; lower is better', -0.2),
  verdict,
  results: described(testResults, 'What was found in and about the message'),
  scoreBreakdown: described(list(scoreLine), 'The rules that apply, and their points'),
});

export const testSession = z.discriminatedUnion('status', [pendingTest, completedTest]);

/** The path of the web page of a session. */
export const testPath = (testId: string): string => `/t/${testId}`;

/** The names in the representation of a session: origin and tester domain of the service. */
interface TesterNames {
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
