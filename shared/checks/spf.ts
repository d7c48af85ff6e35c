/** The SPF check: expands and diagnoses the SPF record of the domain (RFC 7208). */

import type { Network } from '../network/ports.ts';
import { expand } from '../protocol/spf/expand.ts';
import type { Expansion } from '../protocol/spf/expansion.ts';
import { inspectAgreement } from './name-servers.ts';
import { outcomeOf, withFindings } from './outcome.ts';
import type { SpfResult } from './results.ts';

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
  return withFindings(resultOf(expansion), disagreements);
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
