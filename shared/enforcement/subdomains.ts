/** The subdomains of a domain that mail came from, according to DMARC reports. */
import { isLookupName, isWithin } from '../protocol/domain-name.ts';
import type { DaySummary } from '../reports/dmarc/summary/shapes.ts';
import { passed } from './senders.ts';

/** Mail with a subdomain in its From field. */
export interface Subdomain {
  readonly name: string;
  readonly messages: number;
  readonly passedMessages: number;
  /** Of these, in authenticated reports: anybody can send other ones. */
  readonly authenticatedMessages: number;
  /** Days (UTC). */
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** Most messages first. @param days Oldest first. */
export function subdomainsOf(domain: string, days: readonly DaySummary[]): readonly Subdomain[] {
  const found = new Map<string, Subdomain>();
  for (const { day, summaries } of days) {
    for (const { records, authenticated } of summaries) {
      for (const record of records) {
        const name = record.headerFrom;
        if (name === null || name === domain || !isWithin(name, domain) || !isLookupName(name)) continue;
        const before = found.get(name);
        found.set(name, {
          name,
          messages: (before?.messages ?? 0) + record.count,
          passedMessages: (before?.passedMessages ?? 0) + (passed(record) ? record.count : 0),
          authenticatedMessages:
            (before?.authenticatedMessages ?? 0) + (authenticated === true ? record.count : 0),
          firstSeen: before?.firstSeen ?? day,
          lastSeen: day,
        });
      }
    }
  }
  return [...found.values()].toSorted((a, b) => b.messages - a.messages || (a.name < b.name ? -1 : 1));
}
