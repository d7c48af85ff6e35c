/**
 * Every deviation that the readers read past, and the sentence about it. A report stays a report with any number of
 * them: what the readers cannot read past is a refusal.
 */
import { excerpt } from '../protocol/findings/excerpt.ts';
import type { ReportWarning } from './report.ts';

const sentences = {
  // The attachment (RFC 1952, RFC 7489 section 7.2.1.1, RFC 8460 section 5).
  'archive-in-archive': 'The report is packed twice',
  'trailing-bytes': 'Bytes that belong to nothing follow the packed data',

  // The text (XML 1.0, RFC 8259).
  'not-utf-8': 'The text holds bytes that are not valid in its encoding',
  'other-encoding': 'The text is not in UTF-8',
  'raw-markup': 'A "<" stands in a value without being escaped',
  'raw-ampersand': 'An "&" stands in a value without being escaped',
  'stray-text': 'Text stands between elements',
  'stray-end-tag': 'An end tag closes nothing',
  'unclosed-element': 'An element is not closed',
  'outside-root': 'Something stands outside the <feedback> element',
  'cut-end-tag': 'The last character of the report is missing',
  'unknown-element': 'An element that the RFC does not have, or not in this place',
  'misnamed-element': 'An element has a name that resembles the right one',
  'repeated-element': 'An element occurs twice where one is allowed; the first counts',
  'value-cut': 'A value is too long and was cut',

  // The header of an aggregate report (RFC 9990, RFC 7489 appendix C).
  'missing-org-name': 'The reporter does not give its name; the domain of its address stands in',
  'report-id-from-file-name': 'The report has no id; the one of the file name stands in',
  'date-from-file-name': 'The report does not state its period; the one of the file name stands in',
  'domain-from-file-name': 'The report does not name its domain; the one of the file name stands in',
  'date-not-integer': 'A time is not in whole seconds since 1970',
  'date-negative': 'A time lies before 1970',
  'period-reversed': 'The period ends before it begins',
  'period-empty': 'The period begins and ends at the same moment',
  'period-long': 'The period is longer than a day',
  'period-in-future': 'The period ends more than two days from now',
  'period-old': 'The period began more than 400 days ago',
  'policy-domain-form': 'The policy domain is not in the form of a domain name',
  'missing-policy': 'The published policy is not stated; "none" stands in',
  'unknown-policy': 'A policy has a value that the RFC does not know',
  'unknown-alignment': 'An alignment mode has a value that the RFC does not know; relaxed stands in',
  'invalid-percentage': 'The percentage is not a number from 0 to 100; 100 stands in',
  'no-records': 'The report holds no records',

  // Its records.
  'empty-record': 'A record holds neither a source address nor a count and was left out',
  'missing-source-ip': 'A record has no source address',
  'invalid-source-ip': 'A source address is not an IP address',
  'invalid-count': 'A count is not a whole number that is 0 or more; the record counts as 0 messages',
  'missing-disposition': 'A record does not say what was done with the messages; "none" stands in',
  'unknown-disposition': 'A disposition has a value that the RFC does not know',
  'missing-result': 'A record does not say whether DKIM or SPF passed; it counts as failed',
  'unknown-result': 'An aligned result is neither "pass" nor "fail" and counts as failed',
  'capitals-in-value': 'A value is written with capitals',
  'empty-reason': 'A reason for overriding the policy has no type',
  'too-many-reasons': 'A record gives more reasons than are kept',
  'missing-header-from': 'A record does not name the domain of the From header',
  'missing-auth-results': 'A record gives no authentication results',
  'empty-dkim-result': 'A DKIM result names no domain and was left out',
  'missing-selector': 'A DKIM result does not name its selector',
  'unknown-dkim-result': 'A DKIM result has a value that the RFC does not know',
  'unknown-spf-result': 'An SPF result has a value that the RFC does not know',
  'unknown-spf-scope': 'The scope of an SPF result has a value that the RFC does not know',
  'empty-spf-result': 'An SPF result names no domain and was left out',
  'several-spf-results': 'A record gives more than one SPF result',
  'too-many-results': 'A record gives more authentication results than are kept',

  // TLS reports (RFC 8460 section 4).
  'no-contact-info': 'The report names no contact',
  'no-policies': 'The report holds no policies',
  'date-without-zone': 'A time does not name its zone; UTC is taken',
  'number-as-text': 'A number is written as text',
  'missing-count': 'A count is missing or no whole number that is 0 or more; 0 stands in',
  'missing-policy-type': 'A policy does not state its type',
  'unknown-policy-type': 'A policy has a type that RFC 8460 does not know',
  'missing-policy-domain': 'A policy does not name its domain',
  'policy-string-form': 'The policy is not an array of strings',
  'mx-host-form': 'The names of MX hosts have another form or place than RFC 8460 gives them',
  'missing-result-type': 'A failure does not state its type',
  'unknown-result-type': 'A failure has a type that RFC 8460 does not know',
  'member-form': 'A member is not of the type that RFC 8460 gives it',
  'failure-sum': 'The failures that are described are not as many as the summary counts',
} as const;

export type WarningId = keyof typeof sentences;

export const warningIds = Object.keys(sentences) as readonly WarningId[];

/** `A count is not a whole number ... (3 times, first at record[2]/row/count: "many")`. */
export function describe({ id, count, at, value }: ReportWarning): string {
  const times = count === 1 ? [] : [`${count} times`];
  const place = at === undefined ? [] : [`${count === 1 ? '' : 'first '}at ${at}`];
  const where = [...times, ...place].join(', ');
  const what = value === undefined ? '' : `${where === '' ? '' : ': '}"${value}"`;
  return where === '' && what === '' ? sentences[id] : `${sentences[id]} (${where}${what})`;
}

/** Collects warnings, one per id, so that a report with 200,000 odd records makes no 200,000 warnings. */
export class Warnings {
  readonly #found = new Map<WarningId, { id: WarningId; count: number; at?: string; value?: string }>();

  constructor(start: readonly ReportWarning[] = []) {
    for (const warning of start) this.#found.set(warning.id, { ...warning });
  }

  /** `at` is only asked for at the first occurrence. */
  add(id: WarningId, at?: () => string, value?: string): void {
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

  list(): readonly ReportWarning[] {
    return [...this.#found.values()];
  }
}
