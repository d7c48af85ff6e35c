/**
 * Parses DMARC aggregate reports (RFC 9990; RFC 7489 appendix C) as a stream. Common errors of real reporters are
 * tolerated, with a warning. Errors that could change the counts are not: a report is refused if it is truncated, if it
 * has two different values where one is counted, or if a counted element is in an unexpected place.
 */

import { TextDecoder } from 'node:util';
import { isLookupName } from '../../protocol/domain-name.ts';
import { domainOf } from '../../protocol/mail-address.ts';
import { detectUtf16 } from '../byte-order.ts';
import { reportFileName } from '../file-name.ts';
import { RECORDS_PER_BATCH } from '../limits.ts';
import { checkPeriod, type Period, parseInstant } from '../period.ts';
import { unreadable } from '../refusal.ts';
import type { DmarcCounts, DmarcRecordRow, DmarcReportHeader, RecordConsumer } from '../report.ts';
import { normalizedDomain, wholeNumber } from '../values.ts';
import type { WarningId, Warnings } from '../warnings.ts';
import { RowMaker } from './record.ts';
import { type RecordTexts, ReportTexts, type Texts } from './texts.ts';
import { WellFormedReport } from './well-formed.ts';

interface ReadDmarcReport {
  readonly report: DmarcReportHeader;
  readonly counts: DmarcCounts;
}

/**
 * Parses a report from the bytes of its XML. Passes rows to `onRecords` in batches while it parses. The rows are valid
 * only if the function returns, because an error can be at the very end. Throws a RefusalError, and what `chunks` and
 * `onRecords` throw.
 */
export async function readDmarcReport(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  onRecords: RecordConsumer,
  context: ReportContext,
): Promise<ReadDmarcReport> {
  const { warnings } = context;
  const decoder = new XmlText(warnings);
  const maker = new RowMaker(warnings);
  const counts = { records: 0, skippedRecords: 0, messages: 0, passed: 0, failed: 0 };
  const rows: DmarcRecordRow[] = [];
  const takeRecord = (record: RecordTexts): void => {
    const row = maker.row(record, counts.records + counts.skippedRecords + 1);
    if (row === null) {
      counts.skippedRecords++;
      return;
    }
    rows.push(row);
    counts.records++;
    counts.messages += row.count;
    if (row.dkim === 'pass' || row.spf === 'pass') counts.passed += row.count;
    else counts.failed += row.count;
    if (!Number.isSafeInteger(counts.messages)) throw unreadable('the sum of the counts is too large');
  };
  const texts: ReportTexts = new ReportTexts(warnings, () => xml.place);
  let root = '';
  const xml = new WellFormedReport(warnings, {
    onRoot: (tag) => {
      root = tag;
    },
    onValues: (values, parent) => texts.add(values, parent),
    onRecord: () => takeRecord(texts.endRecord()),
  });
  for await (const chunk of chunks) {
    xml.write(decoder.decode(chunk));
    for (const batch of batches(rows)) await onRecords(batch);
  }
  xml.write(decoder.end());
  xml.end();
  const report = readHeader(texts.header, { ...context, root });
  for (const batch of batches(rows, 1)) await onRecords(batch);
  return { report, counts };
}

/** Removes the collected rows from `rows` in batches, while there are at least `least`. */
function* batches(rows: DmarcRecordRow[], least = RECORDS_PER_BATCH): Iterable<readonly DmarcRecordRow[]> {
  while (rows.length >= least) yield rows.splice(0, RECORDS_PER_BATCH);
}

/** The maximum length of an XML declaration. */
const DECLARATION_BYTES = 200;

/**
 * Decodes chunks of one document (XML 1.0 section 4.3.3 and appendix F). Invalid bytes become U+FFFD with a warning; a byte
 * order mark is dropped.
 */
class XmlText {
  readonly #warnings: Warnings;
  #decoder: TextDecoder | undefined;

  constructor(warnings: Warnings) {
    this.#warnings = warnings;
  }

  decode(chunk: Uint8Array): string {
    this.#decoder ??= this.#decoderFor(chunk);
    return this.#checked(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): string {
    return this.#checked(this.#decoder?.decode() ?? '');
  }

  #checked(text: string): string {
    if (text.includes('\ufffd')) this.#warnings.add('not-utf-8');
    return text;
  }

  #decoderFor(chunk: Uint8Array): TextDecoder {
    const label = detectUtf16(chunk) ?? declaredEncoding(chunk) ?? 'utf-8';
    try {
      const decoder = new TextDecoder(label);
      if (decoder.encoding !== 'utf-8') this.#warnings.add('other-encoding', undefined, decoder.encoding);
      return decoder;
    } catch {
      this.#warnings.add('other-encoding', undefined, label);
      return new TextDecoder('utf-8');
    }
  }
}

/** A declaration that is readable byte by byte is not UTF-16, whatever it states. */
function declaredEncoding(chunk: Uint8Array): string | undefined {
  const start = Buffer.from(chunk.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const label = /^[^<]{0,8}<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})["']/
    .exec(start)?.[1]
    ?.toLowerCase();
  return label?.startsWith('utf-16') || label === 'us-ascii' ? 'utf-8' : label;
}

/** What is known about the report from outside the document, and the list that collects its warnings. */
export interface ReportContext {
  readonly warnings: Warnings;
  /** The name of the attachment, which contains the policy domain and the period (RFC 7489 section 7.2.1.1). */
  readonly fileName?: string;
  /** The start tag of the root element, which declares the namespace. */
  readonly root?: string;
  /** When the report was received. Without it, the period is not checked against a time. */
  readonly now?: Date;
}

const policyValues: ReadonlySet<string> = new Set(['none', 'quarantine', 'reject']);
/** RFC 9990: by the public suffix list (RFC 7489), or by the tree walk of RFC 9989. */
const discoveryMethods: ReadonlySet<string> = new Set(['psl', 'treewalk']);

/** Throws a refusal if a value is missing that identifies the report or its period. */
export function readHeader(texts: Texts<'header'>, context: ReportContext): DmarcReportHeader {
  const { warnings } = context;
  const named = reportFileName(context.fileName ?? '');
  const period = readPeriod(texts, named, warnings);
  checkPeriod(period, context.now, warnings);
  const { email } = texts;
  return {
    kind: 'dmarc',
    reportId: readReportId(texts.report_id, named?.reportId, warnings),
    orgName: readOrgName(texts.org_name, email, warnings),
    email,
    extraContactInfo: texts.extra_contact_info || null,
    dateRangeBegin: period.begin.toISOString(),
    dateRangeEnd: period.end.toISOString(),
    policyDomain: readPolicyDomain(texts.domain, named?.domain, warnings),
    ...readPolicy(texts, warnings),
    specification: specificationOf(texts, context.root ?? ''),
    generator: texts.generator || null,
  };
}

const NAMESPACE = 'urn:ietf:params:xml:ns:dmarc-2.0';

/**
 * RFC 9990 removed `pct`, and some reporters put its namespace around a report of RFC 7489. `np` is no sign of it: RFC
 * 9091 extended RFC 7489 by that tag.
 */
function specificationOf(texts: Texts<'header'>, root: string): DmarcReportHeader['specification'] {
  const hasNewElement = [texts.testing, texts.discovery_method, texts.generator].some((text) => text !== '');
  const isNew = texts.pct === '' && (hasNewElement || root.includes(NAMESPACE));
  return isNew ? 'RFC 9990' : 'RFC 7489';
}

function readReportId(text: string, named: string | undefined, warnings: Warnings): string {
  if (text !== '') return text;
  if (named === undefined) throw unreadable('report_metadata/report_id is missing');
  warnings.add('report-id-from-file-name', undefined, named);
  return named;
}

function readOrgName(text: string, email: string, warnings: Warnings): string {
  if (text !== '') return text;
  warnings.add('missing-org-name', () => 'report_metadata/org_name');
  return normalizedDomain(domainOf(email).replace(/>$/, ''));
}

function readPeriod(header: Texts<'header'>, named: Period | undefined, warnings: Warnings): Period {
  const begin = parseInstant(header.begin, 'date_range/begin', warnings);
  const end = parseInstant(header.end, 'date_range/end', warnings);
  if (begin !== undefined && end !== undefined) return { begin, end };
  if (named === undefined) {
    throw unreadable(`date_range/${begin === undefined ? 'begin' : 'end'} is missing or not a valid time`);
  }
  warnings.add('date-from-file-name', () => 'report_metadata/date_range');
  return { begin: begin ?? named.begin, end: end ?? named.end };
}

function readPolicy(policy: Texts<'header'>, warnings: Warnings) {
  const at = (name: string) => () => `policy_published/${name}`;

  function choice(
    name: 'p' | 'sp' | 'np' | 'adkim' | 'aspf' | 'discovery_method',
    allowed: ReadonlySet<string>,
    unknown: WarningId,
  ): string | null {
    const text = policy[name];
    if (text === '') return null;
    const lower = text.toLowerCase();
    if (lower !== text) warnings.add('capitals-in-value', at(name), text);
    if (allowed.has(lower)) return lower;
    warnings.add(unknown, at(name), text);
    return name === 'p' || name === 'discovery_method' ? lower : null;
  }

  const policyP = choice('p', policyValues, 'unknown-policy');
  if (policyP === null) warnings.add('missing-policy', at('p'));
  return {
    policyP: policyP ?? 'none',
    policySp: choice('sp', policyValues, 'unknown-policy'),
    policyNp: choice('np', policyValues, 'unknown-policy'),
    policyAdkim: choice('adkim', new Set('rs'), 'unknown-alignment') ?? 'r',
    policyAspf: choice('aspf', new Set('rs'), 'unknown-alignment') ?? 'r',
    policyPct: readPercentage(policy.pct, warnings),
    testing: policy.testing.toLowerCase() === 'y',
    discoveryMethod: choice('discovery_method', discoveryMethods, 'unknown-discovery-method'),
  };
}

function readPolicyDomain(stated: string, named: string | undefined, warnings: Warnings): string {
  const text = stated || (named ?? '');
  const domain = normalizedDomain(text);
  if (domain === '') throw unreadable('policy_published/domain is missing');
  if (stated === '') warnings.add('domain-from-file-name', () => 'policy_published/domain', domain);
  if (!isLookupName(domain)) throw unreadable('policy_published/domain is not a domain name');
  if (domain !== text.toLowerCase())
    warnings.add('policy-domain-form', () => 'policy_published/domain', text);
  return domain;
}

function readPercentage(text: string, warnings: Warnings): number {
  if (text === '') return 100;
  const percentage = wholeNumber(text);
  if (percentage !== undefined && percentage <= 100) return percentage;
  warnings.add('invalid-percentage', () => 'policy_published/pct', text);
  return 100;
}
