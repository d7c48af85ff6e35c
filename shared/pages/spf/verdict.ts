/** What a result amounts to, in a word and a sentence. */
import type { Expansion } from '../../protocol/spf/expand.ts';
import { MAX_LOOKUPS } from '../../protocol/spf/limits.ts';
import { counted } from '../markup.ts';

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
      title: 'Lets everyone send',
      sentence:
        'Receivers can read this record, but it protects nobody: mail that anyone forges passes by it.',
    };
  }
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  switch (status) {
    case 'valid':
      return {
        tone: warnings > 0 ? 'warn' : 'good',
        title: warnings > 0 ? `Valid, with ${counted(warnings, 'warning')}` : 'Valid',
        sentence: `Receivers can evaluate this record. ${unlisted(expansion)}`,
      };
    case 'invalid':
      return {
        tone: 'bad',
        title: 'Invalid',
        sentence:
          'Receivers meet a permanent error in this record, and mail may be treated as if there were none, or refused.',
      };
    case 'no-record':
      return {
        tone: 'bad',
        title: 'No SPF record',
        sentence: `${domain} publishes no SPF record, so receivers cannot tell who may send for it.`,
      };
    case 'unknown':
      return record === null
        ? {
            tone: 'unknown',
            title: 'Could not be checked',
            sentence: `The DNS gave no answer for ${domain}. That says nothing about its record: check again in a minute.`,
          }
        : {
            tone: 'unknown',
            title: 'Not fully checked',
            sentence:
              'There is a record, but a part of what lies behind it could not be seen. What is shown is right as far as it goes.',
          };
  }
}

/** By `+all`, or by terms that together match every client. */
export function letsEveryoneSend({ allPolicy, flattened }: Expansion): boolean {
  return allPolicy === '+all' || flattened.merged?.includes('0.0.0.0/0') === true;
}

function unlisted({ allPolicy }: Expansion): string {
  switch (allPolicy) {
    case '-all':
      return 'Mail from hosts that it does not list fails.';
    case '~all':
      return 'Mail from hosts that it does not list is suspicious (softfail).';
    default:
      return 'It says nothing of hosts that it does not list.';
  }
}

/** One line for people who see no more than a preview. */
export function inOneLine(expansion: Expansion): string {
  const { record, totalLookupCount, allPolicy, detectedProviders, flattenedIps } = expansion;
  if (record === null) return verdictOf(expansion).sentence;
  return [
    `${totalLookupCount} of ${MAX_LOOKUPS} look-ups`,
    allPolicy ?? 'no "all"',
    counted(flattenedIps.length, 'address or range', 'addresses and ranges'),
    ...(detectedProviders.length > 0 ? [detectedProviders.join(', ')] : []),
  ].join(' · ');
}
