/** Runs all eight checks of a domain concurrently within one time limit. */
import { abandonment, throwIfAbandoned } from '../network/abandon.ts';
import { withDeadline } from '../network/deadline.ts';
import type { Network } from '../network/ports.ts';
import {
  createValidator,
  type StrippedZones,
  type TrustAnchor,
  type Validator,
} from '../protocol/dnssec/chain.ts';
import { inspectBimi } from './bimi.ts';
import { inspectDkim } from './dkim.ts';
import { inspectDmarc } from './dmarc.ts';
import { inspectDnssec } from './dnssec.ts';
import { limitQueries } from './limit-network.ts';
import { probeOnce } from './mail-host.ts';
import { besideDane, inspectMtaSts } from './mta-sts.ts';
import { inspectMx } from './mx.ts';
import { findZone } from './name-servers.ts';
import type { CheckResults, DnssecResult } from './results.ts';
import { inspectSpf } from './spf.ts';
import { inspectTlsRpt } from './tls-rpt.ts';

export interface Inspector {
  readonly network: Network;
  readonly trustAnchors: readonly TrustAnchor[];
  /** Trusted roots of mark certificates, in PEM. Without any, no mark certificate counts as verified. */
  readonly markAnchors?: readonly string[];
  /** Trust anchor zones whose DNSSEC records the resolver strips, remembered for later domains. */
  readonly strippedZones?: StrippedZones;
  /** Wraps the validator of a run, for a preview with records that are not published yet. */
  readonly validatorOver?: (validator: Validator) => Validator;
}

export interface DomainToCheck {
  readonly domain: string;
  /** Local part of a mailbox to test with RCPT TO; null if there is none. */
  readonly testEmailLocalPart: string | null;
  /** DKIM selectors that the owner named. */
  readonly dkimSelectors?: readonly string[];
  /** DKIM selectors known from earlier checks, reports and mail tests. */
  readonly knownSelectors: readonly string[];
  /** The email address at which the service receives reports for the domain, if it does. */
  readonly reportMailbox?: string;
}

/** What has not answered by then is `unknown`. `POST .../checks` answers within 20 seconds, and stores the results in the rest. */
const DEADLINE_MILLISECONDS = 17_000;

/**
 * Runs all checks. Never throws because of the network: whatever fails, is too slow or needs too many lookups is `unknown`
 * in its result. Ends within the deadline plus computing time.
 * @throws Abandoned if nobody waits for the results any more.
 */
export async function inspectDomain(
  { domain, testEmailLocalPart, dkimSelectors = [], knownSelectors, reportMailbox: mailbox }: DomainToCheck,
  { network, trustAnchors, markAnchors = [], strippedZones = new Map(), validatorOver }: Inspector,
): Promise<CheckResults> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), DEADLINE_MILLISECONDS);
  try {
    const recipient = testEmailLocalPart === null ? undefined : `${testEmailLocalPart}@${domain}`;
    const abandoned = abandonment();
    const ends = abandoned === undefined ? [deadline.signal] : [deadline.signal, abandoned];
    const limited = limitQueries(withDeadline(network, AbortSignal.any(ends)));
    const bounded = { ...limited, smtp: probeOnce(limited.smtp, recipient) };
    const { dns, clock } = bounded;
    const published = createValidator({ dns, anchors: trustAnchors, clock, strippedZones });
    const validator = validatorOver?.(published) ?? published;
    const [mx, spf, dkim, dmarc, mtaSts, tlsRpt, bimi, dnssec, zone] = await Promise.all([
      inspectMx(domain, bounded, {
        authenticate: async (answer) => (await validator.authenticate(answer)).status,
        ...(recipient === undefined ? {} : { recipient }),
      }),
      inspectSpf(domain, bounded),
      inspectDkim(domain, bounded, { namedSelectors: dkimSelectors, knownSelectors }),
      inspectDmarc(domain, bounded, { mailbox }),
      inspectMtaSts(domain, bounded),
      inspectTlsRpt(domain, bounded, { mailbox }),
      inspectBimi(domain, bounded, { anchors: markAnchors }),
      inspectDnssec(domain, bounded, validator),
      findZone(domain, dns),
    ]);
    throwIfAbandoned();
    return {
      mx,
      spf,
      dkim,
      dmarc,
      mtaSts: besideDane(mtaSts, mx.daneSupported),
      tlsRpt,
      bimi,
      dnssec: withServers(dnssec, zone?.servers),
    };
  } finally {
    clearTimeout(timer);
    // Cancels whatever is still in progress, such as a greeting that no check waits for.
    deadline.abort();
  }
}

/** With the name servers of the zone, unless their lookup failed. */
function withServers(dnssec: DnssecResult, nameServers: readonly string[] | undefined): DnssecResult {
  return nameServers === undefined ? dnssec : { ...dnssec, nameServers };
}
