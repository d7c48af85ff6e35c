import { expect, test } from '@jest/globals';
import { dmarcReportsQuery } from '../../../shared/api/report-queries.ts';

const FORMAT = 'must be an ISO 8601 date, or a date and time';

test.each([
  ['2026-02-05T07:00:00+01:00', '2026-02-05T06:00:00.000Z'],
  // An unescaped plus sign.
  ['2026-02-05T07:00:00 01:00', '2026-02-05T06:00:00.000Z'],
  ['2026-02-05T01:00:00-05:00', '2026-02-05T06:00:00.000Z'],
  ['2026-02-03T06:00:00', '2026-02-03T06:00:00.000Z'],
  ['2026-02-03t06:00z', '2026-02-03T06:00:00.000Z'],
  ['2026-02-03T06:00:00.001', '2026-02-03T06:00:00.001Z'],
  ['9999-12-31', '9999-12-31T00:00:00.000Z'],
  ['1970-01-01', '1970-01-01T00:00:00.000Z'],
  ['1970-01-01T00:00+00:01', 'must not be before 1970'],
  ['1969-12-31', 'must not be before 1970'],
  ['0000-01-21', 'must not be before 1970'],
  ['9999-12-31T23:59:59-01:00', FORMAT],
  ['2026-13-01', FORMAT],
  ['2026-02-30T00:00', FORMAT],
  ['2026-02-03T24:00', FORMAT],
  ['2026-02-03T', FORMAT],
  ['1767225600', FORMAT],
  ["2026-01-01' OR 1=1", FORMAT],
  ['9'.repeat(5000), FORMAT],
])('a report query reads the time %s as %s', (startDate, expected) => {
  const { data, error } = dmarcReportsQuery.safeParse({ startDate });
  expect(data?.startDate ?? error?.issues[0]?.message).toBe(expected);
});

test('a window ends after its begin', () => {
  const { error } = dmarcReportsQuery.safeParse({ startDate: '2026-02-03', endDate: '2026-02-02' });
  expect(error?.issues.map(({ path }) => path)).toEqual([['startDate']]);
});
