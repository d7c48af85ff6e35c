/** Reads the texts of an aggregate report from the well-formed XML of its values. */
import { XMLParser } from 'fast-xml-parser';
import { expandReferences } from '../../protocol/xml-references.ts';
import { unreadable } from '../refusal.ts';
import { memoized, truncated } from '../values.ts';
import type { Warnings } from '../warnings.ts';
import type { Element } from './elements.ts';

/** The texts of elements as reported; a missing element is the empty string. */
const noTexts = {
  header: () => ({
    ...{ org_name: '', email: '', extra_contact_info: '', report_id: '', begin: '', end: '', generator: '' },
    ...{ domain: '', p: '', sp: '', np: '', adkim: '', aspf: '', pct: '', testing: '', discovery_method: '' },
  }),
  record: () => ({
    ...{ source_ip: '', count: '', disposition: '', dkim: '', spf: '' },
    ...{ header_from: '', envelope_from: '', envelope_to: '' },
  }),
  dkim: () => ({ domain: '', selector: '', result: '' }),
  spf: () => ({ domain: '', scope: '', result: '' }),
  reason: () => ({ type: '', comment: '' }),
} as const;

export type Texts<Of extends keyof typeof noTexts> = ReturnType<(typeof noTexts)[Of]>;

export interface RecordTexts {
  readonly fields: Texts<'record'>;
  readonly reasons: Texts<'reason'>[];
  readonly dkim: Texts<'dkim'>[];
  readonly spf: Texts<'spf'>[];
}

/** Decodes nothing. Without one, the parser makes a decoder for each text, also with entities off. */
const noDecoder = {
  decode: (text: string) => text,
  reset: () => undefined,
  setExternalEntities: () => undefined,
  addInputEntities: () => undefined,
  setXmlVersion: () => undefined,
};

/**
 * Entities are off: expandReferences handles those that exist without a document type. The order of values is kept only
 * because that is faster.
 */
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: false,
  entityDecoder: noDecoder,
  jPath: false,
});

/** A value: its name, with a list of its text, which is empty if the value is. */
type Value = Readonly<Record<string, readonly { readonly '#text': string }[]>>;

/** A value as the report has it. */
interface Field {
  readonly element: Element;
  readonly xml: string;
}

/** The values that are directly in `parent`. */
function parse(xml: string, parent: Element): readonly Field[] {
  const values: readonly Value[] = parser.parse(xml);
  const fields: Field[] = [];
  for (const value of values) {
    for (const element of parent.children) {
      const content = value[element.name];
      if (content !== undefined) fields.push({ element, xml: content[0]?.['#text'] ?? '' });
    }
  }
  return fields;
}

/** The values of an element up to this length are remembered. */
const MAX_REPEATED = 2_048;

/** Most records differ from others only in their rows, also those of other reports about a domain. */
const repeated = new Map<Element, (xml: string) => readonly Field[]>();

function parseRepeated(xml: string, parent: Element): readonly Field[] {
  const remembered = repeated.get(parent) ?? memoized((text) => parse(text, parent));
  repeated.set(parent, remembered);
  return remembered(xml);
}

/** Collects the texts of one report. Deviations are added to `warnings` with their path. */
export class ReportTexts {
  readonly header = noTexts.header();
  #record = noRecord();
  readonly #warnings: Warnings;
  readonly #place: () => string;

  /** `place` returns the path of the element that is being read. */
  constructor(warnings: Warnings, place: () => string) {
    this.#warnings = warnings;
    this.#place = place;
  }

  /** Adds the values that are directly in `parent`. Throws a RefusalError if there are two where one is needed. */
  add(xml: string, parent: Element): void {
    const texts = this.#textsOf(parent);
    if (xml === '') return;
    const isRepeated = xml.length <= MAX_REPEATED && parent.name !== 'row';
    const fields = isRepeated ? parseRepeated(xml, parent) : parse(xml, parent);
    for (const field of fields) this.#set(texts, field.element, field.xml);
  }

  /** Returns the texts since the last record. */
  endRecord(): RecordTexts {
    const texts = this.#record;
    this.#record = noRecord();
    return texts;
  }

  /** The texts to which the values in an element belong. */
  #textsOf(parent: Element): Record<string, string> {
    const { fields, reasons, dkim, spf } = this.#record;
    switch (parent.name) {
      case 'report_metadata':
      case 'date_range':
      case 'policy_published':
        return this.header;
      case 'reason':
        return added(reasons, noTexts.reason());
      case 'dkim':
        return added(dkim, noTexts.dkim());
      case 'spf':
        return added(spf, noTexts.spf());
      default:
        return fields;
    }
  }

  /** If an element is repeated, the first text counts; if it is decisive, a different text is an error. */
  #set(texts: Record<string, string>, { name, isDecisive }: Element, xml: string): void {
    const at = () => `${this.#place()}/${name}`;
    const text = expandReferences(xml, () => {
      this.#warnings.add('raw-ampersand', at, xml);
      return '&';
    }).trim();
    const value = truncated(text);
    if (value !== text) this.#warnings.add('value-cut', at);
    const first = texts[name] ?? '';
    if (first === '') {
      texts[name] = value;
      return;
    }
    if (isDecisive && first !== value) {
      throw unreadable(`there are two values, "${first.slice(0, 80)}" and "${value.slice(0, 80)}", ${at()}`);
    }
    this.#warnings.add('repeated-element', at, value);
  }
}

const noRecord = (): RecordTexts => ({ fields: noTexts.record(), reasons: [], dkim: [], spf: [] });

function added<Part>(list: Part[], part: Part): Part {
  list.push(part);
  return part;
}
