/** Recommended changes of the SPF record. Flattening is never among them: flattened addresses go stale. */
import { sendsMail } from '../checks/state.ts';
import { isSpfRecord, listsSenders, parseRecord, resemblesSpfRecord } from '../protocol/spf/record.ts';
import { merged, recordOf, tidied } from '../protocol/spf/rewrite.ts';
import { trimMatching } from '../protocol/trim.ts';
import { characterStrings } from '../protocol/zone-file/record-set.ts';
import { authorizesAnyone } from '../score/credit/spf.ts';
import { type Facts, isWithoutMail, type Proposal, withReplaced } from './facts.ts';
import { listed, naming, sharing, termsOfMailboxes, termsOfSenders } from './spf-senders.ts';

const NOBODY = 'v=spf1 -all';

/** RFC 1035 section 4.2.1: larger answers may not fit into a UDP packet. */
const MAX_ANSWER_OCTETS = 512;
/** A header, and the type and class of a question; name pointer, type, class, TTL and length of a record. */
const HEADER_OCTETS = 12 + 4;
const RECORD_OCTETS = 12;

/** Safe changes: `-all` for a domain without mail, and another spelling of the same record. */
export async function safeSpf(facts: Facts): Promise<readonly Proposal[]> {
  const { domain, results } = facts;
  const set = await facts.valuesAt(domain, 'TXT');
  if (set === undefined) return [];
  const { values } = set;
  const records = values.filter(isSpfRecord);
  const [record] = records;
  if (record === undefined) {
    if (!isWithoutMail(facts) || values.some(resemblesSpfRecord)) return [];
    const reason = 'The domain is parked and has no MX host, so no host needs to send mail for it.';
    return fitting(domain, values, [{ ...change(domain, 'safe'), after: [...values, NOBODY], reason }]);
  }
  if (records.length > 1) return [];
  if (isWithoutMail(facts) && results.spf.valid && !authorizesAnyone(results.spf)) {
    const reason = 'The record of this parked domain authorizes no host, so it can say that for all hosts.';
    return [{ ...change(domain, 'safe'), after: withReplaced(values, record, NOBODY), reason }];
  }
  const tidy = tidied(record);
  if (tidy === undefined || tidy === record) return [];
  const reason = 'Writes the record as receivers read it, without changing which hosts it authorizes.';
  return [{ ...change(domain, 'safe'), after: withReplaced(values, record, tidy), reason }];
}

/** Changes that need a decision, because only the owner knows which hosts send mail. */
export async function decideSpf(facts: Facts): Promise<readonly Proposal[]> {
  const { domain } = facts;
  const set = await facts.valuesAt(domain, 'TXT');
  if (set === undefined) return [];
  const { values } = set;
  const records = values.filter(isSpfRecord);
  const lookalikes = values.filter(resemblesSpfRecord);
  const made = change(domain, 'needs-decision');
  const [published] = [...records, ...lookalikes];
  const others = values.filter(
    (value) => !records.includes(value) && !(records.length === 0 && value === published),
  );
  const candidate =
    records.length > 1 && !sendsNothing(facts) ? merging(records, facts) : await listing(published, facts);
  if (candidate === undefined) return [];
  const reason = [candidate.reason, sharing(candidate.record)].filter((text) => text !== '').join(' ');
  return fitting(domain, values, [{ ...made, after: [...others, candidate.record], reason }]);
}

interface Candidate {
  readonly record: string;
  readonly reason: string;
}

function merging(records: readonly string[], facts: Facts): Candidate | undefined {
  const record = merged(records);
  if (record === undefined || (sendsMail(facts.usageType) && !listsSenders(record))) return undefined;
  return { record, reason: 'Merges the SPF records into one that authorizes the hosts of all of them.' };
}

const sendsNothing = ({ usageType, mail }: Facts): boolean => !sendsMail(usageType) && !mail.isAuthenticated;

/**
 * A first record, or the published one corrected. A domain that sends mail gets no record that authorizes nobody, and none
 * that ends the authorization of an approved sender.
 */
async function listing(published: string | undefined, facts: Facts): Promise<Candidate | undefined> {
  if (sendsNothing(facts)) {
    return {
      record: NOBODY,
      reason: 'The domain is set up to send no mail, so the record authorizes no host.',
    };
  }
  const repaired = published === undefined ? { terms: [], end: ['~all'] } : repair(spelled(published), facts);
  if (repaired === undefined) return undefined;
  const authorizesAll = facts.results.spf.allPolicy === '+all';
  const check = 'Check that the record covers every host and service that sends mail for the domain.';
  if (repaired.terms.length > 0 && !authorizesAll) {
    const record = recordOf([...repaired.terms, ...repaired.end]);
    return { record, reason: `Corrects the record. ${check}` };
  }
  const senders = await facts.senders?.();
  const { terms, missing } = await termsOfSenders(senders ?? [], facts);
  if (authorizesAll && missing.some(({ spfAligned }) => spfAligned > 0)) return undefined;
  const known = repaired.terms.length > 0 ? repaired.terms : termsOfMailboxes(facts);
  const record = tidied(recordOf([...known, ...terms, ...repaired.end]));
  if (record === undefined || !listsSenders(record)) return undefined;
  const reason = [
    naming(senders),
    ...(missing.length === 0
      ? []
      : [
          `The record does not list ${listed(missing)}, which matters if this domain is their MAIL FROM domain.`,
        ]),
    ...(terms.some((term) => term.startsWith('ip')) ? ['It lists approved networks as a whole.'] : []),
    check,
  ];
  return { record, reason: reason.filter((text) => text !== '').join(' ') };
}

const change = (name: string, kind: 'safe' | 'needs-decision') =>
  ({ class: kind, name, type: 'TXT' }) as const;

/** Without proposals that make an answer with all TXT records larger than 512 octets. */
function fitting(
  domain: string,
  before: readonly string[],
  proposals: readonly Proposal[],
): readonly Proposal[] {
  const limit = Math.max(MAX_ANSWER_OCTETS, answerOctets(domain, before));
  return proposals.filter(({ after }) => answerOctets(domain, after) <= limit);
}

function answerOctets(domain: string, values: readonly string[]): number {
  const strings = values.flatMap(characterStrings);
  const text = strings.reduce((sum, string) => sum + 1 + string.length, 0);
  return HEADER_OCTETS + domain.length + 2 + values.length * RECORD_OCTETS + text;
}

/** A text that was meant as an SPF record, spelled as one. */
function spelled(text: string): string {
  if (isSpfRecord(text)) return text;
  return trimMatching(text, /["'\s]/).replace(/^v\s*=\s*spf\s*1?[,;:]?\s*/i, 'v=spf1 ');
}

/**
 * The terms of a record without those that have no effect, with common typing errors corrected, and the `all` for its end,
 * unless it redirects. Undefined if it has other errors.
 */
function repair(
  text: string,
  facts: Facts,
): { readonly terms: readonly string[]; readonly end: readonly string[] } | undefined {
  const voids = new Set(
    facts.results.spf.mechanisms.filter(({ voidFor = [] }) => voidFor.length === 2).map((term) => term.text),
  );
  const words = text
    .split(/[ \t]+/)
    .slice(1)
    .map((word) => trimMatching(word, /[,;]/).replace(/^([+~?-]?)ipv([46])/i, '$1ip$2'))
    .map((word) => word.replace(/^(all|include|exists|a|mx|ptr|ip4|ip6)=/i, '$1:'))
    .filter((word) => word !== '' && !/^v=spf/i.test(word) && !voids.has(word));
  const record = tidied(recordOf(words));
  if (record === undefined) return undefined;
  const { terms } = parseRecord(record);
  const all = terms.find(({ kind }) => kind === 'all');
  const redirect = terms.find(({ kind }) => kind === 'redirect');
  const others = terms.filter(({ kind }) => kind !== 'all' && kind !== 'redirect').map((term) => term.text);
  if (all === undefined && redirect !== undefined) return { terms: [...others, redirect.text], end: [] };
  return { terms: others, end: [all !== undefined && /^[~-]/.test(all.text) ? all.text : '~all'] };
}
