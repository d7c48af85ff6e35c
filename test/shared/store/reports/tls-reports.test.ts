import { describe, expect, test } from '@jest/globals';
import { tlsReportStore } from '../../../../shared/store/reports/tls-reports.ts';
import { arrival, policy, registeredDomain, storeTls, tlsReport } from '../../../kit/reports.ts';
import { useTable } from '../../../kit/use-table.ts';

const table = await useTable();
const reports = tlsReportStore(table, { retentionDays: 0 });

const now = arrival.receivedAt;
const everything = { window: {}, page: 1, limit: 100 };

describe('a TLS report', () => {
  test('counts at most ten billion sessions, so that sums of forged reports are exact', async () => {
    const domain = await registeredDomain(table);
    const forged = policy({ successCount: Number.MAX_SAFE_INTEGER, failureCount: 10 ** 10 + 1 });
    await storeTls(reports, domain, tlsReport('2026-02-23', [forged, forged]));
    const { summary } = await reports.list(domain.id, everything, now);
    expect(summary).toEqual({ reports: 1, passed: 10 ** 10, failed: 10 ** 10 });
  });

  test('with a single policy larger than an item is stored completely', async () => {
    const domain = await registeredDomain(table);
    const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(60))).toString('base64');
    const failureDetails = Array.from({ length: 20_000 }, () => ({
      resultType: 'validation-failure',
      sendingMtaIp: '192.0.2.1',
      receivingMxHostname: noise(),
      receivingMxHelo: null,
      receivingIp: null,
      failedSessionCount: 1,
      additionalInformation: null,
      failureReasonCode: null,
    }));
    const policies = [policy({ failureCount: 20_000, failureDetails })];
    await storeTls(reports, domain, tlsReport('2026-02-23', policies));
    const {
      reports: [listed],
    } = await reports.list(domain.id, everything, now);
    expect(listed && [...(await reports.policiesOf(domain.id, listed))]).toEqual(policies);
  });
});
