/** Partial credit for SPF: which hosts the record authorizes, and its result for all other hosts. */

import type { SpfResult } from '../../checks/spf/result.ts';
import type { ResolvedRecord } from '../../protocol/spf/expansion.ts';
import { passesEveryone } from '../../protocol/spf/flatten.ts';
import { termsOf } from '../../protocol/spf/tree.ts';
import { absent, always, type CreditRow, unknown } from './row.ts';

interface Advice {
  readonly withoutRecord: string;
  readonly withRecord: string;
}

const forSender: Advice = {
  withoutRecord: 'Publish an SPF record that lists all your senders and ends with ~all (RFC 7208).',
  withRecord: 'List all your senders in the SPF record, and end it with ~all.',
};

const forNonSender: Advice = {
  withoutRecord: 'Publish the SPF record "v=spf1 -all" (RFC 7208).',
  withRecord: 'Replace the SPF record with "v=spf1 -all".',
};

const beginning = ({ withoutRecord, withRecord }: Advice): readonly CreditRow[] => [
  unknown('spf', 'The SPF record could not be evaluated, because DNS lookups failed.'),
  absent('spf', 'There is no SPF record.', withoutRecord),
  {
    id: 'invalid',
    when: ({ spf }) => !spf.valid,
    fraction: 0,
    reason: 'The SPF record is invalid, so SPF evaluation ends in permerror.',
    todo: 'Fix the errors listed in the SPF check.',
  },
  {
    id: 'pass-all',
    when: ({ spf }) => spf.allPolicy === '+all',
    fraction: 0,
    reason: '+all authorizes every host on the internet.',
    todo: withRecord,
  },
  {
    id: 'everyone',
    when: ({ spf }) => passesEveryone({ terms: spf.mechanisms, children: spf.includeTree }),
    fraction: 0,
    reason: 'The SPF record authorizes every host on the internet, by a mechanism that matches all of them.',
    todo: withRecord,
  },
  {
    id: 'too-wide',
    when: ({ spf }) => authorizesStrangers(spf),
    fraction: 0,
    reason: 'The SPF record authorizes a range so large that it includes hosts you do not control.',
    todo: 'Authorize only the addresses of your own senders.',
  },
];

const failAll: CreditRow = {
  id: 'fail-all',
  when: ({ spf }) => spf.allPolicy === '-all',
  fraction: 1,
  reason: 'The SPF record is valid and ends with -all.',
};

/**
 * With `-all`, receivers may reject mail of a domain that sends before they see its DKIM signature, which no report shows
 * (RFC 9989 section 7.1). So `~all` is as good where DMARC decides what happens to mail that fails. Otherwise nothing does.
 */
export const spfOfSender: readonly CreditRow[] = [
  ...beginning(forSender),
  failAll,
  {
    id: 'softfail-enforced',
    when: ({ spf, dmarc }) =>
      spf.allPolicy === '~all' &&
      (dmarc.effectivePolicy === 'quarantine' || dmarc.effectivePolicy === 'reject'),
    fraction: 1,
    reason: 'The SPF record is valid and ends with ~all, and the DMARC policy decides about mail that fails.',
  },
  {
    id: 'softfail-beside-unknown',
    when: ({ spf, dmarc }) => spf.allPolicy === '~all' && dmarc.state === 'unknown',
    fraction: 1,
    reason: 'The SPF record is valid and ends with ~all. The DMARC lookup failed, which costs no points.',
  },
  {
    id: 'softfail-all',
    when: ({ spf }) => spf.allPolicy === '~all',
    fraction: 2 / 3,
    reason: 'The SPF record ends with ~all (softfail), and no DMARC policy acts on mail that fails.',
    todo: 'Keep ~all. It earns all points once the DMARC policy is quarantine or reject.',
  },
  {
    id: 'neutral',
    when: always,
    fraction: 1 / 5,
    reason: 'The SPF record lists senders, but its result for unlisted hosts is neutral.',
    todo: forSender.withRecord,
  },
];

/** A domain that sends no mail has no reason for a result weaker than `-all`, or for any other mechanism. */
export const spfOfNonSender: readonly CreditRow[] = [
  ...beginning(forNonSender),
  {
    id: 'authorizes-senders',
    when: ({ spf }) => spf.allPolicy === '-all' && authorizesAnyone(spf),
    fraction: 1 / 2,
    reason: 'The SPF record authorizes senders for a domain that sends no mail.',
    todo: 'Replace the SPF record with "v=spf1 -all", or change the usage type of the domain.',
  },
  failAll,
  {
    id: 'not-fail-all',
    when: always,
    fraction: 0,
    reason: 'A domain that sends no mail must end its SPF record with -all.',
    todo: forNonSender.withRecord,
  },
];

/** A range with a prefix this short or shorter extends beyond any single operator of mail servers. */
const TOO_WIDE_PREFIX = { ipv4: 7, ipv6: 15 };

/** `ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all` is equivalent to `+all`. */
function authorizesStrangers(spf: SpfResult): boolean {
  return spf.flattenedIps.some((range) => {
    const slash = range.indexOf('/');
    const tooWide = range.includes(':') ? TOO_WIDE_PREFIX.ipv6 : TOO_WIDE_PREFIX.ipv4;
    return slash !== -1 && Number(range.slice(slash + 1)) <= tooWide;
  });
}

/** Whether a record lets any mail pass. */
export function authorizesAnyone({ flattenedIps, mechanisms, includeTree }: SpfResult): boolean {
  return flattenedIps.length > 0 || isOpenEnded({ terms: mechanisms, children: includeTree });
}

/** Whether mail may pass by means other than listed addresses: macros, reverse DNS, or terms whose lookup failed. */
function isOpenEnded(record: Pick<ResolvedRecord, 'terms' | 'children'>): boolean {
  return termsOf(record).some(({ term, child }) => {
    const { kind, qualifier, ignored, dependsOnMessage, unavailable } = term;
    if (ignored !== undefined || (qualifier !== '+' && kind !== 'redirect')) return false;
    if (kind === 'all' || kind === 'exists' || kind === 'ptr' || dependsOnMessage) return true;
    return unavailable !== undefined || (child !== undefined && isOpenEnded(child));
  });
}
