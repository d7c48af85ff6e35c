/** What each page about all domains of an organization shows, in its states: nothing, one, many, all kinds, and too much. */
import { describe, expect, test } from '@jest/globals';
import type { Alert, AlertSeverity } from '../../../../shared/alerts/alert.ts';
import { groupOfOne } from '../../../../shared/alerts/cause.ts';
import type { ShownChange } from '../../../../shared/alerts/shown-change.ts';
import { mailboxProviders } from '../../../../shared/api/console-mailboxes.ts';
import { attentionGroups, todayRows } from '../../../../shared/attention/today.ts';
import { alertsPage } from '../../../../shared/pages/console/alerts.ts';
import { changesPage } from '../../../../shared/pages/console/changes.ts';
import { organizationCompliancePage } from '../../../../shared/pages/console/compliance.ts';
import { deliveriesPage } from '../../../../shared/pages/console/deliveries.ts';
import { domainsPath } from '../../../../shared/pages/console/domain-filter.ts';
import { domainTable, nextFixOf } from '../../../../shared/pages/console/domain-table.ts';
import { domainsPage } from '../../../../shared/pages/console/domains.ts';
import { mailboxPage } from '../../../../shared/pages/console/mailbox.ts';
import { mailboxesPage } from '../../../../shared/pages/console/mailboxes.ts';
import { membersPage } from '../../../../shared/pages/console/members.ts';
import { operatorPage } from '../../../../shared/pages/console/operator.ts';
import { figuresAside } from '../../../../shared/pages/console/organization-figures.ts';
import { organizationSenderPage } from '../../../../shared/pages/console/organization-sender.ts';
import { searchPage } from '../../../../shared/pages/console/search.ts';
import { sendersPage } from '../../../../shared/pages/console/senders.ts';
import { settingsPage } from '../../../../shared/pages/console/settings.ts';
import { signed } from '../../../../shared/pages/console/signed.ts';
import { todayPage } from '../../../../shared/pages/console/today.ts';
import { deliveryStatuses } from '../../../../shared/store/alerts/delivery.ts';
import type { AttentionItem } from '../../../../shared/store/attention-items.ts';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import { listOrders } from '../../../../shared/store/domains/select-rows.ts';
import type { Flash } from '../../../../shared/store/flashes.ts';
import type { DomainRow } from '../../../../shared/views/domain-list.ts';
import { figuresOf } from '../../../../shared/views/organization-figures.ts';
import type { Settings } from '../../../../shared/views/settings.ts';
import type { TodayView } from '../../../../shared/views/today.ts';
import { storedAlert } from '../../../kit/alerts.ts';
import { differenceOf, outlineOf, outlineOfPage } from '../../../kit/outline.ts';
import { dayNumber } from '../../../kit/report-history.ts';

const at = (day: number) => `${dayNumber(day)}T08:00:00.000Z`;
const LONG = 'x'.repeat(5_000);
const session = { canWrite: true, formToken: 'form-token' };
const reader = { canWrite: false, formToken: 'form-token' };

const flash = (form: string, given: Partial<Flash> = {}): Flash => ({
  ...{ kind: 'refused', says: '', form, action: '', typed: {}, problems: [] },
  ...given,
});

/** The part of a page that begins with a mark, so that a state is recorded without what is around it. */
const from = (mark: string, page: string) =>
  outlineOf(page.slice(page.indexOf(mark), page.indexOf('</main>')));
/** Records what a page has that another one has not, and the other way around. */
const recordDifference = (one: string, other: string) =>
  expect(differenceOf(outlineOf(one), outlineOf(other))).toMatchSnapshot();
const recordFrom = (mark: string, page: string) => expect(from(mark, page)).toMatchSnapshot();

const figures = {
  ...figuresOf([], new Date(at(0))),
  ...{ total: 1309, verified: 1300, byGrade: { A: 1004, B: 0, C: 1, D: 0, F: 299 }, withoutGrade: 5 },
  byPolicy: { unknown: 2, 'no-policy': 0, none: 200, quarantine: 50, reject: 1057 },
  ...{ withoutReports: 9, mail: { messages: 1000, passed: 920, last: dayNumber(29) } },
};
const noFigures = figuresOf([], new Date(at(0)));

const owned = (id: string, given: Partial<Domain> = {}): Domain => ({
  ...{ id, organization: 'o1', domain: `${id}.example`, verified: true, verificationToken: 'token' },
  ...{ usageType: 'sends-and-receives', testEmailLocalPart: null, dkimSelectors: [], mailbox: 'box' },
  ...{ tags: [], lastCheckedAt: at(29), createdAt: at(0), updatedAt: at(0) },
  ...given,
});
const finding = (domain: string) =>
  ({ id: 'dmarc-monitoring-only', severity: 'warning', arguments: { domain } }) as const;

describe('domains', () => {
  const row = (domain: Domain, given: Partial<DomainRow> = {}): DomainRow => ({
    ...{ domain, score: null, change: null, scores: [], policy: null, mail: null, unread: 0 },
    ...given,
  });
  const states = {
    ...({ mx: 'pass', spf: 'warning', dkim: 'fail', dmarc: 'absent', mtaSts: 'not-applicable' } as const),
    ...({ tlsRpt: 'unknown', bimi: 'pass', dnssec: 'pass', caa: 'pass' } as const),
  };
  const mail = (messages: number, passed: number) => ({ messages, passed, last: dayNumber(29) }) as never;
  const rows = [
    row(owned('new', { lastCheckedAt: null, verified: false, tags: ['a'] })),
    row(owned('unknown', { tags: ['a', 'b', 'c'] }), { change: 0, scores: [50] }),
    row(
      owned('all', {
        states,
        tags: ['a', 'b', 'c', 'd'],
        listed: { policy: 'none', next: { finding: finding('a'), gain: 11.6 } },
      }),
      {
        ...{
          ...({ score: 74, change: -6, policy: 'quarantine', mail: mail(1200, 600) } as const),
          scores: [80, 74],
          unread: 2,
        },
      },
    ),
    row(owned('<b>'), { score: 90, change: 9, policy: 'no-policy', mail: mail(0, 0), scores: [1, 2, 3] }),
  ];
  const list = {
    ...{ figures, rows, selection: { sort: '-grade' as const }, matching: 1309, page: 1, tags: ['t1', 't2'] },
    ...{ views: [], unread: { count: 0, hasMore: false } },
  };

  test('none', () => {
    const none = { ...list, figures: noFigures, rows: [], matching: 0 };
    expect(outlineOfPage(domainsPage({ ...none, ...session }))).toMatchSnapshot();
    recordDifference(domainsPage({ ...none, ...session }), domainsPage({ ...none, ...reader }));
  });

  test('many, and what the first field that a newcomer sees is', () => {
    expect(outlineOfPage(domainsPage({ ...list, ...session }))).toMatchSnapshot();
    const page = domainsPage({ ...list, figures: noFigures, ...session });
    const open = page.slice(page.indexOf('<main')).replaceAll(/<details[\s\S]*?<\/details>/g, '');
    expect(open.match(/<(?:input(?! type="hidden")|select|textarea)\b/g)).toEqual(['<input']);
  });

  test('for a reader, with a filter', () => {
    const selection = {
      ...({ sort: 'grade', q: 'x', tag: 't', usageType: 'parked', grade: 'B', policy: 'none' } as const),
    } as const;
    const more = { ...selection, verified: false, reports: false };
    const unread = { count: 1000, hasMore: true };
    const one = { ...list, rows: rows.slice(0, 1) };
    const shown = domainsPage({ ...one, selection: more, unread, ...reader });
    recordDifference(domainsPage({ ...one, ...session }), shown);
  });

  test('none that match, and boxes that stay ticked', () => {
    const none = {
      ...list,
      rows: [],
      matching: 0,
      selection: { sort: 'domain', tag: 'x' } as const,
      ...session,
    };
    const one = domainsPage({ ...list, rows: rows.slice(0, 1), ...session });
    recordDifference(one, domainsPage(none));
    const left = flash('updateManyInConsole', { typed: { on_all: 'on' } });
    expect(
      domainsPage({ ...list, flash: left, ...session }).match(/<input[^>]* checked[^>]*>/g),
    ).toMatchSnapshot();
  });

  test.each([
    [1, 100, 100],
    [1, 100, 101],
    [2, 1, 101],
    [2, 100, 200],
    [2, 100, 201],
    [3, 0, 0],
  ])('page %i has %i of %i', (page, count, matching) => {
    const many = Array.from({ length: count }, () => rows[0] ?? row(owned('x')));
    const shown = domainsPage({ ...list, rows: many, matching, page, ...session });
    recordFrom('<nav class="actions" aria-label="Pages', shown);
  });

  test('in each order, with headings that lead to others', () => {
    const heading = (sort: (typeof listOrders)[number]) => {
      const table = outlineOf(domainTable({ ...list, rows: [], selection: { sort } }, undefined));
      const headings = /tr.*?(?=\|\.state-sign)/.exec(table)?.[0].replaceAll(' | ', '\n| ');
      return `${/aria-label=[^\]]*/.exec(table)?.[0]}\n${headings}`;
    };
    const shown = listOrders.map((sort) =>
      differenceOf(sort === '-createdAt' ? '' : heading('-createdAt'), heading(sort)),
    );
    expect(shown.join('')).toMatchSnapshot();
  });

  test('the next fix fits its cell, and names its points', () => {
    const next = (gain: number, domain: string) =>
      String(
        nextFixOf({ ...owned('x'), domain, listed: { policy: null, next: { finding: finding('a'), gain } } }),
      );
    expect([0, 0.4, 11.6].map((gain) => next(gain, 'a.example'))).toMatchSnapshot();
    const { listed } = { listed: { policy: null, next: { finding: finding('a'), gain: 0 } } };
    const whole = String(nextFixOf({ ...owned('x'), listed }, 1000));
    expect(String(nextFixOf({ ...owned('x'), listed }, whole.length))).toBe(whole);
    expect(String(nextFixOf({ ...owned('x'), listed }, whole.length - 1))).toBe(`${whole.slice(0, -1)}…`);
    expect(String(nextFixOf(owned('x')))).toBe('');
  });

  test('an address has only what is not the default', () => {
    expect([
      domainsPath({}),
      domainsPath({ sort: '-grade' }),
      domainsPath({ sort: 'grade', tag: undefined }, 2),
      domainsPath({ verified: false }, 1),
    ]).toEqual([
      '/console/domains',
      '/console/domains',
      '/console/domains?sort=grade&page=2',
      '/console/domains?verified=false',
    ]);
  });

  test('a change has its sign', () => {
    expect([-1, 0, 1].map((change) => String(signed(change)))).toMatchSnapshot();
  });

  test('the figures of all', () => {
    expect([figures, noFigures].map((of) => outlineOf(figuresAside(of))).join('')).toMatchSnapshot();
  });
});

describe('alerts', () => {
  const change: ShownChange = {
    ...({ check: 'dmarc', previousState: 'pass', newState: 'fail', omitted: 0 } as const),
    ...{ recordsAdded: ['v=DMARC1; p=none'], recordsRemoved: [], findingsAdded: [], findingsRemoved: [] },
  };
  const alert = (n: number, given: object = {}): Alert => ({
    ...{ ...storedAlert(), id: `alert-${n}`, domainId: 'd1', createdAt: at(n) },
    ...given,
  });
  const failure = {
    ...({ about: 'share', day: dayNumber(1), messages: 9, failed: 1, failureRate: 1 } as const),
    previousFailureRate: null,
  };
  const report = (reportType: string) => ({
    ...{ reportType, reportId: 'r', reporter: 'R', passed: 1, failed: 0 },
    ...{ dateRangeBegin: at(0), dateRangeEnd: at(1) },
  });
  const groups = [
    groupOfOne(
      alert(1, { severity: 'critical', type: 'dns_change', metadata: change, title: LONG, message: LONG }),
    ),
    { ...groupOfOne(alert(2)), count: 3, unread: 2 },
    { ...groupOfOne(alert(3)), count: 3, unread: 3 },
    { ...groupOfOne(alert(4, { read: true })), count: 2, unread: 0 },
    groupOfOne(alert(5, { read: true, type: 'new_report', metadata: report('tls') })),
    groupOfOne(alert(6, { severity: 'info', type: 'new_report', metadata: report('dmarc') })),
    groupOfOne(
      alert(7, {
        ...({ severity: 'info', type: 'report_failure', metadata: failure, domainName: '<b>' } as const),
        createdAt: '2999-01-01T00:00:00.000Z',
      }),
    ),
  ];
  const list = {
    ...{ filter: { unread: false }, groups, newestUnread: { id: 'newest' }, page: 1, hasMore: false },
    ...session,
  };

  test('those that need a reader first', () => {
    expect(outlineOfPage(alertsPage(list))).toMatchSnapshot();
  });

  test.each([
    ['nothing', { ...list, groups: [], newestUnread: undefined }],
    ['only read ones', { ...list, groups: groups.slice(4), canWrite: false }],
    ['only ones that need a reader', { ...list, groups: groups.slice(1, 2), hasMore: true }],
    [
      'nothing of a severity',
      { ...list, groups: [], filter: { unread: false, severity: 'warning' as const } },
    ],
    ['nothing of a domain', { ...list, groups: [], filter: { unread: false, domain: 'd1' } }],
    ['nothing unread', { ...list, groups: [], filter: { unread: true, each: true } }],
    [
      'each, of a severity and a domain, unread, on the second page',
      {
        ...{ ...list, groups: groups.slice(1, 2), page: 2, hasMore: true },
        filter: { unread: true, each: true, severity: 'info' as const, domain: 'd1' },
      },
    ],
  ])('%s', (_what, view) => {
    recordDifference(alertsPage({ ...list, groups: [] }), alertsPage(view));
  });

  test('differences fit a page', () => {
    const records = Array.from({ length: 40 }, (_, n) => `record ${n} ${LONG.slice(0, 400)}`);
    const large = alert(1, { type: 'dns_change', metadata: { ...change, recordsAdded: records } });
    const shown = alertsPage({ ...list, groups: Array.from({ length: 9 }, () => groupOfOne(large)) });
    expect(shown.match(/<p class="note">.*?<\/p>/g)).toMatchSnapshot();
  });
});

describe('changes', () => {
  const change = (
    check: ShownChange['check'],
    previousState: ShownChange['previousState'],
    added: readonly string[] = [],
  ): ShownChange => ({
    ...{ check, previousState, newState: 'pass', omitted: 0 },
    ...{ recordsAdded: [...added], recordsRemoved: [], findingsAdded: [], findingsRemoved: [] },
  });
  const entry = (
    domain: string,
    scoreBefore: number | null,
    scoreAfter: number | null,
    changes = [change('mx', 'pass')],
  ) => ({ ...{ at: at(2), domainId: domain[0] ?? '', domain, scoreBefore, scoreAfter, changes } });
  const query = { days: 7 };
  const view = {
    query,
    days: [],
    next: undefined,
    unread: { count: 0, hasMore: false },
    formToken: 'form-token',
  };

  test('of two days, with each effect on the score', () => {
    const days = [
      {
        day: dayNumber(2),
        entries: [
          entry('a.example', 70, 64, [change('spf', 'fail', ['v=spf1 -all']), change('dmarc', 'pass')]),
          entry('b.example', null, 80),
        ],
      },
      {
        day: dayNumber(1),
        entries: [entry('c.example', 70, 70), entry('d.example', 70, null), entry('e.example', 64, 100)],
      },
    ];
    expect(outlineOfPage(changesPage({ ...view, days }))).toMatchSnapshot();
  });

  test.each([
    ['nothing in a day', { ...view, query: { days: 1 } }],
    ['nothing in some days, with earlier ones', { ...view, next: 'position' }],
    [
      'nothing that matches',
      {
        ...view,
        query: { days: 90, q: 'x', check: 'mx', score: 'fell', before: 'p 1' } as const,
        next: 'p2',
      },
    ],
    [
      'nothing that matches, the last page',
      { ...view, query: { days: 30, score: 'rose', before: 'p1' } as const },
    ],
  ])('%s', (_what, shown) => {
    recordDifference(changesPage(view), changesPage(shown));
  });

  test('of many domains fit a page', () => {
    const records = [1, 2, 3, 4].map((n) => `record ${n} ${LONG.slice(0, 400)}`);
    const entries = Array.from({ length: 50 }, (_, n) =>
      entry(`${n}.example`, 1, 2, [change('mx', 'pass', records)]),
    );
    const days = [1, 2, 3].map((n) => ({ day: dayNumber(n), entries }));
    const shown = outlineOf(changesPage({ ...view, days }));
    expect(shown.match(/(?:h2|p\.note) .*/g)).toMatchSnapshot();
  });
});

describe('senders', () => {
  const counts = (messages: number, passedMessages: number) => ({
    ...{ messages, passedMessages, failedMessages: messages - passedMessages, passRate: 40 },
  });
  const window = { startDate: '2026-02-01', endDate: '2026-03-02' };
  const totals = { ...window, ...counts(10, 4), asOf: null, domains: 1, hasMore: true };
  const source = (kind: 'provider' | 'domain' | 'network', domains: number, failed: readonly string[]) => ({
    ...{ id: `${kind}-a`, name: kind, kind, domains, ...counts(1000, 999) },
    ...{ firstSeen: window.startDate, lastSeen: window.endDate },
    mostFailed: failed.map((domain) => ({ domainId: domain.slice(0, 1), domain, failedMessages: 1000 })),
  });
  const hostile = '<script>alert(1)</script>\u202e';
  const sources = [
    source('provider', 1000, []),
    source('domain', 1, ['a.example']),
    { ...source('network', 2, ['b.example', LONG]), name: LONG },
  ];
  const list = { totals, sources, page: 1, hasMore: false, failing: false, formToken: 'form-token' };

  test('of all kinds', () => {
    expect(outlineOfPage(sendersPage(list))).toMatchSnapshot();
  });

  test.each([
    ['no reports', { ...list, sources: [], totals: { ...totals, domains: 0 } }],
    ['none that fail', { ...list, sources: [], failing: true }],
    ['none that match, of those that fail', { ...list, sources: [], failing: true, q: 'x' }],
    ['none that match', { ...list, sources: [], q: 'x y' }],
    [
      'no more',
      { ...list, sources: [], page: 3, totals: { ...totals, asOf: at(3), hasMore: false, domains: 1000 } },
    ],
    ['a page of many', { ...list, sources: [], failing: true, q: 'x', page: 2, hasMore: true }],
  ])('%s', (_what, view) => {
    recordDifference(sendersPage({ ...list, sources: [] }), sendersPage(view));
  });

  test('lead to the failures of each domain, and their names are escaped', () => {
    const page = sendersPage({ ...list, sources: [{ ...source('domain', 1, [hostile]), name: hostile }] });
    expect(page.match(/&lt;script&gt;alert\(1\)&lt;\/script&gt;/g)).toHaveLength(3);
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('\u202e');
  });

  const about = (kind: 'provider' | 'domain' | 'network', number: number) => ({
    ...{
      id: kind === 'provider' ? 'others-a' : 'sender',
      name: kind === 'network' ? LONG : 'Sender',
      ...{ kind, messages: 1000, passed: 4 },
    },
    domains: Array.from({ length: number }, (_, n) => ({
      ...{ domainId: `id-${n}`, domain: `d${n}.example`, messages: 1001 + n, passed: n },
    })),
    decided: new Map([
      ['id-0', null],
      ['id-1', 'approved'],
    ] as const),
  });

  test.each([
    ['nothing', { sender: undefined, ...session }],
    ['a network, for a reader', { sender: about('network', 1), ...reader }],
    ['others at a provider', { sender: about('provider', 2), ...session }],
    [
      'a domain, with a form that was refused',
      {
        sender: about('domain', 3),
        ...session,
        flash: flash('decideForDomains', {
          typed: { status: 'forwarder', replaces: 'on', ids: 'a' },
          problems: [{ path: 'status', message: 'must be x' }],
        }),
      },
    ],
  ])('the page of one: %s', (_what, view) => {
    const one = outlineOf(organizationSenderPage({ sender: about('domain', 1), ...session }));
    const shown = outlineOfPage(organizationSenderPage(view));
    expect(view.sender?.kind === 'domain' ? shown : differenceOf(one, shown)).toMatchSnapshot();
  });

  test.each([
    [1, 'this domain'],
    [2, 'all 2 domains'],
    [1000, 'all 1,000 domains'],
    [1001, 'the first 1,000 of 1,001 domains'],
  ])('a decision about %i domains is for as many as a form can change', (number, said) => {
    const page = organizationSenderPage({ sender: about('domain', number), ...session });
    expect(page).toContain(`>Decide for ${said}<`);
    expect(/and [\d,]+ more/.exec(page)?.[0]).toMatchSnapshot();
  });
});

describe('mailboxes', () => {
  const mailbox = {
    ...{
      ...({ id: 'm1', name: '<b>Reports', host: 'imap.example', port: 993 } as const),
      ...({ user: 'dmarc@example.org', folder: 'INBOX' } as const),
    },
    ...({
      ...({ source: 'imap', security: 'tls', after: 'move', moveTo: 'Done', everySeconds: 60 } as const),
      state: 'ok',
    } as const),
    signIn: { kind: 'password' as const, tokenUrl: null, clientId: null, scope: null },
    ...{ createdAt: at(0), lastRunAt: null, nextRunAt: at(0), lastError: null },
    ...{ read: 12_000, accepted: 11_000, remaining: 5_000 },
  };
  const lastError = { code: 'server-error' as const, message: LONG, fix: 'Try again.' };
  const all = [
    mailbox,
    {
      ...mailbox,
      source: 'graph' as const,
      after: 'keep' as const,
      ...{ lastRunAt: at(1), remaining: 0, everySeconds: 90 },
    },
    {
      ...mailbox,
      source: 'gmail' as const,
      after: 'mark-read' as const,
      state: 'paused' as const,
      remaining: 1,
    },
    { ...mailbox, after: 'delete' as const, state: 'failing' as const, lastError },
  ];
  const view = { mailboxes: all, provider: undefined, flash: undefined, ...session };

  test('of all kinds, and none', () => {
    expect(outlineOfPage(mailboxesPage(view))).toMatchSnapshot();
    const none = { ...view, mailboxes: [] };
    recordDifference(mailboxesPage({ ...none, ...session }), mailboxesPage({ ...none, ...reader }));
    const many = mailboxesPage({ ...view, mailboxes: Array(200).fill(mailbox) });
    expect(/and [\d,]+ more/.exec(many)?.[0]).toMatchSnapshot();
  });

  test.each(mailboxProviders)('the form of %s', (provider) => {
    const form = from('<h3>', mailboxesPage({ ...view, mailboxes: [], provider }));
    const simple = from('<h3>', mailboxesPage({ ...view, mailboxes: [], provider: 'fastmail' }));
    expect(provider === 'fastmail' ? form : differenceOf(simple, form)).toMatchSnapshot();
  });

  test('a form that was refused', () => {
    const left = flash('addMailboxInConsole', {
      typed: { provider: 'imap', name: 'One', security: 'starttls', tokenUrl: 'https://t', folder: 'F' },
      problems: [{ path: 'host', message: 'must be a host name' }],
    });
    recordFrom('<ul class="key"', mailboxesPage({ ...view, mailboxes: [], provider: 'gmail', flash: left }));
  });

  test.each([
    ['with a password', mailbox, session],
    [
      'paused, with a refresh token',
      {
        ...mailbox,
        moveTo: null,
        state: 'paused',
        signIn: { ...mailbox.signIn, kind: 'oauth2-refresh-token' },
      },
      session,
    ],
    [
      'of an application',
      { ...mailbox, everySeconds: 89, signIn: { ...mailbox.signIn, kind: 'oauth2-client-credentials' } },
      session,
    ],
    [
      'of a service account',
      { ...mailbox, everySeconds: 91, signIn: { ...mailbox.signIn, kind: 'google-service-account' } },
      session,
    ],
    ['for a reader', mailbox, reader],
  ] as const)('the page of one, %s', (_what, one, visitor) => {
    const shown = outlineOfPage(mailboxPage({ mailbox: one, flash: undefined, ...visitor }));
    const first = outlineOfPage(mailboxPage({ mailbox, flash: undefined, ...session }));
    expect(one === mailbox && visitor.canWrite ? shown : differenceOf(first, shown)).toMatchSnapshot();
  });
});

test.each([
  ['some', 1, false],
  ['none', 1, false],
  ['none, on the second page', 2, true],
] as const)('deliveries: %s', (what, page, hasMore) => {
  const delivery = {
    ...{ id: 'v1', createdAt: at(1), channel: 'mail' as const, kind: 'alerts' as const, sentTo: null },
    ...{ status: 'pending' as const, reason: null, endedAt: null, nextAttemptAt: null, alerts: 2, events: 0 },
  };
  const deliveries =
    what === 'some'
      ? deliveryStatuses.map((status) => ({
          ...delivery,
          status,
          ...(status !== 'pending' && { sentTo: LONG, reason: LONG }),
        }))
      : [];
  const shown = [session, reader].map((visitor) =>
    outlineOfPage(deliveriesPage({ deliveries, page, hasMore, ...visitor })),
  );
  const [whole = '', forReader = ''] = shown;
  expect(what === 'some' ? whole + differenceOf(whole, forReader) : whole).toMatchSnapshot();
});

describe('search', () => {
  const none = {
    domains: [],
    hasMoreDomains: false,
    senders: [],
    hasMoreSenders: false,
    formToken: 'form-token',
  };
  const sender = {
    id: 's',
    name: LONG,
    kind: 'domain' as const,
    ...{ domains: 1, messages: 1, passedMessages: 1, failedMessages: 0, passRate: 100 },
    ...{ firstSeen: dayNumber(0), lastSeen: dayNumber(1) },
    mostFailed: [],
  };

  test('for nothing, and with results', () => {
    expect(outlineOfPage(searchPage({ ...none, text: '' }))).toMatchSnapshot();
    const found = {
      text: LONG,
      domains: [owned('a')],
      senders: [sender, { ...sender, name: 'b', domains: 2, messages: 1000, kind: 'network' as const }],
    };
    expect(
      outlineOfPage(searchPage({ ...none, ...found })).replace(`${LONG.slice(0, 60)} –`, '60 –'),
    ).toMatchSnapshot();
    const more = searchPage({ ...none, ...found, text: 'a b', hasMoreDomains: true, hasMoreSenders: true });
    expect(more.match(/<a[^>]*>All .*?<\/a>/g)).toMatchSnapshot();
  });

  test('for pages, by what they are called and about, in two characters or more', () => {
    const found = ['s', 'zz', ' To', 'slack', 'tokens', 'digest'].map((text) => {
      const page = searchPage({ ...none, text });
      return `${text}: ${/: ([\w ]+)\.<\/p>/.exec(page)?.[1]}${from('<section aria-labelledby="pages"', page)}`;
    });
    expect(`\n${found.join('')}`).toMatchSnapshot();
  });
});

describe('compliance', () => {
  const counts = (fulfilled: number, violated: number, unknown: number) => ({
    ...{ fulfilled, violated, unknown, notApplicable: 1, notTestable: 0 },
  });
  const ofDomain = (
    domain: string,
    status: 'violated' | 'unknown' | 'fulfilled' | 'not-applicable',
    checkedAt: string | null,
    violated: readonly string[] = [],
  ) => ({
    ...{
      domainId: domain,
      domain: `${domain}.example`,
      ...{ status, fulfilled: null, checkedAt },
      violated: [...violated],
    },
    counts: counts(1, violated.length, 2),
  });
  const source = { title: 'S', address: null, date: null, read: 'all' };
  const profile = { id: 'p1', name: '<b>Profile', version: '1', description: 'For all.', source };
  const view = {
    ...{
      profile,
      matching: 4,
      own: [],
      domains: [
        ofDomain('a', 'violated', at(1), ['r1', 'r2']),
        ofDomain('b', 'unknown', null),
        ofDomain('c', 'fulfilled', at(2)),
        ofDomain('d', 'not-applicable', at(2)),
      ],
    },
    counts: { violated: 1000, unknown: 2, fulfilled: 3, notApplicable: 4 },
    profiles: [
      { id: 'p1', name: '<b>Profile', isFollowed: true },
      { id: 'p2', name: 'Other', isFollowed: false },
    ],
  };
  const page = { view, status: undefined, page: 1, hasMore: false, ...session };

  test('of all domains', () => {
    expect(outlineOfPage(organizationCompliancePage(page))).toMatchSnapshot();
  });

  test('of a status, on the second page, for a reader', () => {
    const none = {
      ...page,
      view: { ...view, domains: [] },
      status: 'violated' as const,
      page: 2,
      hasMore: true,
      ...reader,
    };
    recordFrom('<nav class="window"', organizationCompliancePage(none));
  });

  test('profiles of the organization, and a form that was refused', () => {
    const own = [{ id: 'own-a', name: 'A', version: '1', requirements: [] }] as never;
    const given = { ...page, view: { ...view, own } };
    const left = flash('saveCompliance', {
      typed: { own: '[', profile_p2: 'on' },
      problems: [{ path: 'own', message: 'must be JSON' }],
    });
    recordFrom('<section aria-labelledby="settings"', organizationCompliancePage(given));
    recordFrom('<fieldset id="followed"', organizationCompliancePage({ ...given, flash: left }));
  });
});

test('organizations, for an operator', () => {
  const organization = {
    ...{ id: 'o1', name: 'Default', createdAt: at(0), pausedAt: null, domains: { count: 1000, limit: null } },
    ...{ mail: { messages: 1000, lastReported: null }, open: { critical: 1, warning: 2, info: 3 } },
    ...{ mailboxes: 4, members: 5, tokens: 6 },
  };
  const other = {
    ...organization,
    name: LONG,
    pausedAt: at(1),
    domains: { count: 1, limit: 5000 },
    mail: { messages: 0, lastReported: dayNumber(2) },
  };
  const unlimited = { ...organization, domains: { count: 0, limit: 0 } };
  const view = {
    organizations: [organization, other],
    ...({ page: 1, hasMore: false, defaultLimit: 0, formToken: 'form-token' } as const),
  };
  expect(outlineOfPage(operatorPage(view))).toMatchSnapshot();
  const left = flash('operateOrganizations', {
    typed: { name: 'n' },
    problems: [{ path: 'name', message: 'is long' }],
  });
  const second = operatorPage({
    ...view,
    organizations: [unlimited, organization],
    ...{ page: 2, hasMore: true, defaultLimit: 7000, flash: left },
  });
  expect(
    second.match(/<dd>.*? of .*?<\/dd>|<a href="[^"]*page=.*?<\/a>|<label[^>]*>Name.*?<\/p>/gs),
  ).toMatchSnapshot();
});

test('members and invitations', () => {
  const member = {
    id: 'm1',
    mail: 'a@example.org',
    role: 'admin' as const,
    ...{ joinedAt: at(0), invitedBy: null, lastUsedOn: null },
  };
  const invitation = {
    id: 'i1',
    mail: LONG,
    role: 'viewer' as const,
    ...({ createdAt: at(1), expiresAt: at(8), invitedBy: 'm1' } as const),
  };
  const members = [
    member,
    { ...member, id: 'm2', mail: LONG, role: 'editor' as const, invitedBy: 't1', lastUsedOn: dayNumber(3) },
  ];
  const view = {
    members,
    invitations: [invitation, { ...invitation, invitedBy: null }],
    ...({ own: 'm1', hasProvider: true, formToken: 'form-token' } as const),
  };
  expect(outlineOfPage(membersPage(view))).toMatchSnapshot();
  expect(
    outlineOf(membersPage({ ...view, members: [], invitations: [], hasProvider: false })),
  ).toMatchSnapshot();
  const left = flash('inviteInConsole', {
    typed: { mail: 'x', role: 'admin' },
    problems: [{ path: 'mail', message: 'must be an address' }],
  });
  recordFrom('<h3>Invite', membersPage({ ...view, flash: left }));
  const many = membersPage({
    ...view,
    members: Array(60).fill(member),
    invitations: Array(60).fill({ ...invitation, mail: 'b@example.org' }),
  });
  expect(many.match(/and [\d,]+ more/g)).toMatchSnapshot();
});

describe('settings', () => {
  const sessionOf = (n: number, given = {}) => ({
    ...{
      id: `s${n}`,
      ...({ tokenId: '018f0000-0000-7000-8000-000000000001', startedAt: at(1) } as const),
      ...({ lastUsedAt: at(2), client: '' } as const),
    },
    ...{ tokenName: 'CI', isOwn: false },
    ...given,
  });
  const token = {
    ...{
      id: 't1',
      name: 'CI',
      scope: 'admin' as const,
      expiresAt: null,
      lastUsedOn: null,
      networks: [],
      createdAt: at(0),
      createdBy: null,
    },
  };
  const entry = {
    ...{
      ...({ id: 'e1', at: at(3), action: 'createToken', token: null, subject: null, name: null } as const),
      ...{ actor: null, role: null },
    },
    ...{ clientAddress: null, changes: [] },
  };
  const change = { field: LONG, before: null, after: LONG };
  const changes = [change, { field: 'tags', before: 'a', after: null }, change, change];
  const admin = {
    tokens: [
      token,
      {
        ...token,
        id: 't2',
        name: LONG,
        scope: 'read' as const,
        expiresAt: at(60),
        lastUsedOn: dayNumber(9),
        networks: ['192.0.2.0/24', '2001:db8::/32'],
        createdBy: 't1',
      },
      { ...token, id: 't3', createdBy: 'gone' },
    ],
    audit: [
      entry,
      { ...entry, token: 't2', name: LONG, changes },
      {
        ...entry,
        token: 't1',
        actor: 'a@example.org',
        role: 'admin' as const,
        changes: [...changes, change],
      },
      { ...entry, token: 'gone', action: 'later' },
    ],
    ...{ page: 1, hasMore: true },
  };
  const mail = {
    ...{
      address: 'a@example.org',
      threshold: 'info' as const,
      digest: 'weekly' as const,
      digestWeekday: 'friday' as const,
    },
    ...{ digestHour: 23, digestTimeZone: 'Europe/Berlin' },
  };
  const webhook = {
    url: 'https://hooks.example',
    threshold: 'critical' as const,
    format: 'ocsf' as const,
    events: ['domain.verified'],
  };
  const view: Settings & { formToken: string } = {
    ...{
      ...({ scope: 'admin', formToken: 'form-token', mailTransport: 'Mail leaves by SES.' } as const),
      ...{ person: undefined, hasPeople: true },
      admin: admin as never,
    },
    sessions: {
      isWhole: true,
      sessions: [sessionOf(0, { isOwn: true, tokenId: 't1', client: LONG }), sessionOf(1)],
    },
    notifications: { mail, webhook } as never,
    lastDeliveries: { mail: null, webhook: { at: at(4), status: 'given-up', reason: LONG } },
    limits: { scoreThreshold: 70, retentionDays: 400, domains: 5000 },
  };
  const none = { mail: null, webhook: null };

  test('for an administrator', () => {
    expect(outlineOfPage(settingsPage(view))).toMatchSnapshot();
  });

  test('with nothing set, for an editor', () => {
    const given: Settings = {
      ...view,
      ...({ scope: 'write', hasPeople: false, admin: undefined, notifications: none } as const),
      sessions: { isWhole: false, sessions: [] },
    };
    expect(
      outlineOf(
        settingsPage({
          ...given,
          limits: { scoreThreshold: 0, retentionDays: 0, domains: 0 },
          formToken: 'f',
        }),
      ),
    ).toMatchSnapshot();
  });

  test('for a reader', () => {
    const given = { ...view, scope: 'read' as const, admin: undefined };
    const until = (shown: string) => shown.slice(0, shown.indexOf('section[aria-labelledby=tokens]'));
    expect(until(outlineOf(settingsPage(given)))).toMatchSnapshot();
    expect(until(outlineOf(settingsPage({ ...given, notifications: none })))).toMatchSnapshot();
    const formats = ['slack', 'later'].map((format) =>
      settingsPage({ ...given, notifications: { mail: null, webhook: { ...webhook, format } } as never }),
    );
    expect(formats.map((page) => /from critical, [^<]*/.exec(page)?.[0])).toEqual([
      'from critical, Slack',
      'from critical, later',
    ]);
  });

  test('deliveries without a reason, forms that were refused, and empty pages of the log', () => {
    const last = { mail: { at: at(4), status: 'delivered', reason: null }, webhook: null } as never;
    expect(
      settingsPage({ ...view, lastDeliveries: last }).match(/<p class="soft">[^<]*(?:Last|Nothing).*?<\/p>/g),
    ).toMatchSnapshot();
    const left = flash('saveNotifications', {
      typed: { address: 'x', digest: 'off', 'domain.verified': 'on' },
      problems: [{ path: 'mail.address', message: 'is no address' }],
    });
    const shown = settingsPage({
      ...view,
      flash: left,
      admin: { ...admin, audit: [], page: 2, hasMore: false } as never,
    });
    expect(
      shown
        .match(
          /<p id="[^"]*problem".*?<\/p>|<input[^>]* checked>|<option value="[^"]*" selected>|<h2 id="audit">.*?<\/section>/gs,
        )
        ?.map(outlineOf)
        .join(''),
    ).toMatchSnapshot();
  });

  test.each([20, 21, 22])('%i sessions', (count) => {
    const sessions = Array.from({ length: count }, (_, n) => sessionOf(n));
    const shown = settingsPage({ ...view, sessions: { isWhole: true, sessions } });
    expect([
      shown.match(/name="id" value="s\d/g)?.length,
      /and \d+ more sessions?/.exec(shown)?.[0],
    ]).toMatchSnapshot();
  });

  test('tokens fit a page', () => {
    const many = { ...admin, tokens: Array(90).fill(token) } as never;
    expect(/and [\d,]+ more/.exec(settingsPage({ ...view, admin: many }))?.[0]).toMatchSnapshot();
  });

  test('of a person', () => {
    const organization = (id: string, isShown: boolean) => ({
      id,
      name: id === 'o2' ? LONG : id,
      role: 'editor' as const,
      isShown,
    });
    const person = {
      ...{ mail: 'a@example.org', role: 'viewer' as const, signInNotice: true, operator: true },
      ...{ organizations: [organization('o1', true), organization('o2', false)], alerts: null },
    };
    const alerts = { address: 'b@example.org', threshold: 'info' as const, tags: ['a', 'b'] } as never;
    const alone = {
      ...person,
      signInNotice: false,
      operator: false,
      organizations: [organization('o1', true)],
      alerts,
    };
    const until = (page: string) => {
      const shown = outlineOf(page);
      return shown.slice(0, shown.indexOf('section[aria-labelledby=notifications]'));
    };
    expect(until(settingsPage({ ...view, scope: 'read', person }))).toMatchSnapshot();
    expect(until(settingsPage({ ...view, hasPeople: false, person: alone }))).toMatchSnapshot();
    const left = flash('changeMemberMail', {
      typed: { address: 'x' },
      problems: [{ path: 'mail.tags.0', message: 'is long' }],
    });
    expect(
      settingsPage({ ...view, person: alone, flash: left }).match(/<p id="[^"]*problem".*?<\/p>/g),
    ).toMatchSnapshot();
  });
});

describe('today', () => {
  const item = (kind: AttentionItem['kind'], given: object = {}) =>
    ({
      ...{ kind, severity: 'warning', domainId: 'd1', domain: 'example.org', channel: null, mailbox: null },
      ...{ since: at(1), putOffUntil: null, note: null, changedAt: null },
      about: { names: ['first', 'second'], further: 0, on: dayNumber(40), reason: null, facts: null },
      ...given,
    }) as AttentionItem;
  const moved = (id: string, change: number) => ({ id, domain: `${id}.example`, score: 60, change });
  const rowOf = (n: number) => ({ id: `u${n}`, domain: `u${n}.example` }) as never;
  const view: TodayView = {
    ...{ figures, groups: [], unverified: { count: 0, first: [] }, unread: { count: 0, hasMore: false } },
    moves: { fell: [moved('f', -12)], rose: [moved('r', 3)], fellCount: 1, roseCount: 1001 },
    ...{ lastCheck: null, only: undefined, now: new Date(at(29)) },
  };
  const kinds = Object.keys(todayRows) as AttentionItem['kind'][];
  const groups = attentionGroups.map((group) => ({
    group,
    items: kinds
      .filter((kind) => todayRows[kind].group === group && !/^(?:channel|mailbox)/.test(kind))
      .map((kind) => item(kind)),
    more: [],
  }));
  const page = (given: Partial<TodayView>, visitor: object = session) =>
    todayPage({ ...view, ...given, ...session, ...visitor });

  test('before the first domain', () => {
    const first = [session, reader].map((visitor) => outlineOfPage(page({ figures: noFigures }, visitor)));
    const [whole = '', forReader = ''] = first;
    expect(whole + differenceOf(whole, forReader)).toMatchSnapshot();
  });

  test('each kind of what needs a person, for a reader', () => {
    const shown = outlineOf(page({ groups }, reader).replace(/<aside.*?<\/aside>/s, ''));
    // What each kind means is text of its own.
    expect(shown.replaceAll(/\n +p [A-Z](?![^\n]*read-only)[^\n]*/g, '')).toMatchSnapshot();
  });

  test('matters of a channel and of a mailbox, with a note, put off in vain', () => {
    const about = {
      names: [LONG],
      ...{ further: 2, on: null, reason: LONG },
      facts: { code: 'sign-in-refused', message: 'm' },
    };
    const items = [
      item('channel-failing', {
        ...{ severity: 'critical', domainId: null, domain: null, channel: 'webhook' },
        about,
        note: LONG,
      }),
      item('mailbox-failing', {
        ...{ severity: 'info', domainId: null, domain: null, mailbox: 'm1' },
        about,
      }),
    ];
    const left = flash('putOffInConsole', {
      action: '/console/attention/webhook.channel-failing',
      typed: { until: 'x', note: 'n' },
      problems: [
        { path: 'until', message: 'must be a day' },
        { path: 'note', message: 'is long' },
      ],
    });
    recordFrom(
      '<p class="sum"',
      page({ groups: [{ group: 'broken', items, more: ['mailbox-failing', 'takeover'] }] }, { flash: left }),
    );
  });

  test.each([
    [
      'nothing, ever',
      {
        moves: { fell: [], rose: [], fellCount: 0, roseCount: 0 },
        figures: { ...figures, total: 1, withoutGrade: 0, mail: { messages: 0, passed: 0, last: null } },
      },
    ],
    ['nothing, lately', { lastCheck: { domain: 'example.org', at: at(28) } }],
    ['one domain to verify', { unverified: { count: 1, first: [rowOf(1)] } }],
    ['three domains to verify', { unverified: { count: 3, first: [rowOf(1), rowOf(2), rowOf(3)] } }],
    ['many domains to verify', { unverified: { count: 1000, first: [rowOf(1), rowOf(2), rowOf(3)] } }],
    [
      'setup and a domain to verify',
      { groups: groups.slice(3), unverified: { count: 1, first: [rowOf(1)] } },
    ],
  ])('what needs a person: %s', (_what, given) => {
    const shown = page(given).replace(/<aside.*?<\/aside>/s, '');
    const nothing = page({}).replace(/<aside.*?<\/aside>/s, '');
    expect(differenceOf(from('<p class="sum"', nothing), from('<p class="sum"', shown))).toMatchSnapshot();
  });

  test.each([
    ['one, for a reader', { unverified: { count: 1, first: [rowOf(1)] } }, reader],
    ['two', { unverified: { count: 2, first: [rowOf(1), rowOf(2)] } }, session],
    [
      'more',
      {
        groups: [
          {
            group: 'decide' as const,
            items: [item('sender-undecided')],
            more: ['sender-undecided' as const],
          },
        ],
      },
      session,
    ],
    [
      'moves',
      { moves: { fell: [], rose: [moved('r', 3), moved('s', 2)], fellCount: 0, roseCount: 2 } },
      session,
    ],
  ])('in words: %s', (_what, given, visitor) => {
    expect(
      page(given, visitor).match(
        /<p class="sum".*?<\/p>|<h3>.*?<\/h3>|and [\d,]+ more|<a class="button small"[^>]*verif.*?<\/a>|<a class="button small"[^>]*#steps.*?<\/a>|All like.*?</gs,
      ),
    ).toMatchSnapshot();
  });

  test.each([
    ['the first page of a kind', [item('takeover')], 1, true],
    ['the second page of a kind', [item('takeover')], 2, true],
    ['the last page of a kind', [item('sender-undecided', { severity: 'info' as AlertSeverity })], 3, false],
    ['none of a kind', [], 1, false],
  ])('%s', (_what, items, number, hasMore) => {
    const shown = page(
      { only: { kind: items[0]?.kind ?? 'takeover', items, page: number, hasMore } },
      reader,
    );
    recordFrom('<section aria-labelledby="kind"', shown.replace(/<aside.*?<\/aside>/s, ''));
  });
});
