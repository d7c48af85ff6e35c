/** The complete analysis of one test message. All lookups run in parallel and finish within seconds. */
import { dnsWithDeadline } from '../network/deadline.ts';
import type { Dns } from '../protocol/dns.ts';
import { organizationalDomain, parseLookupName } from '../protocol/domain-name.ts';
import { domainOf } from '../protocol/mail-address.ts';
import { type Authentication, evaluateMessage, readMessage } from '../protocol/message/evaluate.ts';
import { type ReceiverVerdicts, readReceiverTrace } from '../protocol/message/receiver-trace.ts';
import { type Advice, adviceFor } from './advice.ts';
import type { BlocklistRole } from './blocklist-zones.ts';
import {
  type Blocklists,
  type DomainBlocklists,
  inspectBlocklists,
  inspectDomainBlocklists,
} from './blocklists.ts';
import { bulkSenderNotes, type SenderNote } from './bulk-sender.ts';
import { type Content, readContent } from './content.ts';
import { describeMessage, type Facts, type MessageFacts } from './facts.ts';
import { type Headers, inspectHeaders } from './headers.ts';
import { type ReceiverOutcome, receiverOutcomes } from './receivers.ts';
import { inspectReverseDns, type ReverseDns } from './reverse-dns.ts';
import { type ScoreLine, scoreLines, spamScore, type Verdict, verdictOf } from './rules.ts';
import { inspectSenderMx, type SenderMx } from './sender-mx.ts';

/** A message as the receiving mail server stored it. */
export interface ReceivedMessage {
  /** Includes the header lines that the mail server added at the top. */
  readonly message: Uint8Array;
  /** The id that the mail server assigned. */
  readonly edgeId: string;
  readonly receivedAt: Date;
  /** The authentication verdicts of the mail server, if it evaluates messages. */
  readonly verdicts?: ReceiverVerdicts | null;
}

export interface MailTestResults extends Authentication {
  readonly ptr: ReverseDns & { readonly valid: boolean };
  readonly mx: SenderMx;
  readonly blocklists: Blocklists;
  readonly headers: Headers;
  readonly message: MessageFacts;
  /** The authentication verdicts of the mail server, shown for comparison; they do not affect the score. */
  readonly secondOpinion: ReceiverVerdicts | null;
  /** Bulk sender requirements of large receivers; they do not affect the score. */
  readonly notes: readonly SenderNote[];
  /** What each receiver does with the message. */
  readonly receivers: readonly ReceiverOutcome[];
  /** Null if the content could not be read. */
  readonly content: Content | null;
  /** Blocklists of domains, for the domains of links and for the author domain. */
  readonly domainBlocklists: DomainBlocklists;
  /** The MX records of the author domain. */
  readonly fromMx: SenderMx;
  /** What can be better, without an effect on the score. */
  readonly advice: readonly Advice[];
}

export interface MailTest {
  readonly spamScore: number;
  readonly verdict: Verdict;
  readonly scoreBreakdown: readonly ScoreLine[];
  readonly results: MailTestResults;
}

interface TestNetwork {
  readonly dns: Dns;
  readonly blocklists: ReadonlyMap<BlocklistRole, string>;
  /** Zones of lists of domains; none by default. */
  readonly domainBlocklists?: readonly string[];
}

/** Together with the slowest signature verification this stays below ten seconds. */
const DNS_MILLISECONDS = 6000;

/** Never throws, whatever the message. Results whose lookups time out are unknown. */
export async function analyse(
  { message, edgeId, receivedAt, verdicts = null }: ReceivedMessage,
  { dns: unlimited, blocklists: zones, domainBlocklists: domainZones = [] }: TestNetwork,
): Promise<MailTest> {
  const dns = dnsWithDeadline(unlimited, AbortSignal.timeout(DNS_MILLISECONDS));
  const read = readMessage(message);
  const { section, author } = read;
  const trace = readReceiverTrace(section, edgeId);
  const { mailFrom = '', ip = null, helo = null } = trace ?? {};
  const authorDomain = author.status === 'missing' ? null : author.domain;
  const senderDomain = domainOf(mailFrom) || authorDomain;
  const reading = readContent(message);
  const [authentication, reverseDns, senderMx, blocklists, fromMx, content, domainBlocklists] =
    await Promise.all([
      evaluateMessage(read, trace, dns, receivedAt),
      inspectReverseDns(ip, helo || null, dns),
      inspectSenderMx(senderDomain, dns),
      inspectBlocklists(ip, zones, dns),
      inspectSenderMx(authorDomain, dns),
      reading,
      reading.then((found) => inspectDomainBlocklists(domainsIn(authorDomain, found), domainZones, dns)),
    ]);
  const headers = inspectHeaders(section, receivedAt);
  const facts: Facts = { ...authentication, reverseDns, senderMx, blocklists, headers };
  const scoreBreakdown = scoreLines(facts);
  const score = spamScore(scoreBreakdown);
  const encrypted = trace?.encrypted ?? null;
  return {
    spamScore: score,
    verdict: verdictOf(score),
    scoreBreakdown,
    results: {
      ...authentication,
      ptr: { ...reverseDns, valid: reverseDns.status === 'valid' },
      mx: senderMx,
      blocklists,
      headers,
      message: describeMessage(message, section),
      secondOpinion: verdicts,
      notes: bulkSenderNotes(section, facts, encrypted),
      receivers: receiverOutcomes({ ...facts, encrypted }),
      content,
      domainBlocklists,
      fromMx,
      advice: adviceFor({ section, content, fromMx, dkim: authentication.dkim }),
    },
  };
}

/** The author domain first, which matters most. */
function domainsIn(authorDomain: string | null, content: Content | null): string[] {
  const author = parseLookupName(authorDomain ?? '');
  const own = author.ok ? [organizationalDomain(author.name)] : [];
  return [...new Set([...own, ...(content?.linkDomains ?? [])])];
}
