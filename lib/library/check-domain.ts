import markAuthorities from '@postalsys/vmc/data/root-store.json' with { type: 'json' };
import type * as z from 'zod/mini';
import type { shownResults } from '../../shared/api/checks.ts';
import { showChecks } from '../../shared/api/show-checks.ts';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import { recordLookups } from '../../shared/checks/record-lookups.ts';
import type { RecordedLookups } from '../../shared/checks/recorded-lookups.ts';
import type { CheckResults } from '../../shared/checks/results.ts';
import type { UsageType } from '../../shared/checks/state.ts';
import { rootAnchors } from '../../shared/protocol/dnssec/anchors.ts';
import { computeScore } from '../../shared/score/score.ts';
import type { Score } from '../../shared/score/shapes.ts';
import { domainArgument } from './domain-argument.ts';
import { type NetworkOptions, networkOf } from './network.ts';

export interface CheckOptions extends NetworkOptions {
  /** What the domain is used for, which decides what counts. Default: `sends-and-receives`. */
  readonly usageType?: UsageType;
  /** DKIM selectors of the domain to look up beside common ones. */
  readonly dkimSelectors?: readonly string[];
}

/** What a check of a domain found. */
export interface DomainCheck {
  /** In canonical form. */
  readonly domain: string;
  readonly usageType: UsageType;
  /** ISO 8601, UTC. */
  readonly checkedAt: string;
  /** From 0 to 100; null if no lookup got an answer, or if the domain does not exist. */
  readonly score: Score;
  /** The results in the format of the API, with the texts of findings. */
  readonly results: z.output<typeof shownResults>;
  /** What `planFixes` and `simulate` start from. Its content is not part of the promise about versions. */
  readonly evidence: CheckEvidence;
}

/** The results without texts, and the lookups that led to them. It is plain JSON. */
export interface CheckEvidence {
  readonly results: CheckResults;
  readonly lookups: RecordedLookups;
}

/**
 * Checks the email security of a domain: MX with STARTTLS and DANE, SPF, DKIM, DMARC, MTA-STS, TLS-RPT, BIMI, DNSSEC and
 * CAA. Takes at most 17 seconds, and needs no service. What did not answer is `unknown` in its result, never missing.
 * @throws TypeError if `domain` is not the name of a domain. Never throws because of the network.
 */
export async function checkDomain(domain: string, options: CheckOptions = {}): Promise<DomainCheck> {
  const name = domainArgument(domain);
  const { usageType = 'sends-and-receives', dkimSelectors = [] } = options;
  const network = networkOf(options);
  const { dns, lookups } = recordLookups(network.dns);
  const checkedAt = network.clock.now().toISOString();
  const results = await inspectDomain(
    { domain: name, testEmailLocalPart: null, dkimSelectors, knownSelectors: [] },
    {
      network: { ...network, dns },
      trustAnchors: rootAnchors,
      markAnchors: markAuthorities,
      strippedZones: new Map(),
    },
  );
  return {
    ...{ domain: name, usageType, checkedAt },
    score: computeScore(results, usageType),
    results: showChecks(results, { domain: name }),
    evidence: { results, lookups: lookups() },
  };
}
