import { describe, expect, test } from '@jest/globals';
import { readFile } from '../../../shared/reports/read-mail.ts';
import type { ReportReading, TlsReading } from '../../../shared/reports/report.ts';
import { corpusBytes, corpusJson, corpusSuite } from '../../kit/corpus.ts';
import { type ReadReport, withRows } from './read.ts';

interface Item {
  readonly path: string;
  readonly kind: string;
  readonly original_name: string;
  // biome-ignore lint/suspicious/noExplicitAny: foreign data of several shapes
  readonly expected: any;
}

/** Expected differences from the facts of the corpus, which are literal values, and the reasons. */
const ours: Readonly<Record<string, object>> = {
  // The periods are not numbers. A report without a period is rejected.
  'dmarc-aggregate/079': { parse: 'invalid' },
  // <data_range> is read as <date_range>.
  'dmarc-aggregate/067': { begin: 1_705_904_907, end: 1_705_909_138 },
  // Numbers in strings are accepted.
  'tlsrpt/020': { successful: 43, failed: 7 },
};

const deviation = (path: string): object => ours[path.slice(0, path.indexOf('/') + 4)] ?? {};

async function outcomeOf({ path, original_name: name }: Item): Promise<ReportReading | undefined> {
  const outcomes = await readFile(name ?? path, corpusBytes(path));
  expect(outcomes).toHaveLength(1);
  return outcomes[0];
}

corpusSuite('the corpus', () => {
  const items: readonly Item[] = corpusJson('manifest.json').files;
  const of = (kind: string) =>
    items.filter((item) => item.kind === kind).map((item) => [item.path, item] as const);

  describe('of aggregate reports', () => {
    test.each(of('dmarc-aggregate'))('%s gives its facts or its refusal', async (path, item) => {
      const expected = { ...item.expected, ...deviation(path) };
      const outcome = await outcomeOf(item);
      if (expected.parse === 'invalid') {
        expect(['unreadable', 'not-a-report']).toContain(outcome?.outcome);
        return;
      }
      if (expected.parse === 'error-or-tolerant' && outcome?.outcome === 'unreadable') {
        expect(outcome.detail).not.toBe('');
        return;
      }
      const facts = { ...(expected.reports?.[0] ?? expected.tolerant_facts), ...deviation(path) };
      expect(factsOf(await withRows(outcome), facts)).toEqual(pickFacts(facts));
    });

    test('has the discovery method of reports that state one', async () => {
      const found: (string | null)[] = [];
      for (const [path, item] of of('dmarc-aggregate')) {
        const [, stated] = /<discovery_method>(\w+)</.exec(String(Buffer.from(corpusBytes(path)))) ?? [];
        if (stated === undefined) continue;
        const { report } = await withRows(await outcomeOf(item));
        expect(report.discoveryMethod).toBe(stated);
        found.push(report.discoveryMethod);
      }
      expect(found).toEqual(Array(5).fill('treewalk'));
    });

    test('is read completely, except for one truncated report', async () => {
      const tolerated = items.filter(({ expected }) => expected.parse === 'error-or-tolerant');
      const outcomes = await Promise.all(tolerated.map(outcomeOf));
      expect(outcomes.filter((outcome) => outcome?.outcome !== 'dmarc')).toEqual([
        expect.objectContaining({ outcome: 'unreadable', detail: expect.stringContaining('truncated') }),
      ]);
    });
  });

  describe('of TLS reports', () => {
    test.each(of('tlsrpt'))('%s gives its facts or its refusal', async (path, item) => {
      const outcome = await outcomeOf(item);
      if (item.expected.parse === 'error') {
        const [missing] = /[a-z]+-[a-z]+|policies/.exec(item.expected.must) ?? [];
        expect(outcome).toMatchObject({
          outcome: 'unreadable',
          detail: expect.stringContaining(missing ?? '?'),
        });
        return;
      }
      const [facts] = item.expected.reports;
      const { report, counts } = outcome as TlsReading;
      expect(report).toMatchObject({
        reportId: facts.report_id,
        organizationName: facts.organization_name,
        contactInfo: facts.contact_info ?? '',
        dateRangeBegin: new Date(`${facts.start.slice(0, 19)}Z`).toISOString(),
        dateRangeEnd: new Date(`${facts.end.slice(0, 19)}Z`).toISOString(),
      });
      expect(counts).toEqual({
        successful: facts.successful_sessions,
        failed: facts.failed_sessions,
        ...deviation(path),
      });
      expect(
        report.policies.map(({ policyType, policyDomain, failureDetails }) => ({
          type: policyType,
          domain: policyDomain,
          failure_details: failureDetails.length,
          result_types: [...new Set(failureDetails.map(({ resultType }) => resultType))].sort(),
        })),
      ).toEqual(
        facts.policies.map(
          (policy: {
            type: string;
            domain: string | null;
            failure_details: number;
            result_types: string[];
          }) => ({
            type: policy.type.toLowerCase(),
            domain: (policy.domain ?? '').toLowerCase().replace(/\.$/, ''),
            failure_details: policy.failure_details,
            result_types: policy.result_types,
          }),
        ),
      );
    });
  });

  describe('of failure reports', () => {
    test.each(of('arf'))('%s is recognized', async (_path, item) => {
      expect(await outcomeOf(item)).toMatchObject({ outcome: 'failure' });
    });
  });
});

const seconds = (time: string): number => Date.parse(time) / 1000;

/** The facts of a reading under the names in the corpus, as far as the corpus states them. */
function factsOf({ report, counts, rows }: ReadReport, stated: object): object {
  const dispositions: Record<string, number> = {};
  for (const { disposition, reportedDisposition = disposition, count } of rows)
    dispositions[reportedDisposition] = (dispositions[reportedDisposition] ?? 0) + count;
  return pickFacts(
    {
      org_name: report.orgName,
      email: report.email,
      report_id: report.reportId,
      domain: report.policyDomain,
      begin: seconds(report.dateRangeBegin),
      end: seconds(report.dateRangeEnd),
      p: report.policyP,
      sp: report.policySp,
      np: report.policyNp,
      pct: report.policyPct,
      adkim: report.policyAdkim,
      aspf: report.policyAspf,
      records: counts.records,
      messages: counts.messages,
      messages_pass: counts.passed,
      messages_fail: counts.failed,
      dispositions,
      source_ips: rows.map(({ sourceIp }) => sourceIp),
    },
    stated,
  );
}

function pickFacts(facts: object, stated: object = facts): object {
  const names = Object.entries(stated).filter(([name, value]) => knownFacts.has(name) && value !== null);
  return Object.fromEntries(
    names.map(([name]) => {
      const value = facts[name as keyof typeof facts] as unknown;
      if (name === 'begin' || name === 'end') return [name, Math.trunc(Number(value))];
      if (name === 'source_ips') return [name, [...new Set(value as string[])].map((ip) => ip ?? '').sort()];
      if (name === 'dispositions') return [name, { none: 0, ...renamed(value as Record<string, number>) }];
      return [name, value];
    }),
  );
}

/** A missing disposition counts as `none`. */
function renamed({ None: missing = 0, none = 0, ...others }: Record<string, number>): Record<string, number> {
  return { ...others, none: none + missing };
}

const knownFacts: ReadonlySet<string> = new Set(
  'org_name email report_id domain begin end p sp np pct adkim aspf records messages messages_pass messages_fail dispositions source_ips'.split(
    ' ',
  ),
);
