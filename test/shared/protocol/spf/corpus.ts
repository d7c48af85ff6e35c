/** The shared corpus of check_host() suites: files of scenarios, each with a zone and the results of its cases. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { ZoneLiteral, ZoneNode } from '../../../kit/zone.ts';

const CORPUS = new URL('../../../../../shared/corpus/', import.meta.url);
const FOLDER = new URL('spf/', CORPUS);

interface SuiteCase {
  readonly id: string;
  readonly helo: string;
  readonly mailfrom: string;
  readonly host: string;
  /** Every correct result. */
  readonly expected: readonly string[];
  /** `DEFAULT` is the explanation of the receiver, so the domain has none. */
  readonly explanation?: string;
  readonly receiver?: string;
  readonly disputed?: string;
  readonly quirk?: string;
  /** 0 is a case for a lax mode beyond the RFC. */
  readonly strict?: number;
}

export interface Scenario {
  readonly scenario: string;
  readonly zone: ZoneLiteral;
  readonly cases: readonly SuiteCase[];
}

interface SuiteRecord {
  readonly type: string;
  readonly value?: string | readonly string[];
}

export const hasCorpus = existsSync(FOLDER);

/** Every file of the folder with the structure of a suite, by file name. */
export function suites(): { readonly file: string; readonly scenarios: readonly Scenario[] }[] {
  return readdirSync(FOLDER).flatMap((file) => {
    const suite = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
    if (suite.format !== 'spf-suite/1') return [];
    const scenarios: Scenario[] = suite.scenarios.map(
      (scenario: { scenario: string; zone: Record<string, SuiteRecord[]>; cases: SuiteCase[] }) => ({
        ...scenario,
        zone: Object.fromEntries(
          Object.entries(scenario.zone).map(([name, records]) => [name, node(records)]),
        ),
      }),
    );
    return [{ file, scenarios }];
  });
}

/**
 * Whether a case counts. Excluded are cases with a disputed result, cases for a lax mode, and cases that expect a
 * verdict for a sender at a single-label name, for which check_host() returns none (RFC 7208 section 4.3).
 */
export function isScored({ disputed, quirk, strict, mailfrom, expected }: SuiteCase): boolean {
  const singleLabel = mailfrom !== '' && !mailfrom.slice(mailfrom.lastIndexOf('@') + 1).includes('.');
  if (singleLabel && !expected.includes('none')) return false;
  return disputed === undefined && quirk === undefined && strict !== 0;
}

interface RecordCase {
  readonly id: string;
  readonly text: string;
  readonly valid: boolean;
}

/** SPF records of two files, and whether they are valid by the grammar of RFC 7208. */
export function recordCases(): RecordCase[] {
  const cases = ['records/001-spf-record.json', 'records/009-real-spf.json'].flatMap(
    (file) => JSON.parse(readFileSync(new URL(file, CORPUS), 'utf8')).cases,
  );
  return cases.flatMap(({ id, input, origin_verdict, record, strict_problems, quirk, disputed }) => {
    if (quirk !== undefined || disputed !== undefined) return [];
    const valid = strict_problems === undefined ? origin_verdict === 'valid' : strict_problems.length === 0;
    return [{ id, text: input ?? record, valid }];
  });
}

/** The records of a name as a zone literal; a failure applies to every type without records. */
function node(records: readonly SuiteRecord[]): ZoneNode | 'TIMEOUT' | 'SERVFAIL' {
  const failure = records.find(({ type }) => type === 'TIMEOUT' || type === 'SERVFAIL');
  const held: Record<string, unknown> =
    failure === undefined ? {} : Object.fromEntries(TYPES.map((type) => [type, failure.type]));
  for (const { type, value } of records) {
    if (value === undefined) continue;
    const before = Array.isArray(held[type]) ? held[type] : [];
    held[type] = [...before, type === 'MX' ? [10, value] : value];
  }
  return held as ZoneNode;
}

const TYPES = ['A', 'AAAA', 'MX', 'TXT', 'PTR'];
