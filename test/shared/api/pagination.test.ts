import { describe, expect, test } from '@jest/globals';
import { alertsQuery } from '../../../shared/api/alerts.ts';
import { domainsQuery } from '../../../shared/api/domains.ts';
import { sourcesQuery } from '../../../shared/api/report-queries.ts';

describe.each([
  ['alerts', alertsQuery, '100', 'use pageToken, or narrow the list with since, until or a filter'],
  ['sources', sourcesQuery, '100', 'narrow the period with startDate and endDate'],
  ['domains', domainsQuery, '1000', 'use a filter, or read other domains by their ID'],
] as const)('the list of %s', (_name, schema, last, narrower) => {
  const issuesOf = (page: string) => schema.safeParse({ page, limit: '100' }).error?.issues;

  test('has a last page', () => {
    expect(issuesOf(last)).toBeUndefined();
  });

  test('says for a later page how to narrow the query', () => {
    const message = `page times limit must not exceed ${Number(last) * 100}: ${narrower}`;
    expect(issuesOf(`${Number(last) + 1}`)).toMatchObject([{ path: ['page'], message }]);
  });

  test('has more pages if they are smaller', () => {
    expect(schema.safeParse({ page: `${Number(last) + 1}`, limit: '99' }).success).toBe(true);
  });
});
