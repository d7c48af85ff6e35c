/**
 * The elements of an aggregate report (RFC 9990; RFC 7489 appendix C): those that are read, and those that are known and
 * ignored.
 */

export interface Element {
  readonly name: string;
  /** The tags in their plain form. */
  readonly start: string;
  readonly end: string;
  readonly children: readonly Element[];
  /** `text`: a value. `ignored`: a value that is not needed. `any`: anything, all of which is ignored. */
  readonly content: 'elements' | 'text' | 'ignored' | 'any';
  /** Whether two different values make the report ambiguous, so that it is refused. Otherwise, the first value counts. */
  readonly isDecisive: boolean;
}

/** Creates every element with the same properties in the same order, which makes reading them several times faster. */
const element = (
  name: string,
  content: Element['content'],
  children: readonly Element[] = [],
  isDecisive = false,
): Element => ({ name, start: `<${name}>`, end: `</${name}>`, children, content, isDecisive });

const parent = (name: string, ...children: readonly Element[]): Element =>
  element(name, 'elements', children);

const values = (names: string): Element[] => names.split(' ').map((name) => element(name, 'text'));

const decisive = (names: string): Element[] =>
  names.split(' ').map((name) => element(name, 'text', [], true));

const ignored = (names: string): Element[] => names.split(' ').map((name) => element(name, 'ignored'));

/** An element that can contain anything, and whose content is ignored. */
export const skipped = (name: string): Element => element(name, 'any');

const extension = skipped('extension');

const authResult = (name: string, fields: string): Element =>
  parent(name, ...values(fields), ...ignored('human_result'), extension);

export const row = parent(
  'row',
  ...decisive('source_ip count'),
  parent(
    'policy_evaluated',
    ...values('disposition'),
    ...decisive('dkim spf'),
    parent('reason', ...values('type comment')),
  ),
);

export const record = parent(
  'record',
  row,
  parent('identifiers', ...values('header_from envelope_from envelope_to')),
  parent(
    'auth_results',
    authResult('dkim', 'domain selector result'),
    authResult('spf', 'domain scope result'),
  ),
  extension,
);

export const feedback = parent(
  'feedback',
  ...ignored('version'),
  parent(
    'report_metadata',
    ...values('org_name email extra_contact_info'),
    ...decisive('report_id'),
    parent('date_range', ...decisive('begin end')),
    ...values('generator'),
    ...ignored('error'),
    extension,
  ),
  parent(
    'policy_published',
    ...decisive('domain'),
    ...values('p sp np adkim aspf pct testing discovery_method'),
    ...ignored('psd fo rf ri'),
    extension,
  ),
  record,
  extension,
);

/** Known misspellings of names. */
export const misspellings: ReadonlyMap<string, string> = new Map([
  ['data_range', 'date_range'],
  ['identities', 'identifiers'],
  ['t', 'testing'],
]);

/**
 * Elements that contain counted values. If one of them is in an unexpected place, the report is refused, because its
 * values would not be counted.
 */
export const countedElements: ReadonlySet<string> = new Set([
  'feedback',
  'record',
  'row',
  'source_ip',
  'count',
  'policy_evaluated',
  'identifiers',
  'auth_results',
  'report_id',
  'date_range',
]);
