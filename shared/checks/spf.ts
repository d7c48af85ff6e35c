/** The SPF check: expands and diagnoses the SPF record of the domain (RFC 7208). */

import type { Network } from '../network/ports.ts';
import type { Dns } from '../protocol/dns.ts';
import { expand } from '../protocol/spf/expand.ts';
import type { Expansion } from '../protocol/spf/expansion.ts';
import { termsForMxHosts } from '../protocol/spf/mx-includes.ts';
import { isSpfRecord } from '../protocol/spf/record.ts';
import { inspectAgreement } from './name-servers.ts';
import { outcomeOf, withFindings } from './outcome.ts';
import { overlayDns } from './preview/overlay.ts';
import type { SpfResult } from './results.ts';

/** A domain with more SPF records than this gets no proposal to merge them. */
const MAX_RECORDS = 3;

/** The lookups for each of them. A merge causes at most ten (RFC 7208 section 4.6.4), some of which lead to several hosts. */
const MAX_QUESTIONS = 50;

/** Checks the SPF record of `domain`. The state is `unknown` if a lookup of its include tree failed. Never throws. */
export async function inspectSpf(
  domain: string,
  network: Pick<Network, 'dns' | 'authorities'>,
): Promise<SpfResult> {
  const question = { domain, name: domain, type: 'TXT', records: 'SPF', print: printSpf } as const;
  const [expansion, disagreements] = await Promise.all([
    expand(domain, network.dns).then(async (expanded) => {
      await lookUpReplacements(domain, expanded, network.dns);
      return expanded;
    }),
    inspectAgreement(network, question),
  ]);
  return withFindings(resultOf(expansion), disagreements);
}

/**
 * Follows the records that a recommended change can be made of: each of several, which receivers do not follow, or one for the
 * MX hosts if the present one authorizes nobody. No result depends on it, but such a change can be proven only with the lookups of
 * the check run.
 */
async function lookUpReplacements(
  domain: string,
  { records, flattenedIps, allPolicy }: Expansion,
  dns: Dns,
): Promise<void> {
  const texts = records?.filter(isSpfRecord).slice(0, MAX_RECORDS) ?? [];
  if (texts.length === 0 && (flattenedIps.length === 0 || allPolicy === '+all')) {
    const mx = await dns.lookup(domain, 'MX');
    const hosts = mx.status === 'found' ? mx.records.map(({ exchange }) => exchange) : [];
    const terms = termsForMxHosts(hosts.filter((host) => host !== ''));
    // The check of MX records looks up what `mx` needs.
    if (terms?.includes('include:')) texts.push(`v=spf1 ${terms} ~all`);
  }
  await Promise.all(
    texts.map((text) =>
      expand(domain, overlayDns(dns, [{ name: domain, type: 'TXT', ttl: 0, values: [text] }]).dns, {
        limits: { questions: MAX_QUESTIONS },
      }),
    ),
  );
}

/** Other TXT records may differ between name servers. */
function printSpf(text: string): string | undefined {
  return /^v=spf1( |$)/i.test(text) ? text : undefined;
}

function resultOf({
  record,
  records,
  version,
  status,
  allPolicy,
  mechanisms,
  includeTree,
  lookupBreakdown,
  totalLookupCount,
  flattenedIps,
  detectedProviders,
  findings,
}: Expansion): SpfResult {
  return {
    ...outcomeOf(findings),
    record,
    ...(records === undefined ? {} : { records }),
    version,
    valid: status === 'valid',
    allPolicy,
    mechanisms,
    includeTree,
    lookupBreakdown,
    totalLookupCount,
    flattenedIps,
    detectedProviders,
  };
}
