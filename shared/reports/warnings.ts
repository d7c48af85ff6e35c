/**
 * Every deviation from the RFCs that the parsers tolerate, with its sentence. A report can have any number of them; a
 * deviation that the parsers cannot tolerate is a refusal.
 */
import { excerpt } from '../protocol/findings/excerpt.ts';

const sentences = {
  // The attachment (RFC 1952, RFC 7489 section 7.2.1.1, RFC 8460 section 5).
  'archive-in-archive': 'The report is compressed twice',
  'trailing-bytes': 'There are extra bytes after the compressed data',

  // The text (XML 1.0, RFC 8259).
  'not-utf-8': 'The text contains bytes that are not valid in its encoding',
  'other-encoding': 'The text is not encoded in UTF-8',
  'raw-markup': 'A value contains an unescaped "<"',
  'raw-ampersand': 'A value contains an unescaped "&"',
  'stray-text': 'There is text between elements',
  'stray-end-tag': 'An end tag has no matching start tag',
  'unclosed-element': 'An element has no end tag',
  'outside-root': 'There is content outside the <feedback> element',
  'cut-end-tag': 'The last character of the report is missing',
  'unknown-element': 'An element is not defined by the RFC, or not allowed in this place',
  'misnamed-element': 'The name of an element is misspelled',
  'repeated-element': 'An element occurs more than once where only one is allowed; the first one is used',
  'value-cut': 'A value is too long and was truncated',

  // The header of an aggregate report (RFC 9990, RFC 7489 appendix C).
  'missing-org-name': 'The report does not name the reporter; the domain of its email address is used',
  'report-id-from-file-name': 'The report has no ID; the ID in the file name is used',
  'date-from-file-name': 'The report does not state its period; the period in the file name is used',
  'domain-from-file-name': 'The report does not name its domain; the domain in the file name is used',
  'date-not-integer': 'A time is not a whole number of seconds since 1970',
  'date-negative': 'A time is before 1970',
  'period-reversed': 'The period ends before it starts',
  'period-empty': 'The period starts and ends at the same time',
  'period-long': 'The period is longer than one day',
  'period-in-future': 'The period ends more than two days after the report was received',
  'period-old': 'The period started more than 400 days before the report was received',
  'policy-domain-form': 'The policy domain is not a plain domain name',
  'missing-policy': 'The report does not state the published policy; "none" is used',
  'unknown-policy': 'A policy has a value that the RFC does not define',
  'unknown-alignment': 'An alignment mode has a value that the RFC does not define; relaxed mode is used',
  'unknown-discovery-method': 'The policy discovery method has a value that the RFC does not define',
  'invalid-percentage': 'The percentage is not a number from 0 to 100; 100 is used',
  'no-records': 'The report has no records',

  // Its records.
  'empty-record': 'A record has neither a source address nor a count and was skipped',
  'missing-source-ip': 'A record has no source address',
  'invalid-source-ip': 'A source address is not an IP address',
  'invalid-count': 'A count is not a non-negative whole number; the record counts as 0 messages',
  'missing-disposition': 'A record has no disposition; "none" is used',
  'unknown-disposition': 'A disposition has a value that the RFC does not define',
  'missing-result': 'A record has no aligned DKIM or SPF result; it counts as failed',
  'unknown-result': 'An aligned result is neither "pass" nor "fail"; it counts as failed',
  'capitals-in-value': 'A value contains uppercase letters',
  'empty-reason': 'A policy override reason has no type',
  'unknown-reason': 'A policy override reason has a type that the RFCs do not define',
  'too-many-reasons': 'A record has more policy override reasons than are kept',
  'missing-header-from': 'A record does not state the domain of the From header field',
  'missing-auth-results': 'A record has no authentication results',
  'empty-dkim-result': 'A DKIM result has no domain and was skipped',
  'missing-selector': 'A DKIM result has no selector',
  'unknown-dkim-result': 'A DKIM result has a value that the RFC does not define',
  'unknown-spf-result': 'An SPF result has a value that the RFC does not define',
  'unknown-spf-scope': 'The scope of an SPF result has a value that the RFC does not define',
  'empty-spf-result': 'An SPF result has no domain and was skipped',
  'several-spf-results': 'A record has more than one SPF result',
  'too-many-results': 'A record has more authentication results than are kept',

  // TLS reports (RFC 8460 section 4).
  'no-contact-info': 'The report has no contact information',
  'no-policies': 'The report has no policies',
  'date-without-zone': 'A time has no time zone; UTC is used',
  'number-as-text': 'A number is written as a string',
  'missing-count': 'A count is missing or not a non-negative whole number; 0 is used',
  'missing-policy-type': 'A policy has no type',
  'unknown-policy-type': 'A policy has a type that RFC 8460 does not define',
  'missing-policy-domain': 'A policy has no domain',
  'foreign-policy': 'A policy is about another domain and was left out',
  'policy-string-form': 'The policy string is not an array of strings',
  'mx-host-form': 'The MX host names are not in the format or place that RFC 8460 defines',
  'missing-result-type': 'A failure has no result type',
  'unknown-result-type': 'A failure has a result type that RFC 8460 does not define',
  'member-form': 'A member does not have the type that RFC 8460 defines',
  'failure-sum': 'The number of described failures differs from the count in the summary',
} as const;

export type WarningId = keyof typeof sentences;

/** A tolerated deviation, once per id. `describe` returns its sentence. */
export interface ReportWarning {
  readonly id: WarningId;
  /** How often it occurs in the report. */
  readonly count: number;
  /** The first position, as a path such as `record[3]/row/count`; records are counted from 1. */
  readonly at?: string;
  /** The first value, at most 100 characters. */
  readonly value?: string;
}

export const warningIds = Object.keys(sentences) as readonly WarningId[];

/** `A count is not a non-negative whole number ... (3 times, first at record[2]/row/count: "many")`. */
export function describe({ id, count, at, value }: ReportWarning): string {
  const times = count === 1 ? [] : [`${count} times`];
  const place = at === undefined ? [] : [`${count === 1 ? '' : 'first '}at ${at}`];
  const where = [...times, ...place].join(', ');
  const what = value === undefined ? '' : `${where === '' ? '' : ': '}"${value}"`;
  return where === '' && what === '' ? sentences[id] : `${sentences[id]} (${where}${what})`;
}

/** Collects warnings, one per id, so that a report with 200,000 deviating records has only a few warnings. */
export class Warnings {
  readonly #found = new Map<WarningId, { id: WarningId; count: number; at?: string; value?: string }>();
  /** How many were added. */
  #total = 0;

  constructor(start: readonly ReportWarning[] = []) {
    for (const warning of start) this.#found.set(warning.id, { ...warning });
  }

  /** `at` is called only for the first occurrence. */
  add(id: WarningId, at?: () => string, value?: string): void {
    this.#total++;
    const known = this.#found.get(id);
    if (known !== undefined) {
      known.count++;
      return;
    }
    this.#found.set(id, {
      id,
      count: 1,
      ...(at === undefined ? {} : { at: excerpt(at(), 200) }),
      ...(value === undefined ? {} : { value: excerpt(value, 97) }),
    });
  }

  get total(): number {
    return this.#total;
  }

  list(): readonly ReportWarning[] {
    return [...this.#found.values()];
  }
}
