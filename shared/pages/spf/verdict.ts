/** The overall verdict on a record, as a title and a sentence. */

import { pluralize } from '../../protocol/quantity.ts';
import type { Expansion } from '../../protocol/spf/expansion.ts';
import { MAX_LOOKUPS } from '../../protocol/spf/limits.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'unknown';

export interface Verdict {
  readonly tone: Tone;
  readonly title: string;
  readonly sentence: string;
}

export function verdictOf(expansion: Expansion): Verdict {
  const { domain, status, findings, record } = expansion;
  if (letsEveryoneSend(expansion) && (status === 'valid' || status === 'unknown')) {
    return {
      tone: 'bad',
      title: 'Authorizes everyone',
      sentence:
        'Receivers can evaluate this record, but it authorizes every host, so forged mail passes SPF.',
    };
  }
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  switch (status) {
    case 'valid':
      return {
        tone: warnings > 0 ? 'warn' : 'good',
        title: warnings > 0 ? `Valid, with ${pluralize(warnings, 'warning')}` : 'Valid',
        sentence: `Receivers can evaluate this record. ${unlisted(expansion)}`,
      };
    case 'invalid':
      return {
        tone: 'bad',
        title: 'Invalid',
        sentence:
          'SPF evaluation ends in permerror. Receivers may reject the mail or treat it as if there were no SPF record.',
      };
    case 'no-record':
      return {
        tone: 'bad',
        title: 'No SPF record',
        sentence: `${domain} has no SPF record, so receivers cannot tell which hosts may send for it.`,
      };
    case 'unknown':
      return record === null
        ? {
            tone: 'unknown',
            title: 'DNS lookup failed',
            sentence: `The TXT lookup for ${domain} failed, so it is unknown whether there is an SPF record. Check again in a minute.`,
          }
        : {
            tone: 'unknown',
            title: 'Partly checked',
            sentence:
              'The domain has an SPF record, but some of the DNS lookups for it failed. The results are correct but incomplete.',
          };
  }
}

/** Whether `+all`, or other terms together, match every client. */
export function letsEveryoneSend({ allPolicy, flattened }: Expansion): boolean {
  return allPolicy === '+all' || flattened.merged?.includes('0.0.0.0/0') === true;
}

function unlisted({ allPolicy }: Expansion): string {
  switch (allPolicy) {
    case '-all':
      return 'Mail from unlisted hosts fails SPF.';
    case '~all':
      return 'Mail from unlisted hosts is marked as suspicious (softfail).';
    default:
      return 'It makes no statement about unlisted hosts.';
  }
}

/** A one-line summary for link previews, with its full stop. */
export function inOneLine(expansion: Expansion): string {
  const { record, totalLookupCount, allPolicy, detectedProviders, flattenedIps } = expansion;
  if (record === null) return verdictOf(expansion).sentence;
  const parts = [
    `${pluralize(totalLookupCount, 'DNS lookup')} (limit ${MAX_LOOKUPS})`,
    allPolicy ?? 'no "all"',
    pluralize(flattenedIps.length, 'address or range', 'addresses and ranges'),
    ...(detectedProviders.length > 0 ? [detectedProviders.join(', ')] : []),
  ];
  return `${parts.join(' · ')}.`;
}
