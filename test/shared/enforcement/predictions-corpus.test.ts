import { expect, test } from '@jest/globals';
import { alignments } from '../../../shared/enforcement/alignment.ts';
import { appliedPolicy, termsOfReport } from '../../../shared/enforcement/policy-terms.ts';
import { summaryOf } from '../../../shared/reports/dmarc/summary/summarise.ts';
import { readFile } from '../../../shared/reports/read-mail.ts';
import type { DmarcRecordRow, DmarcReportHeader } from '../../../shared/reports/report.ts';
import { corpusBytes, corpusJson, corpusSuite } from '../../kit/corpus.ts';
import { withRows } from '../reports/read.ts';

interface Item {
  readonly path: string;
  readonly kind: string;
  readonly original_name: string;
}

/** The results in which a prediction differs from a report: what the report states although its own data differ. */
function differences(report: DmarcReportHeader, row: DmarcRecordRow): string[] {
  const { records, policy } = summaryOf(report, { authenticated: null }, [row]);
  const [record] = records;
  if (record === undefined || policy === null) return [];
  const predicted = alignments().evaluated(record, policy);
  const wrong: string[] = [];
  if (row.dkimResults.length > 0 && predicted.dkim !== (record.dkim === 'pass'))
    wrong.push(`dkim ${record.dkim}`);
  if (row.spfResults.length > 0 && predicted.spf !== (record.spf === 'pass')) wrong.push(`spf ${record.spf}`);
  // A receiver may do less or more than the policy asks for, and then says why.
  if (row.reasons.length > 0 || policy.pct < 100) return wrong;
  const passes = record.dkim === 'pass' || record.spf === 'pass';
  const tag = record.headerFrom === policy.domain ? 'p' : 'sp';
  const disposition = passes ? 'none' : appliedPolicy(termsOfReport(policy), tag);
  return disposition === record.disposition ? wrong : [...wrong, `disposition ${record.disposition}`];
}

/**
 * Every record of the corpus whose reported result contradicts its own data, by file and number: the results as
 * reported, and the fault of the reporter.
 */
const faults: Readonly<Record<string, readonly [results: string, fault: string]>> = {
  '004 1': ['disposition quarantine', 'quarantined although aligned DKIM passed, and no reason'],
  '013 1': [
    'spf fail, disposition none',
    'the identical domain passed SPF; the disposition is not one of the RFC',
  ],
  '017 1': ['disposition quarantine', 'quarantined although aligned DKIM passed, and no reason'],
  '018 1': [
    'spf fail, disposition none',
    'the identical domain passed SPF; p=reject was not applied, and no reason',
  ],
  '021 1': ['spf fail', 'the identical domain passed SPF'],
  '026 2': ['disposition quarantine', 'quarantined under p=none, and no reason'],
  '032 2': ['disposition quarantine', 'quarantined under p=none, and no reason'],
  '033 1': ['dkim pass', 'the only signature that verified is of another organization'],
  '035 1': ['spf pass', 'the only SPF result is a fail'],
  '036 1': ['disposition reject', 'rejected although both mechanisms passed'],
  '041 2': ['disposition reject', 'rejected although aligned SPF passed'],
  '042 1': ['dkim pass', 'the only signature that verified is of another organization'],
  '042 2': ['spf pass', 'the only SPF result is a softfail'],
  '043 1': ['dkim pass', 'the only signature that verified is of another organization'],
  '060 1': ['dkim fail', 'the signature of the identical domain verified'],
  '066 1': ['dkim pass', 'the only signature that verified is of another organization'],
  '084 2': ['disposition quarantine', 'quarantined under p=reject, and no reason'],
  '084 3': ['disposition reject', 'rejected although aligned SPF passed'],
  '090 1': ['dkim pass', 'the only signature that verified is of another organization'],
};

corpusSuite('predictions under the policy that each report states', () => {
  test('agree with every reported result that its own data explain', async () => {
    const items: readonly Item[] = corpusJson('manifest.json').files;
    const differing: Record<string, string> = {};
    const byReporter = new Map<string, { rows: number; differing: number }>();
    for (const { path, kind, original_name: name } of items) {
      if (kind !== 'dmarc-aggregate') continue;
      const [outcome] = await readFile(name ?? path, corpusBytes(path));
      if (outcome?.outcome !== 'dmarc') continue;
      const { report, rows } = await withRows(outcome);
      const counts = byReporter.get(report.orgName) ?? { rows: 0, differing: 0 };
      byReporter.set(report.orgName, counts);
      rows.forEach((row, index) => {
        const wrong = differences(report, row);
        counts.rows += 1;
        if (wrong.length === 0) return;
        counts.differing += 1;
        differing[`${path.replace(/^.*\/(\d+).*$/, '$1')} ${index + 1}`] = wrong.join(', ');
      });
    }
    expect(differing).toEqual(
      Object.fromEntries(Object.entries(faults).map(([at, [results]]) => [at, results])),
    );
    // Counted per reporter, so that one large file decides nothing.
    const reporters = [...byReporter.values()];
    expect(reporters).toHaveLength(44);
    expect(reporters.filter((counts) => counts.differing > 0)).toHaveLength(11);
  });
});
