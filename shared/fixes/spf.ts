/** Recommended changes of the SPF record. Flattening is never among them: flattened addresses go stale. */
import { formatPrefix } from '../protocol/ip.ts';
import { isSpfRecord, parseRecord, resemblesSpfRecord, type Term } from '../protocol/spf/record.ts';
import { trimMatching } from '../protocol/trim.ts';
import { characterStrings } from '../protocol/zone-file/record-set.ts';
import { authorizesAnyone } from '../score/credit/spf.ts';
import { type Facts, isWithoutMail, type Proposal, sendsMail, withReplaced } from './facts.ts';

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
  if (published === undefined) {
    const record = firstRecord(facts);
    const reason = 'Check that the record covers every host and service that sends mail for the domain.';
    return record === undefined
      ? []
      : fitting(domain, values, [{ ...made, after: [...values, record], reason }]);
  }
  const others = values.filter(
    (value) => !records.includes(value) && !(records.length === 0 && value === published),
  );
  const text = records.length > 1 ? merged(records) : repaired(spelled(published), facts);
  if (text === undefined) return [];
  const reason =
    records.length > 1
      ? 'Merges the SPF records into one that authorizes the hosts of all of them.'
      : 'Corrects the record. Check that it covers every host and service that sends mail for the domain.';
  return fitting(domain, values, [{ ...made, after: [...others, text], reason }]);
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

function firstRecord(facts: Facts): string | undefined {
  if (!sendsMail(facts)) return NOBODY;
  const hasHosts = facts.results.mx.records.some(({ exchange }) => exchange !== '.');
  return facts.usageType === 'sends-and-receives' && hasHosts ? 'v=spf1 mx ~all' : undefined;
}

/**
 * The same record with ranges as receivers read them and without terms that repeat an earlier one. Undefined if the record
 * has syntax errors.
 */
function tidied(text: string): string | undefined {
  const { terms, problems } = parseRecord(text);
  if (problems.length > 0) return undefined;
  const written = new Map<string, string>();
  for (const term of terms.map(writtenTerm)) {
    const key = term.toLowerCase();
    written.set(key, written.get(key) ?? term);
  }
  return join([...written.values()]);
}

function writtenTerm(term: Term): string {
  if (term.kind !== 'ip4' && term.kind !== 'ip6') return term.text;
  const [, start = '', , prefix = ''] = /^([+~?-]?)(ip[46]:)(.*)$/i.exec(term.text) ?? [];
  const range = formatPrefix(term.network);
  return prefix.includes('/') && prefix !== range ? `${start}${term.kind}:${range}` : term.text;
}

const join = (terms: readonly string[]): string => ['v=spf1', ...terms].join(' ');

/** A text that was meant as an SPF record, spelled as one. */
function spelled(text: string): string {
  if (isSpfRecord(text)) return text;
  return trimMatching(text, /["'\s]/).replace(/^v\s*=\s*spf\s*1?[,;:]?\s*/i, 'v=spf1 ');
}

/** The record without terms that have no effect, with common typing errors corrected, and with an `all` at its end. */
function repaired(text: string, facts: Facts): string | undefined {
  if (!sendsMail(facts)) return NOBODY;
  const voids = new Set(
    facts.results.spf.mechanisms.filter(({ voidFor = [] }) => voidFor.length === 2).map((term) => term.text),
  );
  const words = text
    .split(/[ \t]+/)
    .slice(1)
    .map((word) => trimMatching(word, /[,;]/).replace(/^([+~?-]?)ipv([46])/i, '$1ip$2'))
    .map((word) => word.replace(/^(all|include|exists|a|mx|ptr|ip4|ip6)=/i, '$1:'))
    .filter((word) => word !== '' && !/^v=spf/i.test(word) && !voids.has(word));
  const record = tidied(join(words));
  if (record === undefined) return undefined;
  const { terms } = parseRecord(record);
  const all = terms.find(({ kind }) => kind === 'all');
  const redirect = terms.find(({ kind }) => kind === 'redirect');
  const others = terms.filter(({ kind }) => kind !== 'all' && kind !== 'redirect').map((term) => term.text);
  if (all === undefined && redirect !== undefined) return join([...others, redirect.text]);
  const end = all !== undefined && /^[~-]/.test(all.text) ? all.text : '~all';
  return join([...others, end]);
}

/** One record with the mechanisms of all, and the weakest `all`. Undefined if one of them redirects or has errors. */
function merged(texts: readonly string[]): string | undefined {
  const records = texts.map(parseRecord);
  if (records.some(({ redirect, exp, problems }) => redirect ?? exp ?? problems[0])) return undefined;
  const terms = records.flatMap((record) => record.terms);
  const ends = terms.filter(({ kind }) => kind === 'all').map((term) => term.text);
  const end = ends.length === records.length && ends.every((text) => text === '-all') ? '-all' : '~all';
  return tidied(join([...terms.filter(({ kind }) => kind !== 'all').map((term) => term.text), end]));
}
