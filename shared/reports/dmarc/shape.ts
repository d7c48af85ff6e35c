/**
 * The elements of an aggregate report (RFC 9990; RFC 7489 appendix C): those that are parsed, and those that are known
 * and ignored.
 */

/**
 * The texts of elements as reported, by field. Every draft has every field; a missing element is the empty string.
 */
export const emptyDraft = {
  header: () => ({
    org_name: '',
    email: '',
    extra_contact_info: '',
    report_id: '',
    begin: '',
    end: '',
    generator: '',
  }),
  policy: () => ({
    domain: '',
    p: '',
    sp: '',
    np: '',
    adkim: '',
    aspf: '',
    pct: '',
    testing: '',
    discovery_method: '',
  }),
  record: () => ({
    source_ip: '',
    count: '',
    disposition: '',
    aligned_dkim: '',
    aligned_spf: '',
    header_from: '',
    envelope_from: '',
    envelope_to: '',
  }),
  dkim: () => ({ domain: '', selector: '', result: '' }),
  spf: () => ({ domain: '', scope: '', result: '' }),
  reason: () => ({ type: '', comment: '' }),
  /** For known elements whose text is not needed. */
  ignored: () => ({}),
} as const;

export type DraftName = keyof typeof emptyDraft;
export type Draft<Name extends DraftName> = ReturnType<(typeof emptyDraft)[Name]>;

export interface Field {
  readonly draft: DraftName;
  readonly name: string;
  /**
   * Whether two different values make the report ambiguous, so that it is refused. For other fields, the first value
   * counts.
   */
  readonly isDecisive: boolean;
}

export interface Shape {
  readonly name: string;
  readonly children: readonly Shape[];
  /** The field that stores the text; undefined if the element has no text of its own. */
  readonly field: Field | undefined;
  /** The draft that starts with the element and is complete at its end tag. */
  readonly begins: 'record' | 'dkim' | 'spf' | 'reason' | undefined;
  /** Whether the content is ignored. */
  readonly isSkipped: boolean;
  /** Whether the name is a known misspelling. */
  readonly isMisnamed: boolean;
}

/**
 * Creates every shape with the same properties in the same order, which makes reading them for each tag several times
 * faster.
 */
const shape = (name: string, given: Partial<Shape>): Shape => ({
  name,
  children: given.children ?? [],
  field: given.field,
  begins: given.begins,
  isSkipped: given.isSkipped ?? false,
  isMisnamed: given.isMisnamed ?? false,
});

const element = (name: string, children: readonly Shape[], begins?: Shape['begins']): Shape =>
  shape(name, { children, begins });

const value = (draft: DraftName, name: string, field = name, isDecisive = false): Shape =>
  shape(name, { field: { draft, name: field, isDecisive } });

const decisive = (draft: DraftName, name: string, field = name): Shape => value(draft, name, field, true);

const misnamed = (right: Shape): Shape => shape(right.name, { ...right, isMisnamed: true });

/** An element that can contain anything, and whose content is ignored. */
export const skipped = (name: string): Shape => shape(name, { isSkipped: true });

/** An element that contains only text, which is ignored. */
const ignored = (name: string): Shape => value('ignored', name);

function dateRange(name: string): Shape {
  return element(name, [decisive('header', 'begin'), decisive('header', 'end')]);
}

function identifiers(name: string): Shape {
  return element(name, [
    value('record', 'header_from'),
    value('record', 'envelope_from'),
    value('record', 'envelope_to'),
  ]);
}

const reportMetadata = element('report_metadata', [
  value('header', 'org_name'),
  value('header', 'email'),
  value('header', 'extra_contact_info'),
  decisive('header', 'report_id'),
  dateRange('date_range'),
  misnamed(dateRange('data_range')),
  value('header', 'generator'),
  ignored('error'),
  skipped('extension'),
]);

const policyPublished = element('policy_published', [
  decisive('policy', 'domain'),
  ...['p', 'sp', 'np', 'adkim', 'aspf', 'pct', 'testing', 'discovery_method'].map((name) =>
    value('policy', name),
  ),
  misnamed(value('policy', 't', 'testing')),
  ...['psd', 'fo', 'rf', 'ri'].map((name) => ignored(name)),
  skipped('extension'),
]);

const reason = element('reason', [value('reason', 'type'), value('reason', 'comment')], 'reason');

const policyEvaluated = element('policy_evaluated', [
  value('record', 'disposition'),
  decisive('record', 'dkim', 'aligned_dkim'),
  decisive('record', 'spf', 'aligned_spf'),
  reason,
]);

const authResults = element('auth_results', [
  element(
    'dkim',
    [
      ...['domain', 'selector', 'result'].map((name) => value('dkim', name)),
      ignored('human_result'),
      skipped('extension'),
    ],
    'dkim',
  ),
  element(
    'spf',
    [
      ...['domain', 'scope', 'result'].map((name) => value('spf', name)),
      ignored('human_result'),
      skipped('extension'),
    ],
    'spf',
  ),
]);

const record = element(
  'record',
  [
    element('row', [decisive('record', 'source_ip'), decisive('record', 'count'), policyEvaluated]),
    identifiers('identifiers'),
    misnamed(identifiers('identities')),
    authResults,
    skipped('extension'),
  ],
  'record',
);

export const feedback = element('feedback', [
  ignored('version'),
  reportMetadata,
  policyPublished,
  record,
  skipped('extension'),
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
