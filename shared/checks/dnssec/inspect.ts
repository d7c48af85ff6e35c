/**
 * The DNSSEC check (RFC 4033 to 4035): whether the zone of the domain is signed, its signatures are valid now, and a
 * chain of trust leads to it. Besides the keys, it validates the record sets that mail depends on (SOA, MX, TXT, the
 * DMARC and MTA-STS records), or the proof that they do not exist, because a single record set of a valid zone can be
 * broken. The MX check validates the TLSA records of MX hosts.
 */
import * as z from 'zod/mini';
import type { Clock, Network } from '../../network/ports.ts';
import {
  type Answer,
  type Dns,
  type DsRecord,
  isNonExistent,
  type LookupOptions,
  type RecordSet,
  type Unavailable,
  whyFailed,
} from '../../protocol/dns.ts';
import type { Authentication, Validator } from '../../protocol/dnssec/chain.ts';
import {
  decisive,
  delegatedKeys,
  isSupportedAlgorithm,
  isSupportedDs,
  usesSha1,
  type ZoneKey,
  zoneKeys,
} from '../../protocol/dnssec/dnskey.ts';
import { enclosingZone, setOf } from '../../protocol/dnssec/enclosing-zone.ts';
import { isValidated, type Reason, verdictReasons } from '../../protocol/dnssec/reasons.ts';
import type { Verifier } from '../../protocol/dnssec/signature.ts';
import { dnssecFinding, dnssecRules } from '../../protocol/findings/dnssec.ts';
import { type Finding, raiser } from '../../protocol/findings/finding.ts';
import { outcomeOf, withFindings } from '../outcome.ts';
import { type Asked, automationFindings } from './automation.ts';
import { type InspectedServers, inspectServers } from './name-servers.ts';
import { type DnssecResult, dnssecResult } from './result.ts';
import { servedFindings, signingFindings } from './signing.ts';

/**
 * How long before its expiration a signature should have been renewed, in seconds: signers renew days ahead (RFC 6781
 * section 4.4.2). Servers that sign each answer create signatures for a day or two: these are late in the last quarter.
 */
const RENEWAL_MARGIN = 3 * 86_400;
const RENEWAL_SHARE = 1 / 4;

/** More DS records than a delegation needs are not listed. */
const MAX_DS_SHOWN = 32;

const withDnssec = { dnssec: true, checkingDisabled: true } as const satisfies LookupOptions;
const raise = raiser(dnssecRules);

/** Reasons that say something about the domain although its record sets are not bogus. */
const notable: ReadonlySet<Reason['code']> = new Set(['nsec3-iterations', 'budget-spent']);

/** The facts about the zone that contains the domain. */
interface ZoneFacts {
  readonly zone: string;
  readonly keys: readonly ZoneKey[];
  readonly ds: readonly DsRecord[];
  /** The authentication of the zone: of its DNSKEY record set, or of its SOA record if it has no keys. */
  readonly chain: Authentication;
  /** Problems of the record sets of the zone itself, independent of its parent zones. */
  readonly broken: readonly Reason[];
  /** Why validating resolvers reject a record set that mail depends on, if the chain of trust to the zone is valid. */
  readonly rejected: readonly Reason[];
  /** What else validation found about these record sets: what is not protected, and what is too costly. */
  readonly noted: readonly Reason[];
  /** Valid signatures that expire soon. */
  readonly ending: readonly Finding[];
  /** What the zone asks of its parent, and how it is signed. */
  readonly advice: readonly Finding[];
  /** Record sets of the zone whose lookup failed, so that they were not validated. */
  readonly failedLookups: readonly Finding[];
}

/**
 * Checks `domain` or, if it is not a zone of its own, the zone that contains it. If the resolver is known to strip
 * DNSSEC records, the state is `unknown` without any lookup. Never throws.
 */
export async function inspectDnssec(
  domain: string,
  network: Network,
  validator: Validator,
): Promise<DnssecResult> {
  const servers = inspectServers(network, domain);
  const [result, { findings }] = await Promise.all([
    inspectSignatures(domain, network, validator, servers),
    servers,
  ]);
  return withFindings(result, findings);
}

async function inspectSignatures(
  domain: string,
  { dns, clock }: Network,
  validator: Validator,
  servers: Promise<InspectedServers>,
): Promise<DnssecResult> {
  const stripped = validator.stripped(domain);
  if (stripped !== undefined) return withoutZone(dnssecFinding(stripped));
  const [soa, mx, txt, dmarc, mtaSts, ownKeys, ownDs] = await Promise.all([
    dns.lookup(domain, 'SOA', withDnssec),
    dns.lookup(domain, 'MX', withDnssec),
    dns.lookup(domain, 'TXT', withDnssec),
    dns.lookup(`_dmarc.${domain}`, 'TXT', withDnssec),
    dns.lookup(`_mta-sts.${domain}`, 'TXT', withDnssec),
    dns.lookup(domain, 'DNSKEY', withDnssec),
    dns.lookup(domain, 'DS', withDnssec),
  ]);
  if (isNonExistent(soa)) {
    return withoutZone(raise('dnssec-no-such-name', { domain }));
  }
  if (soa.status === 'unavailable') return withoutZone(notAnswered(domain, 'SOA', soa));
  const isZone = soa.status === 'found' && soa.aliases.length === 0;
  const holder = isZone ? ({ status: 'found', name: domain } as const) : await enclosingZone(dns, domain);
  if (holder.status === 'unknown') return withoutZone(dnssecFinding(holder.reason));
  const zone = holder.name;
  const [apexSoa, keys, ds] = isZone
    ? ([soa, ownKeys, ownDs] as const)
    : await Promise.all([
        dns.lookup(zone, 'SOA', withDnssec),
        dns.lookup(zone, 'DNSKEY', withDnssec),
        dns.lookup(zone, 'DS', withDnssec),
      ]);
  if (keys.status === 'unavailable') return withoutZone(notAnswered(zone, 'DNSKEY', keys));
  if (ds.status === 'unavailable') return withoutZone(notAnswered(zone, 'DS', ds));
  const failedLookups = [mx, txt].flatMap((answer, at) =>
    answer.status === 'unavailable' ? [notAnswered(domain, at === 0 ? 'MX' : 'TXT', answer)] : [],
  );
  const judged = keys.status === 'found' ? keys : apexSoa;
  const [chain, ...answers] = await Promise.all([
    authenticate(validator, judged, zone),
    // These names may be aliases or zones of their own, so the chain of trust decides whose signatures they need.
    ...[mx, txt, dmarc, mtaSts].map((answer) =>
      answer.status === 'unavailable' ? undefined : validator.authenticate(answer),
    ),
  ]);
  const judgedAnswers = isValidated(chain) ? answers.filter((answer) => answer !== undefined) : [];
  const dsRecords = ds.status === 'found' ? ds.records : [];
  const keySet = setOf(keys, zone, 'DNSKEY');
  const zoneSets = [
    signedAsServed(apexSoa, setOf(apexSoa, zone, 'SOA'), keys),
    signedAsServed(mx, setOf(mx, domain, 'MX'), keys),
    signedAsServed(txt, setOf(txt, domain, 'TXT'), keys),
  ];
  const zoneKeySet = keySet === undefined ? [] : zoneKeys(keySet.rdata);
  const asked = zoneKeySet.length === 0 ? undefined : await askForAutomation(zone, dns);
  const signing = signingFindings(zone, zoneKeySet, dsRecords, {
    soa: setOf(apexSoa, zone, 'SOA'),
    denials: [mx, txt, dmarc, mtaSts, ...(asked === undefined ? [] : [asked.cds, asked.cdnskey])].flatMap(
      (answer) => (answer.status === 'absent' ? (answer.denial?.sets ?? []) : []),
    ),
  });
  return conclude({
    zone,
    keys: zoneKeySet,
    advice: [
      ...(asked === undefined ? [] : automationFindings(zone, zoneKeySet, dsRecords, asked)),
      ...signing,
      ...(zoneKeySet.length === 0
        ? []
        : await servedFindings(zone, zoneKeySet, (await servers).soas, validator.verifier)),
    ],
    ds: dsRecords,
    chain,
    failedLookups,
    ...(keySet === undefined
      ? { broken: [], ending: [] }
      : await judgeSets(zone, keySet, zoneSets, dsRecords, clock, validator.verifier)),
    rejected: judgedAnswers.flatMap(({ status, reasons }) => (status === 'bogus' ? reasons : [])),
    noted: judgedAnswers.flatMap(({ reasons }) => reasons.filter(({ code }) => notable.has(code))),
  });
}

async function askForAutomation(zone: string, dns: Dns): Promise<Asked> {
  const [cds, cdnskey] = await Promise.all([
    dns.lookup(zone, 'CDS', withDnssec),
    dns.lookup(zone, 'CDNSKEY', withDnssec),
  ]);
  return { cds, cdnskey };
}

/** A record set without signatures counts only if it came from the resolver that returned the signatures of the keys. */
function signedAsServed(
  answer: Answer<unknown>,
  set: RecordSet | undefined,
  keys: Answer<unknown>,
): RecordSet | undefined {
  return set?.signatures.length === 0 && answer.evidence.server !== keys.evidence.server ? undefined : set;
}

/**
 * Validates the record sets of a zone with its own keys. The DNSKEY record set must be signed by a key that a DS record
 * matches (by any key if there is no DS record). SHA-1 counts only if the zone uses nothing else.
 */
async function judgeSets(
  zone: string,
  keySet: RecordSet,
  others: readonly (RecordSet | undefined)[],
  ds: readonly DsRecord[],
  clock: Clock,
  verifier: Verifier,
): Promise<{ readonly broken: readonly Reason[]; readonly ending: readonly Finding[] }> {
  const allKeys = zoneKeys(keySet.rdata);
  const now = clock.now();
  const decides = decisiveOf(allKeys, ds);
  if (decides.length === 0) return { broken: [{ code: 'algorithm-unsupported', zone }], ending: [] };
  const isSha1 = decides.every(usesSha1);
  const keys = allKeys.filter((key) => isSha1 || !usesSha1(key));
  const entry = ds.length === 0 ? keys : delegatedKeys(zone, keys, ds);
  const broken: Reason[] = entry.length === 0 ? [{ code: 'ds-mismatch', zone }] : [];
  const ending: Finding[] = [];
  for (const set of [keySet, ...others]) {
    if (set === undefined) continue;
    const signers = set === keySet && entry.length > 0 ? entry : keys;
    const verdict = await verifier.verify(set, zone, signers);
    broken.push(...verdictReasons(set, verdict));
    if (verdict.status !== 'good') continue;
    const { inception, expiration } = verdict.signature;
    const margin = Math.min(RENEWAL_MARGIN, (expiration - inception) * RENEWAL_SHARE);
    if (expiration - now.getTime() / 1000 < margin) {
      const at = new Date(expiration * 1000).toISOString();
      ending.push(raise('dnssec-signature-expires-soon', { set: `${set.name} ${set.type}`, at }));
    }
  }
  return { broken, ending };
}

/** The supported DS records that decide about a zone; its keys if it has no DS record. */
function decisiveOf(
  keys: readonly ZoneKey[],
  ds: readonly DsRecord[],
): readonly { readonly algorithm: number }[] {
  if (ds.length > 0) return decisive(ds.filter(isSupportedDs));
  return decisive(keys.filter(({ algorithm }) => isSupportedAlgorithm(algorithm)));
}

function conclude(facts: ZoneFacts): DnssecResult {
  const { zone, keys, ds, chain, broken, rejected, ending, advice, failedLookups, noted } = facts;
  const enabled = keys.length > 0;
  // An unknown chain is not the fault of the domain, whatever its record sets look like from here.
  const allReasons =
    chain.status === 'unknown' ? chain.reasons : [...broken, ...chain.reasons, ...rejected, ...noted];
  const reasons = new Map(allReasons.map((reason) => [identityOf(reason), reason]));
  const findings = [...reasons.values()].flatMap((reason) => {
    if (reason.code === 'algorithm-deprecated') {
      return reason.zone === zone ? [] : [raise('dnssec-parent-sha1', { zone, parent: reason.zone })];
    }
    if (reason.code === 'opt-out') return [];
    if (reason.code !== 'ds-absent') return [dnssecFinding(reason)];
    if (!enabled) return [];
    return reason.zone === zone
      ? [raise('dnssec-no-ds', { zone })]
      : [raise('dnssec-parent-not-signed', { zone, parent: reason.zone })];
  });
  if (enabled && chain.status !== 'unknown')
    findings.push(...failedLookups, ...ending, ...advice, ...adviceOn(keys, ds, zone));
  if (!enabled && ds.length === 0 && chain.status === 'insecure') {
    return withoutZone(raise('dnssec-not-signed', { zone }));
  }
  return {
    ...outcomeOf(findings),
    enabled,
    valid: enabled && [...broken, ...rejected].every(({ code }) => code === 'budget-spent'),
    chainValid: chain.status === 'secure',
    dsRecords: ds.slice(0, MAX_DS_SHOWN).map(({ keyTag, algorithm, digestType, digest }) => ({
      keyTag,
      algorithm,
      digestType,
      digest: Buffer.from(digest).toString('hex').toUpperCase(),
    })),
  };
}

/** Which reasons are one finding. Everything after the budget was spent has the same one. */
function identityOf(reason: Reason): string {
  return reason.code === 'budget-spent' ? reason.code : JSON.stringify(reason);
}

function adviceOn(keys: readonly ZoneKey[], ds: readonly DsRecord[], zone: string): Finding[] {
  const findings: Finding[] = [];
  const shown = ds.slice(0, MAX_DS_SHOWN);
  const stale = shown.filter((it) => isSupportedDs(it) && delegatedKeys(zone, keys, [it]).length === 0);
  if (stale.length < shown.length) {
    const tags = new Set(stale.map(({ keyTag }) => keyTag));
    findings.push(...[...tags].map((keyTag) => raise('dnssec-ds-stale', { keyTag })));
  }
  if (ds.length > 0 && ds.every(({ digestType }) => digestType === 1)) findings.push(raise('dnssec-ds-sha1'));
  const [first, ...others] = decisiveOf(keys, ds);
  if (first !== undefined && [first, ...others].every(usesSha1)) {
    findings.push(raise('dnssec-algorithm-sha1', { algorithm: first.algorithm }));
  }
  return findings;
}

async function authenticate(
  validator: Validator,
  answer: Answer<unknown>,
  zone: string,
): Promise<Authentication> {
  if (answer.status === 'found') return validator.authenticate(answer);
  const reason = answer.status === 'absent' ? 'no SOA record' : whyFailed(answer);
  return { status: 'unknown', reasons: [{ code: 'unavailable', name: zone, type: 'SOA', reason }] };
}

function notAnswered(name: string, type: string, answer: Unavailable): Finding {
  return dnssecFinding({ code: 'unavailable', name, type, reason: whyFailed(answer) });
}

function withoutZone(finding: Finding): DnssecResult {
  return z.parse(dnssecResult, outcomeOf([finding]));
}
