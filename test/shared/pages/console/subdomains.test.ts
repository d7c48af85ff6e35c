/** The subdomains that reports show: what counts, their records as DNS has them, and the policy that applies. */
import { expect, test } from '@jest/globals';
import { domainViewQuery } from '../../../../shared/api/console-domain.ts';
import { subdomainsOf } from '../../../../shared/enforcement/subdomains.ts';
import { Refused } from '../../../../shared/operations/outcome.ts';
import { subdomainsPage } from '../../../../shared/pages/console/domain/subdomains.ts';
import { CONSOLE_ROOM } from '../../../../shared/pages/console/layout.ts';
import { subdomainsView } from '../../../../shared/views/domain/subdomains.ts';
import { shownDomain } from '../../../kit/domain-views.ts';
import { dayNumber, history, owner, ownMail, report } from '../../../kit/report-history.ts';
import { type ZoneLiteral, zone } from '../../../kit/zone.ts';

const now = new Date(`${dayNumber(3)}T12:00:00Z`);

const days = history(0, 2, () => [
  report([
    ownMail({ count: 10 }),
    ownMail({ count: 5, headerFrom: `news.${owner}` }),
    ownMail({ count: 2, headerFrom: `news.${owner}`, dkim: 'fail', spf: 'fail' }),
    ownMail({ count: 1, headerFrom: `forged.${owner}`, dkim: 'fail', spf: 'fail' }),
    ownMail({ count: 99, headerFrom: `not${owner}` }),
    ownMail({ count: 99, headerFrom: `${'x'.repeat(64)}.${owner}` }),
    ownMail({ count: 99, headerFrom: null }),
  ]),
  report([ownMail({ count: 40, headerFrom: `sub.own.${owner}` })], { authenticated: false }),
]);

test('only names below the domain that DNS can have count, most messages first', () => {
  const seen = { firstSeen: dayNumber(0), lastSeen: dayNumber(2) };
  expect(subdomainsOf(owner, days)).toEqual([
    { name: `sub.own.${owner}`, messages: 120, passedMessages: 120, authenticatedMessages: 0, ...seen },
    { name: `news.${owner}`, messages: 21, passedMessages: 15, authenticatedMessages: 21, ...seen },
    { name: `forged.${owner}`, messages: 3, passedMessages: 0, authenticatedMessages: 3, ...seen },
  ]);
});

/** The domain itself, with its record. */
const parent = (record = 'v=DMARC1; p=reject; sp=quarantine; np=reject') =>
  ({
    [owner]: { MX: [[10, `mx.${owner}`]] },
    [`_dmarc.${owner}`]: { TXT: [record] },
  }) as const satisfies ZoneLiteral;

async function shown(zones: ZoneLiteral, record?: string) {
  const view = await subdomainsView(
    { id: shownDomain.id, domain: owner },
    domainViewQuery.parse({ startDate: dayNumber(0), endDate: dayNumber(3) }),
    {
      summaries: { readSummaries: async () => days } as never,
      dns: zone({ ...parent(record), ...zones }),
    },
    now,
  );
  if (view instanceof Refused) throw new Error(view.message);
  return view;
}

test('each has its records, and the policy of its own record, of sp, or of np if it does not exist', async () => {
  const zones = {
    [`sub.own.${owner}`]: { TXT: ['v=spf1 -all', 'x'], MX: [[10, 'mx.example.net']] },
    [`_dmarc.sub.own.${owner}`]: { TXT: ['v=DMARC1; p=none'] },
    [`news.${owner}`]: { A: ['192.0.2.1'] },
  } as const satisfies ZoneLiteral;
  const { rows, total } = await shown(zones);
  expect(total).toBe(3);
  expect(rows.map(({ exists, policy, dmarc, spf, mx }) => ({ exists, policy, dmarc, spf, mx }))).toEqual([
    {
      ...{ exists: true, policy: { policy: 'none', from: 'own' }, dmarc: ['v=DMARC1; p=none'] },
      ...{ spf: ['v=spf1 -all'], mx: ['mx.example.net'] },
    },
    { exists: true, policy: { policy: 'quarantine', from: 'sp' }, dmarc: [], spf: [], mx: [] },
    { exists: false, policy: { policy: 'reject', from: 'np' }, dmarc: [], spf: [], mx: [] },
  ]);
  const page = String(subdomainsPage(shownDomain, await shown(zones), CONSOLE_ROOM));
  expect(page).toContain('120 in unauthenticated reports');
  expect(page).toContain('<span class="soft">does not exist</span>');
});

test('pages lead to those before and after them', async () => {
  const view = await shown({});
  const links = (page: number, total: number) =>
    [...String(subdomainsPage(shownDomain, { ...view, page, total }, CONSOLE_ROOM)).matchAll(/rel="(\w+)"/g)]
      .map(([, rel]) => rel)
      .filter((rel) => rel === 'prev' || rel === 'next');
  expect([links(1, 15), links(1, 16), links(2, 31), links(2, 30)]).toEqual([
    [],
    ['next'],
    ['prev', 'next'],
    ['prev'],
  ]);
});

test('two records of a kind are shown, and how many there are more', async () => {
  const records = ['v=DMARC1; p=none', 'v=DMARC1; p=quarantine', 'v=DMARC1; p=reject'];
  const shownWith = async (count: number) =>
    String(
      subdomainsPage(
        shownDomain,
        await shown({ [`_dmarc.news.${owner}`]: { TXT: records.slice(0, count) } }),
        CONSOLE_ROOM,
      ),
    );
  expect(await shownWith(2)).toMatch(/p=none<\/code> <code>v=DMARC1; p=quarantine<\/code> <\/div>/);
  expect(await shownWith(3)).toMatch(/p=quarantine<\/code> <span class="note">and 1 more<\/span>/);
});

test.each([
  ['of a record in test mode', { TXT: ['v=DMARC1; p=reject; t=y'] }, undefined, ['quarantine', 'own']],
  ['of a record without p', { TXT: ['v=DMARC1; rua=mailto:a@b.test'] }, undefined, ['none', 'own']],
  [
    'of the domain, if there are two records',
    { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
    undefined,
    ['quarantine', 'sp'],
  ],
  ['of the domain in test mode', {}, 'v=DMARC1; p=reject; t=y', ['quarantine', 'p']],
  ['none without a record', {}, 'v=spf1 -all', [null, 'none']],
] as const)('the policy is that which receivers apply: %s', async (_name, own, record, [policy, from]) => {
  const zones = { [`news.${owner}`]: { A: ['192.0.2.1'] }, [`_dmarc.news.${owner}`]: own } as const;
  const { rows } = await shown(zones, record);
  expect(rows.find(({ name }) => name.startsWith('news.'))?.policy).toEqual({ policy, from });
});

test('a failed lookup is no missing record: the policy is not known then', async () => {
  const { rows } = await shown({ [`news.${owner}`]: 'SERVFAIL', [`_dmarc.news.${owner}`]: 'SERVFAIL' });
  const news = rows.find(({ name }) => name.startsWith('news.'));
  expect([news?.dmarc, news?.spf, news?.exists, news?.policy]).toEqual([null, null, null, null]);
  const page = String(
    subdomainsPage(shownDomain, await shown({ [`news.${owner}`]: 'SERVFAIL' }), CONSOLE_ROOM),
  );
  expect(page).toContain('lookup failed');
  const none = {
    rows: [],
    total: 0,
    page: 1,
    days: { from: dayNumber(0), to: dayNumber(3) },
    today: dayNumber(3),
  };
  expect(String(subdomainsPage(shownDomain, none, CONSOLE_ROOM))).toContain('No mail from subdomains');
});
