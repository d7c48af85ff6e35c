/** What is behind the figures of a sender: its addresses, who reported it, and why receivers did not apply the policy. */
import type { DaySummary, RecordSummary } from '../reports/dmarc/summary/shapes.ts';
import { passed, senderGroups } from './senders.ts';

/** Messages with something in common, and how many of them passed DMARC. */
export interface Portion {
  readonly name: string;
  readonly messages: number;
  readonly passedMessages: number;
}

export interface SenderDetails {
  /** Those with most messages, at most MAX_PORTIONS of each. */
  readonly addresses: readonly Portion[];
  readonly reporters: readonly Portion[];
  readonly overrides: readonly Portion[];
}

const MAX_PORTIONS = 8;

/** The details of these senders (ids) of `domain`; of a sender that sent nothing on these days, none. */
export function senderDetails(
  domain: string,
  days: readonly DaySummary[],
  senders: readonly string[],
): ReadonlyMap<string, SenderDetails> {
  const { groupOf } = senderGroups(domain);
  const counters = new Map(senders.map((id) => [id, newCounters()]));
  for (const { reporter, records } of days.flatMap(({ summaries }) => summaries)) {
    for (const record of records) {
      const counter = counters.get(groupOf(record).id);
      if (counter === undefined) continue;
      if (record.sourceIp !== null) add(counter.addresses, record.sourceIp, record);
      add(counter.reporters, reporter ?? 'others', record);
      for (const reason of record.overrides) add(counter.overrides, reason, record);
    }
  }
  return new Map(
    [...counters].map(([id, { addresses, reporters, overrides }]) => [
      id,
      { addresses: largest(addresses), reporters: largest(reporters), overrides: largest(overrides) },
    ]),
  );
}

type Counter = Map<string, { messages: number; passedMessages: number }>;

function newCounters(): Record<keyof SenderDetails, Counter> {
  return { addresses: new Map(), reporters: new Map(), overrides: new Map() };
}

function add(counter: Counter, name: string, record: RecordSummary): void {
  const counted = counter.get(name) ?? { messages: 0, passedMessages: 0 };
  counter.set(name, counted);
  counted.messages += record.count;
  if (passed(record)) counted.passedMessages += record.count;
}

function largest(counter: Counter): readonly Portion[] {
  return [...counter]
    .map(([name, counts]) => ({ name, ...counts }))
    .toSorted((a, b) => b.messages - a.messages || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_PORTIONS);
}
