/** Runs all checks of a domain concurrently within one time limit. */

import { abandonment, throwIfAbandoned } from '../network/abandon.ts';
import { withDeadline } from '../network/deadline.ts';
import { once } from '../network/once.ts';
import type { Clock, Network } from '../network/ports.ts';
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
import type { DomainToCheck } from './domain-to-check.ts';
import { limitQueries } from './limit-network.ts';
import { besideDane, inspectMtaSts } from './mta-sts/inspect.ts';
import { inspectMx } from './mx/inspect.ts';
import { probeOnce } from './mx/mail-host.ts';
import type { OnTlsa } from './mx/rollover.ts';
import { withFindings } from './outcome.ts';
import type { Recorder } from './recording/record.ts';
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
  /** Records the run. */
  readonly recorder?: Recorder | undefined;
  /** The time at which signatures have to be valid, if it is not that of the checks. */
  readonly signatureClock?: Clock;
}

export type { DomainToCheck } from './domain-to-check.ts';

/** What has not answered by then is `unknown`. `POST .../checks` answers within 20 seconds, and stores the results in the rest. */
const DEADLINE_MILLISECONDS = 17_000;

/**
 * Runs all checks. Never throws because of the network: whatever fails, is too slow or needs too many lookups is `unknown`
 * in its result. Ends within the deadline plus computing time.
 * @throws Abandoned if nobody waits for the results any more.
 */
export async function inspectDomain(asked: DomainToCheck, context: CheckContext): Promise<CheckResults> {
  const { network, recorder, trustAnchors, markAnchors = [] } = context;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), DEADLINE_MILLISECONDS);
  try {
    const abandoned = abandonment();
    const ends = abandoned === undefined ? [deadline.signal] : [deadline.signal, abandoned];
    const limited = limitQueries(withDeadline(network, AbortSignal.any(ends)));
    const bounded = { ...limited, smtp: probeOnce(limited.smtp, recipientOf(asked)) };
    const stripped = strippedNow(context);
    const results = await (recorder === undefined
      ? inspectOver(bounded, asked, context)
      : inspectOver(
          recorder.recorded(bounded, asked, { trustAnchors, markAnchors, stripped }),
          recorder.watched(asked),
          { ...context, signatureClock: network.clock },
        ));
    throwIfAbandoned();
    return results;
  } finally {
    clearTimeout(timer);
    // Cancels whatever is still in progress, such as a greeting that no check waits for.
    deadline.abort();
  }
}

/** Runs all checks over a network that needs no limits, because it has them or only repeats what it answered before. */
export async function inspectOver(
  network: Network,
  asked: DomainToCheck,
  context: Omit<CheckContext, 'network' | 'recorder'>,
): Promise<CheckResults> {
  const { trustAnchors, markAnchors = [], strippedZones = new Map(), validatorOver } = context;
  const { domain, dkimSelectors = [], knownSelectors, servedChains = [] } = asked;
  const { reportMailbox: mailbox, dkimHistory, onTlsa } = asked;
  const recipient = recipientOf(asked);
  const { network: watched, served } = watchCertificates(network);
  const { dns } = watched;
  const clock = context.signatureClock ?? watched.clock;
  const published = createValidator({ dns, anchors: trustAnchors, clock, strippedZones });
  const validator = validatorOver?.(published) ?? published;
  const results = forEachCheck((name) => once<unknown>(() => inspections[name](domain, run))) as Results;
  const run: Run = {
    ...{ network: watched, validator, recipient, markAnchors, dkimSelectors, knownSelectors, mailbox },
    ...{ servedChains, dkimHistory, onTlsa },
    ...{ results, served },
    aliases: once(() => inspectAliases(domain, Object.values(policyNames(domain)).flat(), dns)),
  };
  const found = await Promise.all(checkNames.map(async (name) => [name, await results[name]()] as const));
  return Object.fromEntries(found) as CheckResults;
}

const recipientOf = ({ domain, testEmailLocalPart }: DomainToCheck): string | undefined =>
  testEmailLocalPart === null ? undefined : `${testEmailLocalPart}@${domain}`;

/** The zones whose signatures are known to be stripped, without a new attempt for now. */
const strippedNow = ({
  network,
  strippedZones = new Map<string, number>(),
}: CheckContext): readonly string[] =>
  [...strippedZones].filter(([, until]) => until > network.clock.now().getTime()).map(([zone]) => zone);

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
