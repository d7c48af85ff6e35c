import { describe, expect, test } from '@jest/globals';
import { sampleReports } from '../../../../lib/admin/demo/sample-reports.ts';
import { sampleDomains } from '../../../../lib/admin/demo/senders.ts';
import { exampleDomains, fails } from '../../../../lib/local/example-internet/zone-data.ts';
import { readFile } from '../../../../shared/reports/read-mail.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const day = (iso: string) => iso.slice(0, 10);

test('every example domain that can be verified has reports', () => {
  expect(sampleDomains.map(({ domain }) => domain).toSorted()).toEqual(
    exampleDomains.filter((domain) => !fails(domain)).toSorted(),
  );
});

describe('the sample reports', () => {
  test('can be read, and are about 400 days up to yesterday', async () => {
    for (const sample of sampleDomains) {
      const days: string[] = [];
      for (const { name, bytes, receivedAt } of sampleReports(sample, now)) {
        const [reading] = bytes === 'too-large' ? [] : await readFile(name, bytes, { now: receivedAt });
        if (reading?.outcome !== 'dmarc' && reading?.outcome !== 'tls')
          throw new Error(`${name}: ${JSON.stringify(reading)}`);
        const { warnings, report } = reading;
        expect(warnings).toEqual([]);
        days.push(day(report.dateRangeBegin));
      }
      if (!['good.test', 'weak.test'].includes(sample.domain)) continue;
      const distinct = new Set(days);
      expect([days[0], days.at(-1), distinct.size]).toEqual(['2025-01-25', '2026-02-28', 400]);
    }
  });

  test('of a day do not change with the time of the import', () => {
    const [sample] = sampleDomains;
    if (sample === undefined) throw new Error('no sample');
    const later = new Map(
      [...sampleReports(sample, new Date('2026-03-02T23:00:00.000Z'))].map((one) => [one.name, one.bytes]),
    );
    const same = [...sampleReports(sample, now)].filter(
      ({ name, bytes }) =>
        later.has(name) && Buffer.compare(later.get(name) as Buffer, bytes as Buffer) === 0,
    );
    expect(same.length).toBeGreaterThan(399);
  });
});
