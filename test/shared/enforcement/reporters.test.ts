import { expect, test } from '@jest/globals';
import { reportersOf } from '../../../shared/enforcement/reporters.ts';
import { history, owner, ownMail, report, reportFrom } from '../../kit/report-history.ts';

test('reporters differ by the authenticated domain of their mail, whatever they call themselves', async () => {
  const days = history(0, 1, () => [
    reportFrom('reports.google.com', [ownMail({ count: 3 })], { reporter: 'google.com' }),
    reportFrom('google.com', [ownMail({ count: 2 })], { reporter: 'google.com' }),
    reportFrom('forger.example', [ownMail({ count: 4 })], { reporter: 'google.com' }),
    report([ownMail({ count: 1 })], {
      ...{ reporter: 'google.com', authenticated: false, authenticatedDomain: null },
    }),
  ]);
  const found = await reportersOf(owner, days);
  expect(
    found.map(({ reporter, domain, reports, messages }) => [reporter, domain, reports, messages]),
  ).toEqual([
    ['google.com', 'google.com', 4, 10],
    ['google.com', 'forger.example', 2, 8],
    ['google.com', null, 2, 2],
  ]);
});
