/**
 * Plans the changes that improve a domain, from stored results alone. A change is proposed only if a prediction over the
 * stored lookups proves what it says: the findings that it resolves, its gain, and that it introduces no error or warning.
 */
import { findingsOf } from '../checks/checks.ts';
import { existsInDns } from '../checks/existence.ts';
import { differenceOf, placedFindings } from '../checks/preview/difference.ts';
import type { RecordedLookups } from '../checks/recorded-lookups.ts';
import type { CheckResults } from '../checks/results.ts';
import { checkNames } from '../checks/state.ts';
import { describeFor, isFailedLookup } from '../protocol/findings/catalogue.ts';
import type { Finding } from '../protocol/findings/finding.ts';
import type { ZoneSet } from '../protocol/zone-file/record-set.ts';
import { authorizesAnyone } from '../score/credit/spf.ts';
import { computeScore } from '../score/score.ts';
import { decideDmarc, safeDmarc } from './dmarc.ts';
import {
  type Facts,
  type FixClass,
  isWithoutMail,
  type Proposal,
  type Propose,
  publishedSets,
  type Subject,
} from './facts.ts';
import { adviseMx, decideMx, safeMx } from './mx.ts';
import { type Prediction, predictor } from './predict.ts';
import { decideMtaSts, decideTlsRpt, type PolicyFile, policyFile, safeTlsRpt } from './reporting.ts';
import { decideSpf, safeSpf } from './spf.ts';
import { naming } from './spf-senders.ts';

/** A recommended change of one record set. Changes are in order: each one builds on those before it. */
export interface Change extends Proposal {
  /** Identifies the change: the same advice for the same records has the same ID. */
  readonly id: string;
  readonly action: 'add' | 'replace' | 'remove';
  /** In seconds. */
  readonly ttl: number;
  /** The records that must be published for the change to apply; those after the changes before it. */
  readonly before: readonly string[];
  /** Finding IDs of which none remains. */
  readonly resolves: readonly string[];
  /** By how much the score rises after the changes before it. */
  readonly gain: number;
  /** The messages of the findings that it resolves. */
  readonly evidence: readonly string[];
  readonly rollback: string;
  /** How long resolvers may still answer with the old records, in seconds. */
  readonly waitSeconds: number;
}

export interface Plan {
  readonly score: number | null;
  /** The score after all safe changes. */
  readonly scoreAfter: number | null;
  readonly changes: readonly Change[];
  /** Files to serve over HTTPS. They have an effect only with the record that announces them. */
  readonly files: readonly (PolicyFile & { readonly gain: number })[];
  /** What no change of records in this plan resolves. */
  readonly manual: readonly {
    readonly reason: string;
    readonly resolves: readonly string[];
    /** By how much the score can rise at most, together with other advice about the same check. */
    readonly gain: number;
    /** The messages of the findings that it resolves. */
    readonly evidence: readonly string[];
  }[];
}

interface PlanInput extends Subject {
  readonly results: CheckResults;
  /** The lookups that led to the results; without them, no change of records is proposed. */
  readonly lookups: RecordedLookups;
}

/** In seconds: short enough to correct a mistake within the hour. */
const TTL = 3600;

/** What limits a policy by the choice of the owner, and so can come with a stronger one. */
const chosenLimits: readonly string[] = ['dmarc-weaker-subdomain-policy', 'dmarc-partial'];

/** Rules by class, in the order in which their changes are proposed. */
const rules: readonly { readonly class: FixClass; readonly propose: Propose }[] = [
  // A null MX is in order only once the SPF record lists no senders.
  { class: 'safe', propose: safeSpf },
  { class: 'safe', propose: safeMx },
  { class: 'safe', propose: safeDmarc },
  { class: 'safe', propose: safeTlsRpt },
  { class: 'needs-decision', propose: decideSpf },
  { class: 'needs-decision', propose: decideMx },
  { class: 'needs-decision', propose: decideDmarc },
  { class: 'needs-decision', propose: decideTlsRpt },
  { class: 'needs-decision', propose: decideMtaSts },
  { class: 'advice', propose: adviseMx },
];

/** The plan for a domain that has not been checked yet. */
export const emptyPlan: Plan = { score: null, scoreAfter: null, changes: [], files: [], manual: [] };

/** Plans the changes for a domain. Asks nothing of the network. */
export async function makePlan(input: PlanInput): Promise<Plan> {
  const prediction = await predictor(input, input.results, input.lookups);
  const describe = describeFor({ domain: input.domain, mailbox: input.mailbox });
  const changes: Change[] = [];
  const sets = new Map<string, ZoneSet>();
  let facts: Facts = factsOf(input, input.results, prediction, []);
  let scoreAfter = scoreOf(facts);
  const file = policyFile(facts);
  // Records of a domain that does not exist can only be published once it is registered, which changes more than them.
  for (const { propose } of existsInDns(input.results) ? rules : []) {
    for (const proposal of await propose(facts)) {
      const proven = await prove(proposal, facts, sets, prediction);
      if (proven === undefined) continue;
      const { set, before, after, resolves, warnings } = proven;
      const gain = (scoreOf(after) ?? 0) - (scoreOf(facts) ?? 0);
      changes.push({
        ...proposal,
        reason: [proposal.reason, ...warnings.map((found) => describe(found).message)].join(' '),
        id: `${proposal.class}:${set.name}:${set.type}`,
        action: before.values.length === 0 ? 'add' : set.values.length === 0 ? 'remove' : 'replace',
        ttl: TTL,
        before: before.values,
        resolves,
        gain,
        evidence: [...new Set(evidenceOf(resolves, facts.results).map((found) => describe(found).message))],
        rollback:
          before.values.length === 0
            ? 'To undo it, remove the record set again.'
            : 'To undo it, publish the earlier records again.',
        waitSeconds: before.values.length === 0 ? TTL : Math.max(before.ttl, TTL),
      });
      sets.set(`${set.name} ${set.type}`, set);
      facts = after;
      if (proposal.class === 'safe') scoreAfter = scoreOf(after);
    }
  }
  return {
    score: scoreOf(input),
    scoreAfter,
    changes,
    files: file === undefined ? [] : [{ ...file, gain: 0 }],
    manual: await manualOf(facts, describe),
  };
}

const scoreOf = ({ results, usageType }: Pick<Facts, 'results' | 'usageType'>): number | null =>
  computeScore(results, usageType).score;

function factsOf(
  { domain, usageType, mailbox, mail, nextPolicy, senders }: Subject,
  results: CheckResults,
  prediction: Prediction,
  sets: readonly ZoneSet[],
): Facts {
  return {
    domain,
    usageType,
    mailbox,
    mail,
    nextPolicy,
    senders,
    results,
    valuesAt: publishedSets(prediction.dns(sets)),
  };
}

/**
 * Applies a proposal to the predicted results. `warnings` are those that it introduces while it ends an error. Undefined if
 * it does not keep what its class promises.
 */
async function prove(
  proposal: Proposal,
  facts: Facts,
  applied: ReadonlyMap<string, ZoneSet>,
  prediction: Prediction,
) {
  const { name, type, after: values } = proposal;
  const before = await facts.valuesAt(name, type);
  if (before === undefined || isSameSet(before.values, values)) return undefined;
  const set: ZoneSet = { name, type, ttl: TTL, values };
  const sets = [...new Map([...applied, [`${name} ${type}`, set]]).values()];
  const results = await predicted(proposal, facts, sets, prediction);
  const { introduced, resolved } = differenceOf(facts.results, results);
  const remaining = new Set(placedFindings(results).map(({ id }) => id));
  const resolves = [...new Set(resolved.map(({ id }) => id))].filter((id) => !remaining.has(id));
  const after = factsOf(facts, results, prediction, sets);
  const endsError = resolved.some(({ severity }) => severity === 'error');
  const isDecided = ({ id }: { readonly id: string }) => endsError || chosenLimits.includes(id);
  const isHarmful = introduced.some(
    (found) =>
      isFailedLookup(found) ||
      found.severity === 'error' ||
      (found.severity === 'warning' && (proposal.class === 'safe' || !isDecided(found))),
  );
  const gain = (scoreOf(after) ?? 0) - (scoreOf(facts) ?? 0);
  if (isHarmful || gain < 0 || (resolves.length === 0 && gain === 0)) return undefined;
  if (proposal.class === 'safe' && !keepsMail(facts, results)) return undefined;
  const warnings = introduced
    .filter(({ severity }) => severity === 'warning')
    .flatMap(({ check, id, subject }) =>
      findingsOf(check, results).filter((found) => found.id === id && found.subject === subject),
    );
  return { set, before, after, resolves, warnings };
}

/**
 * Whether a change keeps all mail as it is: every host that passes SPF still passes, alignment is not stricter, and no
 * receiver is asked to treat mail worse, unless the domain has no mail.
 */
function keepsMail(facts: Facts, after: CheckResults): boolean {
  const { spf, dmarc } = facts.results;
  const passes = (ips: readonly string[]) => [...ips].sort().join();
  const keepsSpf =
    !spf.valid ||
    !authorizesAnyone(spf) ||
    (after.spf.valid && passes(spf.flattenedIps) === passes(after.spf.flattenedIps));
  const keepsAll = isWithoutMail(facts) || spf.record === null || spf.allPolicy === after.spf.allPolicy;
  const keepsAlignment = (['aspf', 'adkim'] as const).every(
    (tag) => dmarc[tag] === 's' || after.dmarc[tag] !== 's',
  );
  const keepsPolicy =
    isWithoutMail(facts) ||
    [after.dmarc.effectivePolicy, after.dmarc.subdomainPolicy, after.dmarc.nonexistentSubdomainPolicy].every(
      (policy, index) =>
        policy === null ||
        policy === 'none' ||
        policy === [dmarc.effectivePolicy, dmarc.subdomainPolicy, dmarc.nonexistentSubdomainPolicy][index],
    );
  return keepsSpf && keepsAll && keepsAlignment && keepsPolicy;
}

/** MTA-STS depends on files, too: the results with a valid record and, if none is served, with the policy of the plan. */
async function predicted(
  { name, type }: Proposal,
  facts: Facts,
  sets: readonly ZoneSet[],
  prediction: Prediction,
): Promise<CheckResults> {
  const { results, domain } = facts;
  if (type === 'MX' && results.mx.records.some(({ exchange }) => exchange !== '.'))
    return withoutBrokenHosts(facts, sets);
  const computed = await prediction.results(sets);
  const isRecord = name === `_mta-sts.${domain}`;
  const kept = { ...computed, mtaSts: results.mtaSts };
  if (!isRecord) return kept;
  const text = sets.find((set) => set.name === name)?.values.at(-1) ?? null;
  const { mtaSts } = results;
  const record = /^mta-sts-(?:missing|policy-without-record|multiple-records|record-|id-|fields-repeated)/;
  const findings = mtaSts.findings.filter(({ id }) => !record.test(id));
  const isServed = mtaSts.policyMode !== null;
  return {
    ...kept,
    mtaSts: {
      ...mtaSts,
      findings,
      state: findings.some(({ severity }) => severity === 'error') ? 'fail' : 'pass',
      valid: !findings.some(({ severity }) => severity === 'error'),
      dnsRecord: text,
      policyFetched: true,
      policyMode: isServed ? mtaSts.policyMode : 'testing',
    },
  };
}

/** Without the MX hosts that the set no longer names, and without their findings. */
function withoutBrokenHosts({ results, domain }: Facts, sets: readonly ZoneSet[]): CheckResults {
  const values = sets.find(({ name, type }) => name === domain && type === 'MX')?.values ?? [];
  const keeps = (exchange: string) => values.some((value) => value.endsWith(` ${exchange}`));
  const { mx } = results;
  const gone = new Set(mx.records.map(({ exchange }) => exchange).filter((exchange) => !keeps(exchange)));
  return {
    ...results,
    mx: {
      ...mx,
      records: mx.records.filter(({ exchange }) => keeps(exchange)),
      hosts: mx.hosts.filter(({ hostname }) => keeps(hostname)),
      findings: mx.findings.filter(({ id, subject }) => id !== 'mx-null-mixed' && !gone.has(subject ?? '')),
    },
  };
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((value) => others.includes(value));
}

function evidenceOf(ids: readonly string[], results: CheckResults): readonly Finding[] {
  return checkNames.flatMap((check) => findingsOf(check, results)).filter(({ id }) => ids.includes(id));
}

/** The fixes of the findings that remain, apart from failed lookups and from checks that do not count for the usage type. */
async function manualOf(
  { results, usageType, senders }: Facts,
  describe: (found: Finding) => { readonly fix: string; readonly message: string },
): Promise<Plan['manual']> {
  const { components } = computeScore(results, usageType);
  const gains = new Map<string, number>(components.map(({ component, gain }) => [component, gain]));
  const found = placedFindings(results)
    .filter((one) => !isFailedLookup(one))
    .filter(({ check, severity }) => gains.has(check) || severity === 'error');
  const ids = found.map(({ id }) => id);
  const named = ids.some((id) => NEEDS_SENDERS.has(id)) ? naming(await senders?.()) : '';
  return [...new Set(ids)].map((id) => {
    const described = evidenceOf([id], results).map(describe);
    const fixes = described.map(({ fix }) => fix);
    const check = found.find((one) => one.id === id)?.check ?? '';
    const texts = NEEDS_SENDERS.has(id) && named !== '' ? [...fixes, named] : fixes;
    return {
      reason: [...new Set(texts)].join(' '),
      resolves: [id],
      gain: gains.get(check) ?? 0,
      evidence: [...new Set(described.map(({ message }) => message))],
    };
  });
}

/** Findings whose fix asks the owner to list all senders. */
const NEEDS_SENDERS: ReadonlySet<string> = new Set([
  'spf-missing',
  'spf-pass-all',
  'spf-neutral-all',
  'spf-no-all',
]);
