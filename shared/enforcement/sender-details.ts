/**
 * What is behind the figures of a sender: its addresses, what authenticates its mail, who reported it, and why receivers did
 * not apply the policy.
 */
import type { DaySummary, RecordSummary } from '../reports/dmarc/summary/shapes.ts';
import { passed, senderGroups } from './senders.ts';

/** Messages with something in common, and how many of them passed DMARC. */
export interface Portion {
  readonly name: string;
  readonly messages: number;
  readonly passedMessages: number;
}

export interface SenderDetails {
  /** Those with most messages. */
  readonly addresses: readonly Portion[];
  /** The domains that DKIM signatures passed for. */
  readonly signers: readonly Portion[];
  /** The domains in MAIL FROM, or in HELO where only that is reported. */
  readonly envelopes: readonly Portion[];
  readonly reporters: readonly Portion[];
  readonly overrides: readonly Portion[];
}

const MAX_PORTIONS = 8;

/**
 * The details of these senders (ids) of `domain`; of a sender that sent nothing on these days, none.
 * @param most The most portions of each kind.
 */
export function senderDetails(
  domain: string,
  days: readonly DaySummary[],
  senders: readonly string[],
  most = MAX_PORTIONS,
): ReadonlyMap<string, SenderDetails> {
  const { groupOf } = senderGroups(domain);
  const counters = new Map(senders.map((id) => [id, newCounters()]));
  for (const { reporter, records } of days.flatMap(({ summaries }) => summaries)) {
    for (const record of records) {
      const counter = counters.get(groupOf(record).id);
      if (counter === undefined) continue;
      if (record.sourceIp !== null) add(counter.addresses, record.sourceIp, record);
      for (const signer of record.dkimDomains) add(counter.signers, signer, record);
      if (record.mailFrom !== null) add(counter.envelopes, record.mailFrom, record);
      add(counter.reporters, reporter ?? 'others', record);
      for (const reason of record.overrides) add(counter.overrides, reason, record);
    }
  }
  return new Map(
    [...counters].map(([id, { addresses, signers, envelopes, reporters, overrides }]) => [
      id,
      {
        addresses: largest(addresses, most),
        signers: largest(signers, most),
        envelopes: largest(envelopes, most),
        reporters: largest(reporters, most),
        overrides: largest(overrides, most),
      },
    ]),
  );
}

type Counter = Map<string, { messages: number; passedMessages: number }>;

function newCounters(): Record<keyof SenderDetails, Counter> {
  return {
    ...{ addresses: new Map(), signers: new Map(), envelopes: new Map() },
    ...{ reporters: new Map(), overrides: new Map() },
  };
}

function add(counter: Counter, name: string, record: RecordSummary): void {
  const counted = counter.get(name) ?? { messages: 0, passedMessages: 0 };
  counter.set(name, counted);
  counted.messages += record.count;
  if (passed(record)) counted.passedMessages += record.count;
}

function largest(counter: Counter, most: number): readonly Portion[] {
  return [...counter]
    .map(([name, counts]) => ({ name, ...counts }))
    .toSorted((a, b) => b.messages - a.messages || (a.name < b.name ? -1 : 1))
    .slice(0, most);
}
