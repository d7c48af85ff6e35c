/** The DKIM check: the keys at known and common selectors (RFC 6376 section 3.6). */
import * as z from 'zod/mini';
import type { Network } from '../../network/ports.ts';
import { type DkimKey, parseDkimKey, resemblesDkimKey } from '../../protocol/dkim/key.ts';
import { isSelector } from '../../protocol/dkim/selector-syntax.ts';
import { commonSelectors, selectorsOfProviders, spfTargets } from '../../protocol/dkim/selectors.ts';
import { type Absent, type Answer, type Dns, whyFailed } from '../../protocol/dns.ts';
import { canonicalName } from '../../protocol/domain-name.ts';
import { dkimRules } from '../../protocol/findings/dkim.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, hasErrors, raiser } from '../../protocol/findings/finding.ts';
import { unownedRules } from '../../protocol/findings/unowned.ts';
import { isSpfRecord } from '../../protocol/spf/record.ts';
import { outcomeOf, stateOfAlternatives } from '../outcome.ts';
import { unguessableLabel } from '../unguessable-label.ts';
import { danglingAlias, danglingWildcard } from '../unowned.ts';
import { areAllUsed, type DkimHistory, historyFindings } from './history.ts';
import { type DkimCheck, type DkimResult, dkimResult } from './result.ts';

interface DkimOptions {
  /** Selectors that the owner of the domain named. */
  readonly namedSelectors?: readonly string[];
  /** Selectors seen in reports, mail tests or earlier checks. The first `MAX_KNOWN_SELECTORS` are looked up too. */
  readonly knownSelectors?: readonly string[];
  /** What earlier check runs and reports say about the keys; without it, nothing is said about their age and use. */
  readonly history?: DkimHistory | undefined;
}

/** Anyone can send a report that names selectors, so their number is limited. */
export const MAX_KNOWN_SELECTORS = 30;

const raise = raiser({ ...dkimRules, ...unownedRules });

/**
 * Looks up all selectors concurrently: those that the owner named, known ones and common ones. The selectors of providers
 * that the MX and SPF records reveal follow as soon as those records are known. A random selector detects a wildcard,
 * whose answers count only for named and known selectors. There is one result per selector with a key, sorted by name,
 * and one with state `unknown` per named or known selector whose lookup failed, so that it does not look deleted.
 * `absent` means that no lookup failed and nothing was found, which does not prove that there is no key.
 */
export async function inspectDkim(
  domain: string,
  network: Pick<Network, 'dns'> & Partial<Pick<Network, 'clock'>>,
  { namedSelectors = [], knownSelectors = [], history }: DkimOptions = {},
): Promise<DkimCheck> {
  const { dns } = network;
  const named = namedSelectors.map(canonicalName).filter(isSelector);
  const seen = knownSelectors.map(canonicalName).filter((text) => isSelector(text) && !named.includes(text));
  const known = [...named, ...seen.slice(0, MAX_KNOWN_SELECTORS)];
  const first = [...new Set([...known, ...commonSelectors])];
  const [wildcard, usual, hinted] = await Promise.all([
    probe(domain, unguessableLabel(dns), dns),
    Promise.all(first.map((selector) => probe(domain, selector, dns))),
    probeProviders(domain, new Set(first), dns),
  ]);
  const isWildcard = (made: Probe) => isSameAnswer(made, wildcard) && !known.includes(made.selector);
  const probes = [...usual, ...hinted].map((made) => (isWildcard(made) ? { ...made, keys: [] } : made));
  const selectors = probes
    .flatMap((made) => resultOf(made, known.includes(made.selector)))
    .sort((a, b) => (a.selector < b.selector ? -1 : 1));
  const gone = goneSelectors(probes, known);
  const now = network.clock?.now() ?? new Date();
  const valid = selectors.filter((result) => result.valid);
  const findings = [
    ...(await danglingAliases(domain, probes, wildcard, dns)),
    ...probeFindings(domain, probes, wildcard, { named, gone }),
    ...(history === undefined ? [] : await historyFindings(selectors, gone, history, now)),
    ...(valid.length > 0 && valid.every(({ keyType }) => keyType === 'ed25519')
      ? [raise('dkim-ed25519-only')]
      : []),
  ];
  const allUsed = history === undefined ? {} : { allUsed: areAllUsed(valid, history, now) };
  return { state: stateOfAlternatives(findings, selectors), findings, selectors, ...allUsed };
}

interface Probe {
  readonly selector: string;
  /** Every TXT record at the name. */
  readonly texts: readonly string[];
  /** The records that are meant as keys. */
  readonly keys: readonly string[];
  /** Why the lookup failed. */
  readonly unavailable?: string;
  /** The target of the CNAME record at the name, if there is one and it leads to TXT records. */
  readonly alias?: string;
  /** The answer of an alias that ends at a name that does not exist. */
  readonly dangling?: Absent;
}

async function probe(domain: string, selector: string, dns: Dns): Promise<Probe> {
  const name = `${selector}._domainkey.${domain}`;
  const nothing = { selector, texts: [], keys: [] };
  const answer = await dns.lookup(name, 'TXT');
  if (answer.status === 'unavailable') return { ...nothing, unavailable: whyFailed(answer) };
  if (answer.status === 'absent') {
    return answer.reason === 'no-name' && answer.aliases.length > 0
      ? { ...nothing, dangling: answer }
      : nothing;
  }
  const { records: texts, aliases } = answer;
  const [, target = answer.name] = aliases;
  const alias = aliases.length === 0 ? {} : { alias: target };
  return { selector, texts, keys: texts.filter(resemblesDkimKey), ...alias };
}

/** Probes the selectors of the providers that the MX and SPF records of the domain reveal, except those in `probed`. */
async function probeProviders(
  domain: string,
  probed: ReadonlySet<string>,
  dns: Dns,
): Promise<readonly Probe[]> {
  const [mx, txt] = await Promise.all([dns.lookup(domain, 'MX'), dns.lookup(domain, 'TXT')]);
  const hosts = [
    ...recordsOf(mx).map(({ exchange }) => exchange),
    ...recordsOf(txt).filter(isSpfRecord).flatMap(spfTargets),
  ];
  const selectors = selectorsOfProviders(hosts).filter((selector) => !probed.has(selector));
  return Promise.all(selectors.map((selector) => probe(domain, selector, dns)));
}

/** These records are only hints, so a failed lookup counts as no records. */
function recordsOf<T>(answer: Answer<T>): readonly T[] {
  return answer.status === 'found' ? answer.records : [];
}

function isSameAnswer(made: Probe, wildcard: Probe): boolean {
  return (
    made.texts.length === wildcard.texts.length &&
    made.texts.every((text, index) => text === wildcard.texts[index])
  );
}

function resultOf(
  { selector, texts, keys, alias: target, unavailable }: Probe,
  isKnown: boolean,
): readonly DkimResult[] {
  const alias = target ?? null;
  const [record] = keys;
  if (record !== undefined) {
    const { key, findings } = parseDkimKey(record, selector);
    const multiple =
      texts.length > 1 ? [raise('dkim-multiple-records', { selector, count: texts.length })] : [];
    const several = texts.length > 1 ? { records: texts } : {};
    return [{ ...keyResult({ selector, alias, record }, key, [...multiple, ...findings]), ...several }];
  }
  if (unavailable === undefined || !isKnown) return [];
  const finding = raise('dkim-selector-unavailable', { selector, reason: unavailable });
  return [z.parse(dkimResult, { selector, alias, ...outcomeOf([finding]) })];
}

function keyResult(
  { selector, alias, record }: Pick<DkimResult, 'selector' | 'alias' | 'record'>,
  key: DkimKey,
  findings: readonly Finding[],
): DkimResult {
  const revoked = key.p === '';
  const outcome = outcomeOf(findings);
  return {
    ...outcome,
    selector,
    alias,
    record,
    version: key.v,
    keyType: key.k,
    keySize: key.size,
    publicKey: key.p,
    valid: !revoked && outcome.state !== 'not-applicable' && !hasErrors(findings),
    revoked,
    testing: key.t.includes('y'),
  };
}

/** One finding per selector with such an alias; one in all for a wildcard, which answers for every selector. */
async function danglingAliases(
  domain: string,
  probes: readonly Probe[],
  wildcard: Probe,
  dns: Dns,
): Promise<readonly Finding[]> {
  const aliases = wildcard.dangling === undefined ? probes : [{ ...wildcard, selector: '*' }];
  // A wildcard of the whole domain has a finding of its own.
  const whole = wildcard.dangling && (await danglingWildcard(domain, dns));
  const findings = await Promise.all(
    aliases.map(async ({ selector, dangling }) => {
      const alias = dangling && (await danglingAlias(dangling, domain, dns));
      if (alias === undefined || alias.target === whole?.target) return [];
      const { owner } = alias;
      const target = excerpt(alias.target);
      return owner === undefined
        ? [raise('dkim-dangling-alias', { selector, target })]
        : [raise('unowned-dkim-alias', { selector, target, owner })];
    }),
  );
  return findings.flat();
}

/** Known selectors whose lookup says that there is no key. */
function goneSelectors(probes: readonly Probe[], known: readonly string[]): readonly string[] {
  return probes.flatMap(({ selector, unavailable, keys }) =>
    known.includes(selector) && unavailable === undefined && keys.length === 0 ? [selector] : [],
  );
}

function probeFindings(
  domain: string,
  probes: readonly Probe[],
  wildcard: Probe,
  { named, gone }: { readonly named: readonly string[]; readonly gone: readonly string[] },
): readonly Finding[] {
  const unavailable = probes.filter((made) => made.unavailable !== undefined).length;
  const found = probes.some(({ keys }) => keys.length > 0);
  return [
    ...(wildcard.texts.length > 0 ? [raise('dkim-wildcard', { domain })] : []),
    ...gone.map((selector) =>
      raise(named.includes(selector) ? 'dkim-selector-missing' : 'dkim-selector-gone', { selector }),
    ),
    ...(unavailable > 0 ? [raise('dkim-incomplete', { unavailable, tried: probes.length })] : []),
    ...(found || unavailable > 0 ? [] : [raise('dkim-none-found', { tried: probes.length })]),
  ];
}
