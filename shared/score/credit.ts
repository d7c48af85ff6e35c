/**
 * Partial credit: for each component an ordered table of rows, of which the first matching row decides. A component
 * whose weight rewards several things (MX: records and TLS) has an aspect, with a table, for each of them.
 *
 * `not-applicable` earns the same as `absent`. The usage type decides what is required of a domain. If a check is not
 * applicable nevertheless (MTA-STS with a null MX), the domain does not match its usage type. Leaving the component out
 * would reward a domain that claims to receive mail for not accepting any.
 */

import type { CheckResults } from '../checks/results.ts';
import type { UsageType } from '../checks/state.ts';
import { bimi } from './credit/bimi.ts';
import { dkimKeys } from './credit/dkim.ts';
import { dmarcOfNonSender, dmarcOfSender, dmarcReporting } from './credit/dmarc.ts';
import { dnssec } from './credit/dnssec.ts';
import { mtaSts } from './credit/mta-sts.ts';
import { dane, mxHosts, mxTls, nullMx } from './credit/mx.ts';
import { noSuchDomain } from './credit/no-such-domain.ts';
import type { CreditRow } from './credit/row.ts';
import { spfOfNonSender, spfOfSender } from './credit/spf.ts';
import { tlsRpt } from './credit/tls-rpt.ts';
import type { Component } from './weights.ts';

/** One thing that the points of a component reward. The last row always matches. */
interface Aspect {
  readonly name: string;
  /** The part of the component's points that the aspect decides, by usage type; none for a type that is not listed. */
  readonly part: Readonly<Partial<Record<UsageType, number>>>;
  readonly rows: readonly CreditRow[];
}

const everyUsage = { 'sends-and-receives': 1, 'receives-only': 1, 'sends-only': 1, parked: 1 };
const senders = { 'sends-and-receives': 1, 'sends-only': 1 };
const nonSenders = { 'receives-only': 1, parked: 1 };

export const credit: Readonly<Record<Component, readonly Aspect[]>> = {
  mx: [
    {
      name: 'hosts',
      part: { 'sends-and-receives': 1 / 2, 'receives-only': 1 / 2, 'sends-only': 1 },
      rows: mxHosts,
    },
    { name: 'tls', part: { 'sends-and-receives': 1 / 2, 'receives-only': 1 / 2 }, rows: mxTls },
    { name: 'null-mx', part: { parked: 1 }, rows: nullMx },
  ],
  spf: [
    { name: 'sender', part: senders, rows: spfOfSender },
    { name: 'non-sender', part: nonSenders, rows: spfOfNonSender },
  ],
  dkim: [
    { name: 'keys', part: { 'sends-and-receives': 1 }, rows: dkimKeys({ weakKey: 1 / 2 }) },
    { name: 'strong-keys', part: { 'sends-only': 1 }, rows: dkimKeys({ weakKey: 0 }) },
  ],
  dmarc: [
    // First the reports, without which an owner cannot judge a stronger policy.
    { name: 'reporting', part: { 'sends-and-receives': 1 / 5, 'sends-only': 1 / 5 }, rows: dmarcReporting },
    { name: 'policy', part: { 'sends-and-receives': 4 / 5, 'sends-only': 4 / 5 }, rows: dmarcOfSender },
    { name: 'reject', part: nonSenders, rows: dmarcOfNonSender },
  ],
  mtaSts: [
    { name: 'enforced-policy', part: { 'sends-and-receives': 1 }, rows: mtaSts({ inTesting: 1 / 2 }) },
    { name: 'valid-policy', part: { 'receives-only': 1 }, rows: mtaSts({ inTesting: 1 }) },
  ],
  tlsRpt: [{ name: 'reporting', part: everyUsage, rows: tlsRpt }],
  bimi: [{ name: 'logo', part: everyUsage, rows: bimi }],
  dnssec: [{ name: 'chain', part: everyUsage, rows: dnssec }],
  dane: [{ name: 'tlsa', part: everyUsage, rows: dane }],
};

/** What an aspect earns: its part of the component's points, the share of them earned (null: unknown), and why. */
export interface Judgement {
  readonly aspect: string;
  readonly part: number;
  readonly row: string;
  readonly fraction: number | null;
  readonly reason: string;
  readonly todo: string | null;
}

/** Evaluates one component of a domain: one judgement per aspect that counts for the usage type. */
export function judge(component: Component, results: CheckResults, usage: UsageType): readonly Judgement[] {
  return credit[component].flatMap(({ name, part, rows }) => {
    const row = [noSuchDomain(component), ...rows].find((candidate) => candidate.when(results));
    const counts = part[usage];
    if (row === undefined || counts === undefined) return [];
    const fraction = typeof row.fraction === 'function' ? row.fraction(results) : row.fraction;
    return [
      { aspect: name, part: counts, row: row.id, fraction, reason: row.reason, todo: row.todo ?? null },
    ];
  });
}
