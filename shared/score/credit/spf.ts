/** Partial credit for SPF: whom the record lets send, and what it says of everybody else. */
import type { SpfResult } from '../../checks/results.ts';
import { type ResolvedRecord, termsOf } from '../../protocol/spf/tree.ts';
import { absent, always, type CreditRow, unknown } from './row.ts';

const beginning: readonly CreditRow[] = [
  unknown('spf', 'The SPF record could not be evaluated, because the DNS did not answer.'),
  absent('spf', 'There is no SPF record.', 'Publish an SPF record that ends in -all (RFC 7208).'),
  {
    id: 'invalid',
    when: ({ spf }) => !spf.valid,
    share: 0,
    reason: 'The SPF record is not valid, so receivers do not apply it.',
    todo: 'Correct the errors of the SPF check.',
  },
  {
    id: 'pass-all',
    when: ({ spf }) => spf.allPolicy === '+all',
    share: 0,
    reason: '+all authorizes the whole internet.',
    todo: 'End the SPF record in -all.',
  },
  {
    id: 'too-wide',
    when: ({ spf }) => authorizesStrangers(spf),
    share: 0,
    reason: 'The SPF record authorizes a range so wide that strangers are in it.',
    todo: 'Authorize the addresses of your own senders only.',
  },
];

const failAll: CreditRow = {
  id: 'fail-all',
  when: ({ spf }) => spf.allPolicy === '-all',
  share: 1,
  reason: 'The SPF record is valid and ends in -all.',
  todo: null,
};

/** For a domain that sends, `~all` is a legitimate choice where DMARC decides, and still short of strict. */
export const spfOfSender: readonly CreditRow[] = [
  ...beginning,
  failAll,
  {
    id: 'softfail-all',
    when: ({ spf }) => spf.allPolicy === '~all',
    share: 2 / 3,
    reason: '~all only makes mail of strangers suspicious.',
    todo: 'End the SPF record in -all once all of your senders are in it.',
  },
  {
    id: 'neutral',
    when: always,
    share: 1 / 5,
    reason: 'The SPF record names senders and says nothing of strangers.',
    todo: 'End the SPF record in -all.',
  },
];

/** A domain that sends nothing has no reason for less than `-all`, and none for anything beside it. */
export const spfOfNonSender: readonly CreditRow[] = [
  ...beginning,
  {
    id: 'authorizes-senders',
    when: ({ spf }) => spf.allPolicy === '-all' && authorizesAnyone(spf),
    share: 1 / 2,
    reason: 'The SPF record authorizes senders for a domain that sends no mail.',
    todo: 'Publish the SPF record "v=spf1 -all", or change the usage type of the domain.',
  },
  failAll,
  {
    id: 'not-fail-all',
    when: always,
    share: 0,
    reason: 'A domain that sends no mail must say so with -all.',
    todo: 'Publish the SPF record "v=spf1 -all".',
  },
];

/** A range with a prefix this short or shorter reaches beyond any one operator of mail servers. */
const TOO_WIDE_PREFIX = { ipv4: 7, ipv6: 15 };

/** `ip4:0.0.0.0/1 ip4:128.0.0.0/1 -all` is `+all` in other words. */
function authorizesStrangers(spf: SpfResult): boolean {
  return spf.flattenedIps.some((range) => {
    const slash = range.indexOf('/');
    const tooWide = range.includes(':') ? TOO_WIDE_PREFIX.ipv6 : TOO_WIDE_PREFIX.ipv4;
    return slash !== -1 && Number(range.slice(slash + 1)) <= tooWide;
  });
}

function authorizesAnyone({ flattenedIps, mechanisms, includeTree }: SpfResult): boolean {
  return flattenedIps.length > 0 || isOpenEnded({ terms: mechanisms, children: includeTree });
}

/** Whether some mail passes by what no list of addresses shows: the message, reverse DNS, or what could not be asked. */
function isOpenEnded(record: Pick<ResolvedRecord, 'terms' | 'children'>): boolean {
  return termsOf(record).some(({ term, child }) => {
    const { kind, qualifier, ignored, dependsOnMessage, unavailable } = term;
    if (ignored !== undefined || (qualifier !== '+' && kind !== 'redirect')) return false;
    if (kind === 'all' || kind === 'exists' || kind === 'ptr' || dependsOnMessage) return true;
    return unavailable !== undefined || (child !== undefined && isOpenEnded(child));
  });
}
