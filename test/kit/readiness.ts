/** Assesses the readiness of `example.org` from reports, check results and decisions that a test states. */
import { expect } from '@jest/globals';
import type { CheckResults } from '../../shared/checks/results.ts';
import type { UsageType } from '../../shared/checks/state.ts';
import { assessReadiness } from '../../shared/enforcement/assess.ts';
import { senderGroups } from '../../shared/enforcement/senders.ts';
import type { EnforcementRule, SenderStatus } from '../../shared/enforcement/shapes.ts';
import type {
  DaySummary,
  PublishedPolicy,
  RecordSummary,
} from '../../shared/reports/dmarc/summary/shapes.ts';
import type { ChecksEntry } from '../../shared/store/check-runs/history.ts';
import type { SenderDecision } from '../../shared/store/enforcement/decisions.ts';
import { dayNumber, history, owner, ownMail, policy, reportFrom } from './report-history.ts';
import { perfectResults } from './results.ts';

/** The number of the present day. */
export const TODAY = 450;
const now = new Date(`${dayNumber(TODAY)}T12:00:00Z`);

/** Decisions about the senders of these records. */
export function decisions(
  ...given: readonly (readonly [RecordSummary, SenderStatus])[]
): Map<string, SenderDecision> {
  const { groupOf } = senderGroups(owner);
  return new Map(
    given.map(([record, status]) => [
      groupOf(record).id,
      {
        senderId: groupOf(record).id,
        status,
        note: null,
        changedAt: '2026-01-01T00:00:00Z',
        changedBy: null,
      },
    ]),
  );
}

const approvedOwn = decisions([ownMail(), 'approved']);

/** The domains of four reporters; three of them are large receivers. */
export const reporters = ['google.com', 'dmarc.yahoo.com', 'microsoft.com', 'fastmaildmarc.com'];

/** The same records every day from each of four authenticated reporters. */
export function steady(
  records: (n: number) => readonly RecordSummary[],
  { from = 0, ...published }: { from?: number } & Partial<PublishedPolicy> = {},
): DaySummary[] {
  return history(from, TODAY, (n) =>
    reporters.map((domain) => reportFrom(domain, records(n), { policy: policy(published) })),
  );
}

/** The days of `first` before day `n`, and those of `second` from then on. */
export const switched = (
  n: number,
  first: readonly DaySummary[],
  second: readonly DaySummary[],
): DaySummary[] => [
  ...first.filter(({ day }) => day < dayNumber(n)),
  ...second.filter(({ day }) => day >= dayNumber(n)),
];

/** The published record, by default one with p=none and nothing else wrong, and what the owner decided. */
export interface Given {
  readonly record?: string;
  readonly results?: (perfect: CheckResults) => Partial<CheckResults>;
  /** Whether there was a check run. */
  readonly isChecked?: boolean;
  readonly entries?: readonly ChecksEntry[];
  readonly keptFrom?: string;
  readonly usageType?: UsageType;
  readonly usedSelectors?: readonly string[];
  readonly decided?: ReadonlyMap<string, SenderDecision>;
  readonly attested?: readonly ('volume' | 'seasonalSenders' | 'forwardingLoss')[];
}

/** A DMARC record with these tags. */
export const recordWith = (tags: string): string => `v=DMARC1; ${tags}; rua=mailto:a@example.org`;

/** The policy of a domain that took the first step, and its record. */
export const atQuarantine = { p: 'quarantine' } as const;
export const quarantineRecord = recordWith('p=quarantine');

/** What is assessed of `example.org` from these reports; its own mail is approved by default. */
export async function assessed(days: readonly DaySummary[], given: Given = {}) {
  const { record = recordWith('p=none'), usageType = 'sends-and-receives', isChecked = true } = given;
  const perfect = perfectResults('sends-and-receives');
  const dmarc = { ...perfect.dmarc, record, rua: ['mailto:a@example.org'] };
  const results = { ...perfect, dmarc, ...given.results?.({ ...perfect, dmarc }) };
  const attestation = { at: '2026-01-01T00:00:00Z', by: null };
  const attested = (name: 'volume' | 'seasonalSenders' | 'forwardingLoss') =>
    given.attested?.includes(name) ? attestation : null;
  return assessReadiness(
    { id: 'd', domain: owner, usageType },
    {
      summaries: {
        readSummaries: async () => days.slice(-30),
        async *eachDay() {
          yield* days;
        },
      },
      decisions: {
        list: async () => given.decided ?? approvedOwn,
        attestations: async () => ({
          volume: attested('volume'),
          seasonalSenders: attested('seasonalSenders'),
          forwardingLoss: attested('forwardingLoss'),
        }),
        decide: async () => 'changed',
        attest: async () => 'changed',
      },
      checks: {
        latest: async () => (isChecked ? { checkedAt: now.toISOString(), results } : undefined),
        latestOfMany: async () => new Map(),
        latestWithLookups: async () => undefined,
        keep: async () => true,
      },
      history: {
        checks: async () => ({ entries: [...(given.entries ?? [])], hasMore: false }),
        keptFrom: () => given.keptFrom ?? null,
      },
      selectors: { provenSince: async () => [...(given.usedSelectors ?? [])] },
      clock: { now: () => now },
    },
  );
}

export async function assess(...args: Parameters<typeof assessed>) {
  const { readiness } = await assessed(...args);
  for (const one of readiness.rule) expectNumbers(one);
  return readiness;
}

/** The numbers of a rule say the same as its sentences: it holds if all of them are within their limits. */
function expectNumbers({ id, measures, attested, holds }: EnforcementRule): void {
  const within = measures.every(({ atLeast, atMost, actual }) =>
    actual === null
      ? // Without approved mail, it is not known that mail passes; of a sender with little, nothing is asked.
        !measures.some(({ measure }) => measure === 'approvedPassed') || measures[0]?.actual !== null
      : (atLeast === null || actual >= atLeast) && (atMost === null || actual <= atMost),
  );
  if (id !== 'record-known') expect([id, measures, holds]).toEqual([id, measures, within || attested]);
  if (attested) expect(within).toBe(false);
}

/** The names of the rules that do not hold. */
export const broken = async (...args: Parameters<typeof assess>) =>
  (await assess(...args)).rule.filter(({ holds }) => !holds).map(({ name }) => name);

export const rule = async (name: string, ...args: Parameters<typeof assess>) =>
  (await assess(...args)).rule.find((one) => one.name === name);
