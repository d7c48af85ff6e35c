import { expect, test } from '@jest/globals';
import type { CheckResults } from '../../../shared/checks/results.ts';
import { recentAssessment } from '../../../shared/enforcement/recent-assessment.ts';
import { enforcement } from '../../../shared/enforcement/shapes.ts';
import { checkStore } from '../../../shared/store/check-runs/checks.ts';
import type { Domain } from '../../../shared/store/domains/domains.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { assessmentStore } from '../../../shared/store/enforcement/assessments.ts';
import { decisionStore } from '../../../shared/store/enforcement/decisions.ts';
import { dmarcReportStore } from '../../../shared/store/reports/dmarc-reports.ts';
import { summaryStore } from '../../../shared/store/reports/summaries.ts';
import { dmarcReport, registeredDomain, storeDmarc } from '../../kit/reports.ts';
import { perfectResults } from '../../kit/results.ts';
import { useTable } from '../../kit/use-table.ts';
import { assessmentDependencies } from '../../kit/watch.ts';

const noDns = { lookup: () => Promise.reject(new Error('no lookup is needed')) };
const MINUTE = 60_000;

let now = new Date('2026-03-01T06:00:00Z');

const table = await useTable();
const domain = await registeredDomain(table);

const after = (minutes: number) => new Date(now.getTime() + minutes * MINUTE);

function assess(at: Date, of: Domain = domain) {
  return recentAssessment(
    { ...of, mailbox: 'box@reports.example' },
    {
      ...assessmentDependencies(
        table,
        () => [],
        () => at,
      ),
      ...{ summaries: summaryStore(table), assessments: assessmentStore(table, enforcement), dns: noDns },
    },
  );
}

test('an assessment is kept for an hour, and calculated anew after it', async () => {
  const first = await assess(now);
  expect(first).toMatchObject({ calculatedAt: now.toISOString(), assessment: { stage: 'no-record' } });
  await storeDmarc(dmarcReportStore(table, { retentionDays: 0 }), domain, dmarcReport('2026-02-28'));
  expect(await assess(after(59))).toEqual(first);
  now = after(61);
  const second = await assess(now);
  expect(second.calculatedAt).toBe(now.toISOString());
  expect(second.assessment.stage).toBe('reject');
});

test('of an assessment that an earlier release kept, reports are not counted, and rules have data and count', async () => {
  const { assessment } = await assess(after(120), await registeredDomain(table));
  const { reports: _, ...before } = assessment;
  const rule = {
    id: 'reporters',
    name: '',
    required: '',
    actual: '',
    measures: [],
    attested: false,
    holds: true,
  };
  const read = enforcement.parse({ ...before, rule: [rule] });
  expect(read.reports).toEqual({ authenticated: 0, unauthenticated: 0 });
  expect(read.rule).toEqual([{ ...rule, measured: true, advisory: false }]);
});

test('a decision, an attestation and a check run are seen at once', async () => {
  const decision = { senderId: 'a', note: null, changedBy: null };
  const changes = [
    () =>
      decisionStore(table).decide(
        domain,
        { ...decision, status: 'approved', changedAt: after(1).toISOString() },
        undefined,
      ),
    async () => {
      const decisions = decisionStore(table);
      const before = await decisions.attestations(domain.id);
      await decisions.attest(domain, { volume: { at: after(2).toISOString(), by: null } }, before);
    },
    async () => {
      const known = (await domainStore(table).get(domain.organization, domain.id)) ?? domain;
      const results = perfectResults('sends-and-receives');
      await checkStore(table).keep(known, { checkedAt: after(3).toISOString(), results });
    },
  ];
  for (const [minutes, change] of changes.entries()) {
    const at = after(minutes + 5);
    expect((await assess(at)).calculatedAt).not.toBe(at.toISOString());
    await change();
    expect((await assess(at)).calculatedAt).toBe(at.toISOString());
  }
});

test('the next record is that of a check, and unknown without one', async () => {
  const fresh = await registeredDomain(table);
  const nextRecord = async (given: Partial<CheckResults['dmarc']>, minutes: number) => {
    const { dmarc, ...others } = perfectResults('sends-and-receives');
    const record = 'v=DMARC1; p=none; rua=mailto:a@example.org';
    const results = { ...others, dmarc: { ...dmarc, policyDomain: 'example.org', record, ...given } };
    await checkStore(table).keep(fresh, { checkedAt: after(minutes).toISOString(), results });
    return (await assess(after(minutes), fresh)).assessment.nextRecord;
  };
  expect((await assess(now, fresh)).assessment.nextRecord).toBeNull();
  expect(await nextRecord({}, 1)).toBe('v=DMARC1; p=reject; rua=mailto:a@example.org');
  expect(await nextRecord({ state: 'unknown', record: null }, 2)).toBeNull();
});
