/** The subdomains that reports show: what counts, their records as DNS has them, and the policy that applies. */
import { expect, test } from '@jest/globals';
import { domainViewQuery } from '../../../../shared/api/console-domain.ts';
import { subdomainsOf } from '../../../../shared/enforcement/subdomains.ts';
import { Refused } from '../../../../shared/operations/outcome.ts';
import { subdomainsPage } from '../../../../shared/pages/console/domain/subdomains.ts';
import { CONSOLE_ROOM } from '../../../../shared/pages/console/layout.ts';
import { subdomainsView } from '../../../../shared/views/domain/subdomains.ts';
import { shownDomain } from '../../../kit/domain-views.ts';
import { outlineOf } from '../../../kit/outline.ts';
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
    { summaries: { readSummaries: async () => days } as never, dns: zone({ ...parent(record), ...zones }) },
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
});

test('the page shows them with their records, the policy and its origin, and has as many as fit', async () => {
  const view = await shown({});
  const [row] = view.rows;
  if (row === undefined) throw new Error('no row');
  const records = ['v=DMARC1; p=none', 'x'.repeat(5000), 'v=DMARC1; p=reject'];
  const rows = [
    {
      ...row,
      name: '<b>',
      messages: 1000,
      authenticatedMessages: 999,
      exists: true,
      policy: null,
      dmarc: null,
      spf: [],
      mx: records,
    },
    ...(['own', 'sp', 'np', 'p'] as const).map((from, n) => ({
      ...row,
      policy: { policy: 'none' as const, from },
      dmarc: records.slice(0, n),
      firstSeen: dayNumber(2),
    })),
    {
      ...row,
      authenticatedMessages: row.messages,
      exists: null,
      policy: { policy: null, from: 'none' as const },
    },
  ];
  const content = (given: object, room = CONSOLE_ROOM) =>
    outlineOf(
      String(subdomainsPage({ ...shownDomain, id: 'd1' }, { ...view, ...given }, room)).replace(
        /^.*?<\/header>/s,
        '',
      ),
    );
  expect(content({ rows, total: 6 })).toMatchSnapshot();
  expect(content({ rows: [], total: 0 })).toMatchSnapshot();
  expect(
    [1000, 9000].map((room) => content({ rows }, room).match(/and \d+ more.*|tr \|/g)?.length),
  ).toMatchSnapshot();
  const pages = [
    [1, 15],
    [1, 16],
    [2, 31],
    [2, 30],
  ].map(([page, total]) => content({ page, total }).match(/<a\.button.*/g));
  expect(pages).toMatchSnapshot();
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
});
