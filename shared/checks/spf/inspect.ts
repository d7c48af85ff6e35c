/** The SPF check: expands and diagnoses the SPF record of the domain (RFC 7208). */

import type { Network } from '../../network/ports.ts';
import type { Dns } from '../../protocol/dns.ts';
import { canonicalName } from '../../protocol/domain-name.ts';
import { excerpt } from '../../protocol/findings/excerpt.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { unownedRules } from '../../protocol/findings/unowned.ts';
import { includeForMailboxes } from '../../protocol/providers.ts';
import { expand } from '../../protocol/spf/expand.ts';
import type { ExpandedTerm, Expansion } from '../../protocol/spf/expansion.ts';
import { fixedSuffix, parseMacroString } from '../../protocol/spf/macro.ts';
import { isSpfRecord } from '../../protocol/spf/record.ts';
import { merged, recordOf } from '../../protocol/spf/rewrite.ts';
import { records, termsOf } from '../../protocol/spf/tree.ts';
import { inspectAgreement } from '../dnssec/name-servers.ts';
import { outcomeOf, withFindings } from '../outcome.ts';
import { overlayDns } from '../preview/overlay.ts';
import { unownedBehind } from '../unowned.ts';
import type { SpfResult } from './result.ts';

const raise = raiser(unownedRules);

/** Checks the SPF record of `domain`. The state is `unknown` if a lookup of its include tree failed. Never throws. */
export async function inspectSpf(
  domain: string,
  network: Pick<Network, 'dns' | 'authorities'>,
): Promise<SpfResult> {
  const question = { domain, name: domain, type: 'TXT', records: 'SPF', print: printSpf } as const;
  const [expansion, disagreements] = await Promise.all([
    expand(domain, network.dns),
    inspectAgreement(network, question),
  ]);
  const [unowned] = await Promise.all([
    unownedTargets(domain, expansion, network.dns),
    lookUpCandidate(domain, network, expansion),
  ]);
  return withFindings(resultOf(expansion), [...disagreements, ...unowned]);
}

/** Names to ask about; a record within its limits has ten terms with lookups. */
const MAX_UNOWNED = 10;

/** Terms whose names do not exist, below a domain that nobody has registered. */
async function unownedTargets(
  domain: string,
  { includeTree, mechanisms }: Expansion,
  dns: Dns,
): Promise<readonly Finding[]> {
  const root = { domain, terms: mechanisms, children: includeTree };
  const nodes = [root, ...includeTree.flatMap((node) => [...records(node)])];
  const missing = nodes.flatMap((node) =>
    termsOf(node).flatMap(({ term, child }) => {
      const { ignored, text, qualifier, kind } = term;
      const isMissing = child === undefined ? term.state === 'absent' : child.problem === 'no-record';
      // Nothing was looked up for these.
      const isOpen = term.dependsOnMessage || kind === 'ptr';
      const name = term.dependsOnMessage ? fixedNameOf(term, node.domain, domain) : term.domain;
      // Another qualifier makes no client pass.
      const isUsed = ignored === undefined && (qualifier === null || qualifier === '+');
      return isUsed && (isMissing || isOpen) && typeof name === 'string'
        ? [{ at: node.domain, text, name }]
        : [];
    }),
  );
  const first = [...new Map(missing.map((one) => [one.name, one])).values()].slice(0, MAX_UNOWNED);
  const findings = await Promise.all(
    first.map(async ({ at, text, name }) => {
      // A name without such a record can still exist.
      const unowned = await unownedBehind(name, await dns.lookup(name, 'TXT'), domain, dns);
      if (unowned === undefined) return [];
      const { owner, target = name } = unowned;
      return [raise('unowned-spf-target', { domain: at, term: excerpt(text), name: excerpt(target), owner })];
    }),
  );
  return findings.flat();
}

/** The end of the names of a term that depend on the message, such as `_spf.example.net` of `exists:%{i}._spf.example.net`. */
function fixedNameOf({ value }: ExpandedTerm, at: string, domain: string): string | undefined {
  const parsed = parseMacroString(value ?? '');
  const suffix = parsed.ok
    ? fixedSuffix(parsed.value, (letter) => (letter === 'd' ? at : domain))
    : undefined;
  return suffix === undefined ? undefined : canonicalName(suffix);
}

/** What a record within its limits can cause (RFC 7208 section 4.6.4): 10 terms with lookups, and the hosts of some. */
const CANDIDATE_LIMITS = { records: 12, questions: 60 };

/**
 * Looks up what the recommended record would depend on, where the published records list nobody, everybody, or are several:
 * the lookups of a check run are all that a recommendation is proven from.
 */
async function lookUpCandidate(
  domain: string,
  { dns }: Pick<Network, 'dns'>,
  { records, allPolicy, status }: Expansion,
): Promise<void> {
  if (status === 'unknown' || allPolicy === '-all' || allPolicy === '~all') return;
  const record = records === undefined ? await recordOfMailboxes(domain, dns) : merged(records);
  if (record === undefined) return;
  const set = { name: canonicalName(domain), type: 'TXT', ttl: 0, values: [record] } as const;
  await expand(domain, overlayDns(dns, [set]).dns, { limits: CANDIDATE_LIMITS });
}

async function recordOfMailboxes(domain: string, dns: Dns): Promise<string | undefined> {
  const answer = await dns.lookup(domain, 'MX');
  if (answer.status !== 'found') return undefined;
  const includes = answer.records.flatMap(({ exchange }) => includeForMailboxes(exchange) ?? []);
  return includes.length === 0
    ? undefined
    : recordOf([...new Set(includes)].map((name) => `include:${name}`));
}

/** Other TXT records may differ between name servers. */
function printSpf(text: string): string | undefined {
  return isSpfRecord(text) ? text : undefined;
}

function resultOf({
  domain: _domain,
  status,
  recordLength: _length,
  voidLookupCount: _voids,
  flattened: _flattened,
  unknown: _unknown,
  findings,
  ...shown
}: Expansion): SpfResult {
  return { ...shown, ...outcomeOf(findings), valid: status === 'valid' };
}
