/**
 * Whether a change of records weakens what a domain asks of others. Only the records decide, so it does not matter which findings
 * vanish with them: with `p=none`, nothing says any more that `sp=none` is weaker than `p=reject`.
 */
import { isInEffect } from '../checks/outcome.ts';
import type { CheckName, CheckState } from '../checks/state.ts';
import { oneStepLess } from '../protocol/dmarc/discover.ts';
import { type DmarcRecord, type Policy, parseDmarcRecord, policies } from '../protocol/dmarc/record.ts';
import { contains } from '../protocol/ip.ts';
import { isSpfRecord, parseRecord, type Qualifier, type Term } from '../protocol/spf/record.ts';

export interface Weakening {
  /** `critical` if receivers were asked to reject, and now are asked for nothing. */
  readonly severity: 'critical' | 'warning';
  /** What is weaker, such as `p from reject to none`. Empty if SPF may only authorize more hosts. */
  readonly says: readonly string[];
}

/** The records of a check before and after a change, and its state before. */
interface RecordChange {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly stateBefore: CheckState;
}

/** Undefined if nothing is weaker. Records that are gone are no weakening: the state of the check says that. */
export function weakeningOf(check: CheckName, change: RecordChange): Weakening | undefined {
  switch (check) {
    case 'dmarc':
      return weakerDmarc(change);
    case 'spf':
      return weakerSpf(change);
    case 'mtaSts':
      return weakerMtaSts(change);
    default:
      return undefined;
  }
}

const tags = ['p', 'sp', 'np'] as const;

interface Strength {
  readonly policies: Readonly<Record<(typeof tags)[number], Policy>>;
  readonly pct: number;
}

function weakerDmarc({ before, after }: RecordChange): Weakening | undefined {
  const [was, is] = [strengthOf(before), strengthOf(after)];
  const weaker = tags.filter((tag) => rank(is.policies[tag]) < rank(was.policies[tag]));
  const isPartial = is.pct < was.pct && tags.some((tag) => is.policies[tag] !== 'none');
  if (weaker.length === 0 && !isPartial) return undefined;
  const isOpen = weaker.some((tag) => was.policies[tag] === 'reject' && is.policies[tag] === 'none');
  return {
    severity: isOpen ? 'critical' : 'warning',
    says: [
      ...weaker.map((tag) => `${tag} from ${was.policies[tag]} to ${is.policies[tag]}`),
      ...(isPartial ? [`pct from ${was.pct} to ${is.pct}`] : []),
    ],
  };
}

const rank = (policy: Policy): number => policies.indexOf(policy);

/** What receivers are asked for: of several records, as of none, they apply nothing (RFC 9989 section 4.10). */
function strengthOf(texts: readonly string[]): Strength {
  const records = texts.map(parseDmarcRecord);
  const [only] = records.length === 1 ? records : [];
  const record: DmarcRecord | undefined = only?.ok === true ? only.record : undefined;
  const { p, sp, np } = record?.applied ?? { p: 'none', sp: 'none', np: 'none' };
  const inTest = (policy: Policy) => (record?.t === 'y' ? oneStepLess(policy) : policy);
  return { policies: { p: inTest(p), sp: inTest(sp), np: inTest(np) }, pct: record?.pct ?? 100 };
}

/** From the weakest: `+all` lets all mail pass. */
const qualifiers: readonly Qualifier[] = ['+', '?', '~', '-'];

function weakerSpf({ before, after, stateBefore }: RecordChange): Weakening | undefined {
  const [was, is] = [before, after].map((texts) => texts.filter(isSpfRecord).map(parseRecord));
  if (was === undefined || is?.length !== 1) return undefined;
  const [termsBefore, termsAfter] = [was, is].map((records) => records.flatMap(({ terms }) => terms));
  const [allBefore, allAfter] = [termsBefore, termsAfter].map((terms = []) => weakestAll(terms));
  if (allAfter === '+' && allBefore !== '+')
    return { severity: 'warning', says: ['+all authorizes every host'] };
  if (allBefore !== undefined && allAfter !== undefined && strictness(allAfter) < strictness(allBefore))
    return { severity: 'warning', says: [`"all" from ${allBefore}all to ${allAfter}all`] };
  const isWider = isInEffect({ state: stateBefore }) && authorizesMore(termsBefore ?? [], termsAfter ?? []);
  return isWider ? { severity: 'warning', says: [] } : undefined;
}

const strictness = (qualifier: Qualifier): number => qualifiers.indexOf(qualifier);

/** Without `all`, the result is neutral (RFC 7208 section 4.7); undefined if another record decides. */
function weakestAll(terms: readonly Term[]): Qualifier | undefined {
  const found = terms.flatMap((term) => (term.kind === 'all' ? [term.qualifier] : []));
  if (found.length === 0) return terms.some(({ kind }) => kind === 'redirect') ? undefined : '?';
  return qualifiers.find((qualifier) => found.includes(qualifier));
}

/** Whether a term that lets mail pass is new, or one that exempts hosts from such a term is gone. Names may lead to the same hosts. */
function authorizesMore(before: readonly Term[], after: readonly Term[]): boolean {
  const isNew = (term: Term) => !before.some((known) => covers(known, term));
  const isGone = (term: Term) => !after.some((known) => isSameTerm(known, term));
  return (
    after.some((term) => letsPass(term) && isNew(term)) ||
    before.some((term) => exempts(term) && isGone(term))
  );
}

const letsPass = (term: Term): boolean =>
  term.kind === 'redirect' || ('qualifier' in term && term.qualifier === '+' && term.kind !== 'all');
const exempts = (term: Term): boolean => 'qualifier' in term && term.qualifier !== '+' && term.kind !== 'all';

const isSameTerm = (some: Term, other: Term): boolean => plain(some.text) === plain(other.text);
const plain = (text: string): string => text.replace(/^\+/, '').toLowerCase();

function covers(known: Term, term: Term): boolean {
  if (isSameTerm(known, term)) return true;
  const isRange = 'network' in known && 'network' in term && letsPass(known);
  return isRange && contains(known.network, term.network);
}

const modes: readonly string[] = ['none', 'testing', 'enforce'];

function weakerMtaSts({ before, after }: RecordChange): Weakening | undefined {
  const [was, is] = [before, after].map((texts) =>
    texts.flatMap((text) => /^policy mode=([a-z]+)/.exec(text)?.[1] ?? []).at(0),
  );
  if (was === undefined || is === undefined || modes.indexOf(is) >= modes.indexOf(was)) return undefined;
  return { severity: 'warning', says: [`mode from ${was} to ${is}`] };
}
