/** Runs all checks of a domain concurrently within one time limit. */

import { abandonment, throwIfAbandoned } from '../network/abandon.ts';
import { withDeadline } from '../network/deadline.ts';
import { once } from '../network/once.ts';
import type { Network } from '../network/ports.ts';
import {
  createValidator,
  type StrippedZones,
  type TrustAnchor,
  type Validator,
} from '../protocol/dnssec/chain.ts';
import type { ServedHosts } from '../protocol/served-chain.ts';
import { inspectBimi } from './bimi/inspect.ts';
import { inspectCaa } from './caa/inspect.ts';
import { type ServedCertificate, watchCertificates } from './caa/served-certificates.ts';
import { forEachCheck } from './checks.ts';
import type { DkimHistory } from './dkim/history.ts';
import { inspectDkim } from './dkim/inspect.ts';
import { compactDenial } from './dmarc/compact-denial.ts';
import { inspectDmarc } from './dmarc/inspect.ts';
import { inspectDnssec } from './dnssec/inspect.ts';
import { findZone } from './dnssec/name-servers.ts';
import { limitQueries } from './limit-network.ts';
import { besideDane, inspectMtaSts } from './mta-sts/inspect.ts';
import { inspectMx } from './mx/inspect.ts';
import { probeOnce } from './mx/mail-host.ts';
import type { OnTlsa } from './mx/rollover.ts';
import { withFindings } from './outcome.ts';
import type { CheckOutcome } from './result-fields.ts';
import type { CheckResults } from './results.ts';
import { inspectSpf } from './spf/inspect.ts';
import { type CheckName, checkNames } from './state.ts';
import { inspectTlsRpt } from './tls-rpt/inspect.ts';
import { inspectAliases } from './unowned.ts';

/** What a check run needs besides its domain: the network, and whom it trusts. */
export interface CheckContext {
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
  /** What the MX hosts served in earlier check runs. */
  readonly servedChains?: ServedHosts | undefined;
  readonly onTlsa?: OnTlsa;
  /** What earlier check runs and reports say about DKIM keys. */
  readonly dkimHistory?: DkimHistory | undefined;
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
  asked: DomainToCheck,
  { network, trustAnchors, markAnchors = [], strippedZones = new Map(), validatorOver }: CheckContext,
): Promise<CheckResults> {
  const { domain, testEmailLocalPart, dkimSelectors = [], knownSelectors, servedChains = [] } = asked;
  const { reportMailbox: mailbox, dkimHistory, onTlsa } = asked;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), DEADLINE_MILLISECONDS);
  try {
    const recipient = testEmailLocalPart === null ? undefined : `${testEmailLocalPart}@${domain}`;
    const abandoned = abandonment();
    const ends = abandoned === undefined ? [deadline.signal] : [deadline.signal, abandoned];
    const limited = limitQueries(withDeadline(network, AbortSignal.any(ends)));
    const { network: bounded, served } = watchCertificates({
      ...limited,
      smtp: probeOnce(limited.smtp, recipient),
    });
    const { dns, clock } = bounded;
    const published = createValidator({ dns, anchors: trustAnchors, clock, strippedZones });
    const validator = validatorOver?.(published) ?? published;
    const results = forEachCheck((name) => once<unknown>(() => inspections[name](domain, run))) as Results;
    const run: Run = {
      ...{ network: bounded, validator, recipient, markAnchors, dkimSelectors, knownSelectors, mailbox },
      ...{ servedChains, dkimHistory, onTlsa },
      ...{ results, served },
      aliases: once(() => inspectAliases(domain, Object.values(policyNames(domain)).flat(), bounded.dns)),
    };
    const found = await Promise.all(checkNames.map(async (name) => [name, await results[name]()] as const));
    throwIfAbandoned();
    return Object.fromEntries(found) as CheckResults;
  } finally {
    clearTimeout(timer);
    // Cancels whatever is still in progress, such as a greeting that no check waits for.
    deadline.abort();
  }
}

/** What the checks of a run share. */
interface Run {
  readonly network: Network;
  readonly validator: Validator;
  /** A mailbox to test with RCPT TO. */
  readonly recipient: string | undefined;
  readonly markAnchors: readonly string[];
  readonly dkimSelectors: readonly string[];
  readonly knownSelectors: readonly string[];
  readonly mailbox: string | undefined;
  readonly servedChains: ServedHosts;
  readonly onTlsa: OnTlsa | undefined;
  readonly dkimHistory: DkimHistory | undefined;
  readonly results: Results;
  /** Findings about aliases at the names of policies. */
  readonly aliases: () => ReturnType<typeof inspectAliases>;
  /** The certificates that hosts served until now. */
  readonly served: () => readonly ServedCertificate[];
}

/** The names at which a policy of the domain is published, with what is looked up there. */
const policyNames = (domain: string) =>
  ({
    dmarc: [[`_dmarc.${domain}`, 'TXT']],
    mtaSts: [
      [`_mta-sts.${domain}`, 'TXT'],
      [`mta-sts.${domain}`, 'A'],
    ],
    tlsRpt: [[`_smtp._tls.${domain}`, 'TXT']],
    bimi: [[`default._bimi.${domain}`, 'TXT']],
  }) as const;

/** A result with the findings about aliases at its names. */
async function withAliases<R extends CheckOutcome>(
  check: keyof ReturnType<typeof policyNames>,
  domain: string,
  { aliases }: Run,
  inspected: R | Promise<R>,
): Promise<R> {
  const [result, found] = await Promise.all([inspected, aliases()]);
  const names: readonly string[] = policyNames(domain)[check].map(([name]) => name);
  const findings = found.filter(({ at }) => names.includes(at)).map(({ finding }) => finding);
  return findings.length === 0 ? result : withFindings(result, findings);
}

/** The results of the checks, each of which runs once, however many others need it. */
type Results = { readonly [Name in CheckName]: () => Promise<CheckResults[Name]> };

const inspections: {
  readonly [Name in CheckName]: (domain: string, run: Run) => Promise<CheckResults[Name]>;
} = {
  mx: (domain, { network, validator, recipient, servedChains: served, onTlsa }) =>
    inspectMx(domain, network, {
      served,
      authenticate: async (answer) => (await validator.authenticate(answer)).status,
      ...(recipient === undefined ? {} : { recipient }),
      ...(onTlsa === undefined ? {} : { onTlsa }),
    }),
  spf: (domain, { network }) => inspectSpf(domain, network),
  dkim: (domain, { network, dkimSelectors: namedSelectors, knownSelectors, dkimHistory: history }) =>
    inspectDkim(domain, network, { namedSelectors, knownSelectors, history }),
  dmarc: async (domain, run) => {
    const { network, mailbox } = run;
    const dmarc = await inspectDmarc(domain, network, { mailbox });
    const added = await compactDenial(domain, dmarc, network.dns);
    return withAliases('dmarc', domain, run, withFindings(dmarc, added));
  },
  mtaSts: async (domain, run) => {
    const { network, results } = run;
    const [mtaSts, { daneSupported }] = await Promise.all([inspectMtaSts(domain, network), results.mx()]);
    return withAliases('mtaSts', domain, run, besideDane(mtaSts, daneSupported));
  },
  tlsRpt: (domain, run) =>
    withAliases('tlsRpt', domain, run, inspectTlsRpt(domain, run.network, { mailbox: run.mailbox })),
  bimi: (domain, run) =>
    withAliases('bimi', domain, run, inspectBimi(domain, run.network, { anchors: run.markAnchors })),
  dnssec: async (domain, { network, validator }) => {
    const [dnssec, zone] = await Promise.all([
      inspectDnssec(domain, network, validator),
      findZone(domain, network.dns),
    ]);
    // Without the name servers of the zone, if their lookup failed.
    return zone === undefined ? dnssec : { ...dnssec, nameServers: zone.servers };
  },
  caa: (domain, { network, results, served }) => {
    const others = Promise.all([results.mx(), results.mtaSts(), results.bimi()]);
    return inspectCaa(domain, network.dns, others.then(served));
  },
};
