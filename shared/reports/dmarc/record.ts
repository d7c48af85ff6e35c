/** Converts the texts of a record in an aggregate report to a row (RFC 9990; RFC 7489 appendix C). */

import { MAX_DKIM_RESULTS, MAX_REASONS, MAX_SPF_RESULTS } from '../limits.ts';
import type { DmarcRecordRow } from '../report.ts';
import { memoized, normalizedAddress, normalizedDomain, wholeNumber } from '../values.ts';
import type { WarningId, Warnings } from '../warnings.ts';
import type { RecordTexts, Texts } from './texts.ts';

type DkimResult = DmarcRecordRow['dkimResults'][number];
type SpfResult = DmarcRecordRow['spfResults'][number];

const dispositions: ReadonlySet<string> = new Set(['none', 'quarantine', 'reject', 'pass']);
/** RFC 9990 section 3.1.6, and those of RFC 7489 appendix C that it removed. */
const overrideReasons: ReadonlySet<string> = new Set(
  'local_policy mailing_list other policy_test_mode trusted_forwarder forwarded sampled_out'.split(' '),
);
const dkimResults: ReadonlySet<string> = new Set(
  'none pass fail policy neutral temperror permerror'.split(' '),
);
const spfResults: ReadonlySet<string> = new Set(
  'none neutral pass fail softfail temperror permerror'.split(' '),
);
const scopes: ReadonlySet<string> = new Set(['mfrom', 'helo']);

/** Names that SPF results had before RFC 4408. */
const formerSpfResults: ReadonlyMap<string, string> = new Map([
  ['hardfail', 'fail'],
  ['error', 'temperror'],
  ['unknown', 'permerror'],
]);

/** Creates the rows of one report. Each deviation is added to `warnings` with its path. */
export class RowMaker {
  readonly #warnings: Warnings;
  readonly #domain = memoized(normalizedDomain);
  #number = 0;

  constructor(warnings: Warnings) {
    this.#warnings = warnings;
  }

  /** Returns null for a record without a source and without a count. `number` counts records from 1. */
  row({ fields, reasons, dkim, spf }: RecordTexts, number: number): DmarcRecordRow | null {
    this.#number = number;
    if (!fields.source_ip && !fields.count) {
      this.#warn('empty-record', '');
      return null;
    }
    if (dkim.length === 0 && spf.length === 0) this.#warn('missing-auth-results', '/auth_results');
    return {
      sourceIp: this.#sourceIp(fields.source_ip),
      count: this.#count(fields.count),
      ...this.#disposition(fields.disposition),
      dkim: this.#aligned(fields.dkim, '/row/policy_evaluated/dkim'),
      spf: this.#aligned(fields.spf, '/row/policy_evaluated/spf'),
      reasons: this.#reasons(reasons),
      headerFrom: this.#headerFrom(fields.header_from),
      envelopeFrom: this.#domainOrNull(fields.envelope_from),
      envelopeTo: this.#domainOrNull(fields.envelope_to),
      dkimResults: this.#dkimResults(dkim),
      spfResults: this.#spfResults(spf),
    };
  }

  #sourceIp(text: string): string {
    if (text === '') {
      this.#warn('missing-source-ip', '/row/source_ip');
      return '';
    }
    const address = normalizedAddress(text);
    if (address !== undefined) return address;
    this.#warn('invalid-source-ip', '/row/source_ip', text);
    return text;
  }

  #count(text: string): number {
    const count = wholeNumber(text);
    if (count === undefined) this.#warn('invalid-count', '/row/count', text);
    return count ?? 0;
  }

  /** `pass` (RFC 9990) means that the message passed, so nothing was done to it: `none` in RFC 7489. */
  #disposition(text: string): Pick<DmarcRecordRow, 'disposition' | 'reportedDisposition'> {
    const reported = this.#reportedDisposition(text);
    return reported === 'pass'
      ? { disposition: 'none', reportedDisposition: reported }
      : { disposition: reported };
  }

  #reportedDisposition(text: string): string {
    const at = '/row/policy_evaluated/disposition';
    if (dispositions.has(text)) return text;
    if (text === '') {
      this.#warn('missing-disposition', at);
      return 'none';
    }
    const disposition = this.#lowerCase(text, at);
    if (!dispositions.has(disposition)) this.#warn('unknown-disposition', at, text);
    return disposition;
  }

  /** Only `pass` counts as a pass; values other than `pass` and `fail` are invalid. */
  #aligned(text: string, at: string): string {
    if (text === 'pass' || text === 'fail') return text;
    if (text === '') this.#warn('missing-result', at);
    const result = this.#lowerCase(text, at);
    if (text !== '' && result !== 'pass' && result !== 'fail') this.#warn('unknown-result', at, text);
    return result === 'pass' ? 'pass' : 'fail';
  }

  #reasons(texts: readonly Texts<'reason'>[]): DmarcRecordRow['reasons'] {
    if (texts.length === 0) return [];
    const at = '/row/policy_evaluated/reason';
    if (texts.length > MAX_REASONS) this.#warn('too-many-reasons', at);
    return texts.slice(0, MAX_REASONS).flatMap(({ type, comment }) => {
      if (type === '') this.#warn('empty-reason', `${at}/type`);
      if (type === '' && comment === '') return [];
      const reason = type.toLowerCase() || 'other';
      if (!overrideReasons.has(reason)) this.#warn('unknown-reason', `${at}/type`, type);
      return [{ type: reason, comment: comment || null }];
    });
  }

  #headerFrom(text: string): string {
    if (text === '') this.#warn('missing-header-from', '/identifiers/header_from');
    return this.#domain(text);
  }

  #dkimResults(texts: readonly Texts<'dkim'>[]): DmarcRecordRow['dkimResults'] {
    if (texts.length > MAX_DKIM_RESULTS) this.#warn('too-many-results', '/auth_results/dkim');
    const results: DkimResult[] = [];
    for (const { domain, selector, result } of texts) {
      if (domain === '') this.#warn('empty-dkim-result', '/auth_results/dkim', result);
      else if (results.length < MAX_DKIM_RESULTS) {
        if (selector === '') this.#warn('missing-selector', '/auth_results/dkim/selector', domain);
        results.push({
          domain: this.#domain(domain),
          result: this.#result(result, dkimResults, 'unknown-dkim-result', '/auth_results/dkim/result'),
          selector: selector || null,
        });
      }
    }
    return results;
  }

  #spfResults(texts: readonly Texts<'spf'>[]): DmarcRecordRow['spfResults'] {
    if (texts.length > 1) this.#warn('several-spf-results', '/auth_results/spf');
    if (texts.length > MAX_SPF_RESULTS) this.#warn('too-many-results', '/auth_results/spf');
    const results: SpfResult[] = [];
    for (const { domain, scope, result } of texts) {
      if (domain === '') this.#warn('empty-spf-result', '/auth_results/spf', result);
      else if (results.length < MAX_SPF_RESULTS) {
        const known = this.#result(result, spfResults, 'unknown-spf-result', '/auth_results/spf/result');
        results.push({
          domain: this.#domain(domain),
          result: formerSpfResults.get(known) ?? known,
          scope: this.#scope(scope),
        });
      }
    }
    return results;
  }

  #scope(text: string): string | null {
    if (text === '' || scopes.has(text)) return text || null;
    const scope = text.toLowerCase();
    if (!scopes.has(scope)) this.#warn('unknown-spf-scope', '/auth_results/spf/scope', text);
    return scope;
  }

  #result(text: string, known: ReadonlySet<string>, unknown: WarningId, at: string): string {
    if (known.has(text)) return text;
    const result = this.#lowerCase(text, at);
    if (!known.has(result)) this.#warn(unknown, at, text);
    return result;
  }

  #lowerCase(text: string, at: string): string {
    const lower = text.toLowerCase();
    if (lower !== text) this.#warn('capitals-in-value', at, text);
    return lower;
  }

  #domainOrNull(text: string): string | null {
    return text ? this.#domain(text) : null;
  }

  #warn(id: WarningId, at: string, value?: string): void {
    this.#warnings.add(id, () => `record[${this.#number}]${at}`, value);
  }
}
