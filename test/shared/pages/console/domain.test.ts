/** What each page about a domain shows, in its states, and that it is safe to show it. */
import { describe, expect, test } from '@jest/globals';
import type { EnforcementRule, Sender, SimulatedSender } from '../../../../shared/enforcement/shapes.ts';
import type { ReverseDns } from '../../../../shared/mail-test/reverse-dns.ts';
import type { TlsFailure } from '../../../../shared/monitoring/tls-failures.ts';
import { ownerSources, ownerText } from '../../../../shared/pages/console/domain/address-owner.ts';
import { compliancePage } from '../../../../shared/pages/console/domain/compliance.ts';
import { dmarcPage } from '../../../../shared/pages/console/domain/dmarc.ts';
import {
  domainDocument,
  overviewDocument,
  standingDocument,
  viewDocument,
} from '../../../../shared/pages/console/domain/document.ts';
import { enforcementPage } from '../../../../shared/pages/console/domain/enforcement.ts';
import { domainFrame, type ShownDomain } from '../../../../shared/pages/console/domain/frame.ts';
import { changeDiff, historyPage } from '../../../../shared/pages/console/domain/history.ts';
import { overviewPage } from '../../../../shared/pages/console/domain/overview.ts';
import { previewPage } from '../../../../shared/pages/console/domain/preview.ts';
import { senderPage, senderTitle } from '../../../../shared/pages/console/domain/sender.ts';
import { domainSettingsPage } from '../../../../shared/pages/console/domain/settings.ts';
import { standingPage } from '../../../../shared/pages/console/domain/standing.ts';
import { firstSteps } from '../../../../shared/pages/console/domain/steps.ts';
import { tlsPage } from '../../../../shared/pages/console/domain/tls.ts';
import { CONSOLE_ROOM } from '../../../../shared/pages/console/layout.ts';
import { html, type Markup } from '../../../../shared/pages/markup.ts';
import type { AttentionItem } from '../../../../shared/store/attention-items.ts';
import type { Domain } from '../../../../shared/store/domains/domains.ts';
import type { Flash } from '../../../../shared/store/flashes.ts';
import type { DmarcView } from '../../../../shared/views/domain/dmarc.ts';
import type { EnforcementView } from '../../../../shared/views/domain/enforcement.ts';
import type { FirstStep, FirstSteps } from '../../../../shared/views/domain/first-steps.ts';
import type { HistoryView } from '../../../../shared/views/domain/history.ts';
import type { OverviewView } from '../../../../shared/views/domain/overview.ts';
import type { KnownSender } from '../../../../shared/views/domain/sender.ts';
import type { TlsView } from '../../../../shared/views/domain/tls.ts';
import {
  dmarcView,
  enforcementView,
  historyView,
  overviewView,
  shownDomain,
  tlsView,
} from '../../../kit/domain-views.ts';
import { differenceOf, outlineOf, outlineOfPage } from '../../../kit/outline.ts';
import { dayNumber, owner } from '../../../kit/report-history.ts';
import { perfectResults } from '../../../kit/results.ts';

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(2)> \u202e '`;

const pages = {
  overview: async (text: string, canWrite: boolean) =>
    overviewPage({ ...shownDomain, canWrite }, overviewView(text), CONSOLE_ROOM),
  history: async (text: string, canWrite: boolean) =>
    historyPage({ ...shownDomain, canWrite }, historyView(text), CONSOLE_ROOM),
  dmarc: async (text: string, canWrite: boolean) =>
    dmarcPage({ ...shownDomain, canWrite }, await dmarcView(text), CONSOLE_ROOM),
  enforcement: async (text: string, canWrite: boolean) =>
    enforcementPage({ ...shownDomain, canWrite }, enforcementView(text), CONSOLE_ROOM),
  tls: async (text: string, canWrite: boolean) =>
    tlsPage({ ...shownDomain, canWrite }, tlsView(text), CONSOLE_ROOM),
};

const shown = async (page: keyof typeof pages, text = 'text.example', canWrite = true) =>
  String(await pages[page](text, canWrite));

describe.each(Object.keys(pages) as (keyof typeof pages)[])('the page %s of a domain', (page) => {
  test('escapes every text from mail, DNS and users, and shows what would be invisible', async () => {
    const markup = await shown(page, HOSTILE);
    expect(markup).not.toMatch(/<script|<img/);
    // A field of a form keeps what was typed.
    expect(markup.replaceAll(/<textarea[^>]*>[^<]*|<input name="note" value="[^"]*"/g, '')).not.toContain(
      '\u202e',
    );
    expect(markup).toContain('&lt;script&gt;alert(1)');
    expect(markup).toContain('\\u{202e}');
  });

  test('has each id once, and no markup that its content security policy blocks', async () => {
    const markup = await shown(page);
    const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(markup).not.toMatch(/ style=| on[a-z]+=/);
  });

  test('says what is the case and changes nothing for a token that can only read', async () => {
    const markup = await shown(page, 'text.example', false);
    expect(markup).toContain('read-only token');
    const writing = [...markup.matchAll(/<form [^>]*method="post"[\s\S]*?<\/form>/g)].map(([form]) => form);
    // A preview stores nothing.
    expect(writing.every((form) => form.includes('/preview"'))).toBe(true);
  });

  test('links to the other pages', async () => {
    const markup = await shown(page);
    for (const path of ['', '/dmarc', '/enforcement', '/tls', '/history'])
      expect(markup).toContain(`href="/console/domains/${shownDomain.id}${path}"`);
    expect(markup.match(/aria-current="page"/g)).toHaveLength(1);
  });
});

const LONG = 'x'.repeat(5_000);
const visitor = { ...shownDomain, id: 'd1' };
const reader = { ...visitor, canWrite: false };
const at = (day: number) => `${dayNumber(day)}T08:00:00.000Z`;

const flash = (form: string, given: Partial<Flash> = {}): Flash => ({
  ...{ kind: 'refused', says: '', form, action: '', typed: {}, problems: [] },
  ...given,
});

/** What a page shows below the links to the others. */
const content = (page: Markup) => outlineOf(String(page).replace(/^.*?<\/header>/s, ''));

/** The part of a page from one text to another one. */
const part = (page: Markup, from: string, to = '</article>') => {
  const whole = String(page);
  const begin = whole.indexOf(from);
  return begin === -1 ? 'nothing' : outlineOf(whole.slice(begin, whole.indexOf(to, begin)));
};

const recordContent = (page: Markup) => expect(content(page)).toMatchSnapshot();
const recordPart = (...of: Parameters<typeof part>) => expect(part(...of)).toMatchSnapshot();

test('the frame names the domain and its pages, and says what a reader cannot do', () => {
  const frames = [visitor, reader].map((shown) =>
    outlineOf(domainFrame({ ...shown, domain: '<b>' }, 'tls', html`<p>content</p>`)),
  );
  expect(frames[0]).toMatchSnapshot();
  expect(frames[1]).toContain('read-only token');
  const document = domainDocument(
    visitor,
    visitor,
    'A page',
    (shown, room) => html`<p>${shown.id} ${room}</p>`,
  );
  expect(outlineOfPage(document)).toBe('example.org: A page – Console\np d1 56000\n');
});

describe('the overview', () => {
  const view = overviewView('text.example');
  const overview = (given: Partial<OverviewView>, shown: ShownDomain = visitor) =>
    overviewPage(shown, { ...view, ...given }, CONSOLE_ROOM);
  const noPlan = { ...view.plan, changes: [], files: [], manual: [] };

  test('has the grade, what to do first, the history of the score, and the mail of a week', () => {
    expect(
      content(
        overview({ attention: { ...view.attention, items: view.attention.items.slice(0, 2) } }),
      ).replace(/section\.full\[aria-labelledby=checks\][\s\S]*/, ''),
    ).toMatchSnapshot();
  });

  test.each([visitor, reader])('before the first check', (shown) => {
    const before = content(
      overview(
        {
          checked: undefined,
          attention: { ...view.attention, items: [] },
          first: { ...view.first, steps: [] },
        },
        shown,
      ),
    );
    expect(before).toMatchSnapshot();
  });

  test('is for readers without forms', () => {
    const items = view.attention.items.slice(0, 1);
    const shown = overview(
      {
        attention: { ...view.attention, items, hasMore: false },
        plan: noPlan,
        days: [],
        scores: [],
        first: { ...view.first, steps: view.first.steps.slice(0, 1) },
      },
      reader,
    );
    expect(content(shown).replace(/section\.full\[aria-labelledby=checks\][\s\S]*/, '')).toMatchSnapshot();
  });

  test('puts what needs attention off', () => {
    const [item] = view.attention.items;
    const attention = { ...view.attention, items: [{ ...(item as AttentionItem), note: LONG }] };
    const left = flash('putOffInConsole', {
      action: `/console/attention/${item?.domainId}.ownership-unproven`,
      typed: { until: '2026-01-01' },
    });
    recordPart(
      overviewPage({ ...visitor, flash: left }, { ...view, attention }, CONSOLE_ROOM),
      '<ul class="cards">',
      '</ul>',
    );
  });

  const step = view.first.steps[1] as FirstStep;
  test.each<[string, FirstSteps]>([
    ['all, and reports', { isVerified: true, hasReports: true, steps: [{ ...step, seen: true }] }],
    ['all, and no reports', { isVerified: true, hasReports: false, steps: [{ ...step, seen: true }] }],
    [
      'all but one, and reports',
      {
        ...{ isVerified: false, hasReports: true },
        steps: [
          { ...step, id: 'ownership', seen: true },
          { ...step, seen: true },
          { ...step, id: 'tls', seen: false, record: null, problem: LONG },
        ],
      },
    ],
    [
      'one of which DNS lost the record',
      {
        isVerified: true,
        hasReports: true,
        steps: [
          { ...step, id: 'ownership', seen: false },
          { ...step, seen: null },
        ],
      },
    ],
  ])('the first steps are done: %s', (_what, first) => {
    expect(outlineOf(firstSteps(visitor, first))).toMatchSnapshot();
  });

  const scoresOf = (...values: (number | null)[]) =>
    values.map((score, n) => ({ at: at(20 - 5 * n), score, grade: 'C' as const }));
  const changesAt = (...days: number[]) =>
    days.map((day) => ({ at: at(day), changes: view.changes[0]?.changes ?? [] }));
  test.each<[string, Partial<OverviewView>]>([
    ['two values', { scores: scoresOf(60, 50), changes: changesAt(15) }],
    ['unknown values', { scores: scoresOf(null, 50, null), changes: changesAt(25, 17, 11) }],
    ['one value of now', { scores: [{ at: view.now, score: 1, grade: 'F' }], changes: changesAt(29, 40) }],
    [
      'many changes',
      { scores: scoresOf(10, 20, 30), changes: changesAt(...Array.from({ length: 12 }, (_, n) => 22 - n)) },
    ],
  ])('the history of the score: %s', (_what, given) => {
    expect(
      part(overview(given), '<section aria-labelledby="score-history"', '</section>').replace(
        /\n *(?:desc|figcaption|caption).*/g,
        '',
      ),
    ).toMatchSnapshot();
  });

  test('says how a month of mail passed, and the policy', () => {
    const [day] = view.days;
    if (day === undefined || view.checked === undefined) throw new Error('no day');
    const lines = [
      overview({ days: [] }),
      overview({
        checked: { ...view.checked, policy: null },
        days: [{ ...day, messages: 1000, passed: 999 }],
      }),
    ];
    expect(
      lines.map((page) => part(page, '<p><a href="/console/domains/d1/enforcement"', '</p>')),
    ).toMatchSnapshot();
    expect(
      part(overview({ days: [{ ...day, day: dayNumber(22) }] }), '<section aria-labelledby="per-day"'),
    ).toBe('nothing');
    expect(part(overview({ days: [{ ...day, day: dayNumber(23) }] }), '<h2 id="per-day"', '</h2>')).toContain(
      'per day',
    );
  });
});

describe('the history', () => {
  const view = historyView('text.example');
  const [entry] = view.entries;
  if (entry === undefined) throw new Error('no entry');

  test('is a diff of records and findings', () => {
    recordContent(historyPage(visitor, view, CONSOLE_ROOM));
  });

  test.each<[string, HistoryView]>([
    ['without entries', { entries: [], page: 1, hasMore: false }],
    ['after the last page', { entries: [], page: 2, hasMore: false }],
    ['up to a time, to its end', { entries: view.entries.slice(1), page: 1, hasMore: false, until: at(10) }],
    [
      'the second page up to a time',
      { entries: view.entries.slice(2), page: 2, hasMore: true, until: at(10) },
    ],
  ])('%s', (_what, given) => {
    recordContent(historyPage(visitor, given, CONSOLE_ROOM));
  });

  test('shows fewer entries of each list in little room, and long ones cut', () => {
    expect(String(historyPage(visitor, view, 2_000))).toContain('6 more changes');
    const finding = {
      id: 'mx-no-starttls',
      severity: 'error' as const,
      subject: 'x',
      arguments: { host: LONG, ip: 'x' },
    };
    const ended = {
      ...{ id: 'dkim-used-key-gone', severity: 'error' as const },
      arguments: { selector: LONG },
    };
    const nothing = {
      recordsAdded: [],
      recordsRemoved: [],
      findingsAdded: [],
      findingsRemoved: [],
      omitted: 1,
    };
    const change = {
      ...nothing,
      ...({ check: 'mx', previousState: 'pass', newState: 'pass' } as const),
      findingsAdded: [finding],
      findingsRemoved: [ended, finding],
    } as const;
    expect(
      [true, false]
        .map((isBelow) => outlineOf(changeDiff(change, { domain: 'example.org' }, 9_000, isBelow)))
        .join(''),
    ).toMatchSnapshot();
  });

  test('stays under 96 kB, however much changed', () => {
    const many = Array.from({ length: 100 }, (_, n) => `record ${n} ${'"'.repeat(300)}`);
    const large = Array.from({ length: 10 }, () => ({
      at: entry.at,
      changes: entry.changes.map((change) => ({ ...change, recordsAdded: many })),
    }));
    const page = domainDocument(visitor, visitor, 'History', (domain, room) =>
      historyPage(domain, { ...view, entries: large }, room),
    );
    expect(page.match(/more changes, available/g)?.length).toBeGreaterThanOrEqual(10);
    expect(Buffer.byteLength(page)).toBeLessThan(96_000);
    expect(page.match(/>record \d/g)?.length).toBeGreaterThan(10);
  });
});

describe('senders', () => {
  const statuses = [null, 'approved', 'forwarder', 'unauthorized'] as const;
  const sender = (id: string, given: Partial<Sender> = {}): Sender => ({
    ...{
      ...({ id, name: id, kind: 'domain', status: null, suggestion: null, note: null } as const),
      ...{ changedAt: null, changedBy: null },
    },
    ...{
      ...{ messages: 1000, passedMessages: 1, failedMessages: 999, passRate: 0.1 },
      ...{ dkimAligned: 1000, spfAligned: 0 },
    },
    ...{
      disposition: { none: 1000, quarantine: 0, reject: 0 },
      ...{ sources: 3, firstSeen: dayNumber(0), lastSeen: dayNumber(0) },
    },
    ...given,
  });
  const networks = {
    sources: [
      { name: LONG, day: dayNumber(0) },
      { name: 'b', day: dayNumber(1) },
    ],
    owners: new Map([['192.0.2.1', { asn: 64_500, owner: 'Network', country: 'DE' }]]),
  };
  const days = { from: dayNumber(0), to: dayNumber(29) };
  const all = [
    sender('network', {
      ...({ kind: 'network', suggestion: 'forwarder', note: LONG } as const),
      disposition: { none: 0, quarantine: 1000, reject: 0 },
    }),
    sender('others-p', {
      ...({ kind: 'provider', name: LONG, messages: 250, passedMessages: 250 } as const),
      lastSeen: dayNumber(3),
      disposition: { none: 0, quarantine: 1, reject: 1 },
    }),
    sender('a', {
      status: 'approved',
      suggestion: 'forwarder',
      disposition: { none: 0, quarantine: 0, reject: 2000 },
    }),
    sender('f', { status: 'forwarder', messages: 0, passedMessages: 0 }),
    sender('u', { status: 'unauthorized' }),
  ];
  const details = new Map([
    [
      'network',
      {
        ...{
          addresses: [{ name: '192.0.2.1', messages: 1, passedMessages: 1 }],
          signers: [],
          envelopes: [],
          reporters: [],
          overrides: [],
        },
      },
    ],
  ]);
  const rows = { details, networks };
  const view: DmarcView = {
    ...{ days, senderDays: days, today: dayNumber(29), page: 1, senders: all, ...rows },
    timeline: [0, 1, 29].map((n) => ({
      ...{
        ...{ day: dayNumber(n), reports: 1, messages: 1000 },
        passed: 900 - n,
        dkimAligned: 800,
        spfAligned: 850,
      },
      ...{ quarantined: 20, rejected: 0 },
    })),
    ...{ changed: undefined, reported: { receivers: 1, reports: 1, unauthenticated: 0 } },
  };
  const reports = (given: Partial<DmarcView>, shown: ShownDomain = visitor) =>
    dmarcPage(shown, { ...view, ...given }, CONSOLE_ROOM);

  test('are in sections by decision, below the messages by day', () => {
    expect(content(reports({})).replaceAll(/\n *tr \| \d+ Jan 2026 \| 0 .*/g, '')).toMatchSnapshot();
  });

  test('for a reader, without a decision, on the last page', () => {
    const shown = reports(
      {
        senders: Array.from({ length: 51 }, (_, n) => sender(`s${n}`, { status: 'approved' })),
        page: 2,
        networks: { ...networks, sources: [] },
      },
      reader,
    );
    recordPart(shown, '<section class="full"');
  });

  test.each<[string, Partial<DmarcView>, RegExp]>([
    ['no reports', { timeline: [] }, /<section class="empty".*?<\/section>/s],
    [
      'all decided, by none that counts',
      { senders: all.slice(2), reported: { receivers: 0, reports: 0, unauthenticated: 0 } },
      /<dt>Senders.*?<\/section>/s,
    ],
    [
      'reports of several receivers',
      { reported: { receivers: 1000, reports: 1001, unauthenticated: 1000 } },
      /<p class="soft">Reports of.*?<\/p>/s,
    ],
    [
      'senders of the end of a long window',
      { senderDays: { ...days, from: dayNumber(10) } },
      /<p class="soft">Senders are shown.*?<\/p>/s,
    ],
    [
      'exactly one page',
      { senders: Array.from({ length: 50 }, (_, n) => sender(`s${n}`)) },
      /<nav class="actions".*?<\/nav>/s,
    ],
    [
      'more than one page',
      { senders: Array.from({ length: 51 }, (_, n) => sender(`s${n}`)) },
      /<nav class="actions".*?<\/nav>/s,
    ],
  ])('%s', (_what, given, shown) => {
    expect(outlineOf(shown.exec(String(reports(given)))?.[0] ?? 'nothing')).toMatchSnapshot();
  });

  test.each([92, 93, 94])('messages of %i days are by day, or by week', (count) => {
    const window = { from: dayNumber(30 - count), to: dayNumber(29) };
    const shown = part(reports({ days: window }), '<h2 id="per-day"', '</section>');
    const shape = shown.match(/h2.*|<title.*|tr \| .* \| [1-9][\d,]*$/gm);
    expect([shown.match(/tr /g)?.length, ...(shape ?? [])].join('\n')).toMatchSnapshot();
  });

  test('more than fit a page are counted', () => {
    const many = Array.from({ length: 50 }, (_, n) =>
      sender(`s${n}`, { name: LONG, note: LONG, status: statuses[n % 2] ?? null }),
    );
    expect(
      dmarcPage(visitor, { ...view, senders: many }, 30_000)
        .toString()
        .match(/and \d+ more, avail|id="sender-/g)
        ?.slice(-2),
    ).toMatchSnapshot();
  });

  test.each<[string, (string | null)[]]>([
    ['one approved', ['approved']],
    ['one undecided', [null]],
    ['one forwarder', ['forwarder']],
    ['two forwarders', ['forwarder', 'forwarder']],
    ['two approved', ['approved', 'approved']],
    ['two, differently', ['approved', null]],
  ])('what was just decided, and can be undone: %s', (_what, decided) => {
    const senders = decided.map((status, n) =>
      sender(`s${n}`, { status: status as Sender['status'], name: LONG }),
    );
    const changed = senders.map(({ id }) => ({ senderId: id, status: 'none' as const }));
    recordPart(reports({ senders, changed }), '<div class="notice"', '</div>');
    expect(part(reports({ senders, changed }, reader), '<div class="notice"', '</div>')).not.toContain(
      'Undo',
    );
  });

  test.each<[string, Record<string, string>, ShownDomain]>([
    ['one', { decisions: 'a:none' }, visitor],
    ['three', { decisions: 'others-p:approved,a:forwarder,f:none' }, visitor],
    ['of another page', { decisions: 'other:approved' }, visitor],
    ['of nobody', {}, visitor],
    ['of a reader', { decisions: 'a:none' }, reader],
  ])('decisions that were not saved can be saved: %s', (_what, typed, shown) => {
    const left = flash('decideOnSender', {
      typed: { on: 'reports', ...typed },
      problems: [{ path: 'status', message: 'must be x' }],
    });
    recordPart(reports({}, { ...shown, flash: left }), '<div class="notice"', '</div>');
    expect(
      part(reports({}, { ...shown, flash: { ...left, kind: 'done' } }), '<div class="notice"', '</div>'),
    ).toBe('nothing');
  });

  test('who runs a network', () => {
    const owners = [
      undefined,
      { asn: null, owner: null, country: null },
      { asn: 1, owner: null, country: null },
      { asn: null, owner: 'Network', country: 'DE' },
      { asn: 1, owner: LONG, country: 'ZZ' },
      { asn: null, owner: null, country: 'XQ' },
    ];
    expect(owners.map((owner) => outlineOf(ownerText(owner)).trim())).toMatchSnapshot();
    expect(String(ownerSources({ sources: [] }))).toBe('');
  });

  describe('the page of one', () => {
    const portion = (name: string) => ({ name, messages: 1000, passedMessages: 999 });
    const name = (status: ReverseDns['status'], record: string | null) => ({
      status,
      record,
      names: [],
      confirmed: true,
      helo: null,
    });
    const simulated = {
      ...{
        ...({ id: 'a', name: 'a', status: null, messages: 1000 } as const),
        reasons: [],
        unpredictable: 2,
        passing: { current: 900, proposed: 10 },
      },
      ...{
        current: { none: 1000, quarantine: 0, reject: 0 },
        proposed: { none: 0, quarantine: 1000, reject: 1 },
      },
    };
    const known: KnownSender = {
      ...{
        sender: sender('a', {
          ...({ status: 'approved', note: 'note', sources: 9 } as const),
          disposition: { none: 0, quarantine: 1000, reject: 2 },
        }),
        timeline: [],
      },
      details: {
        addresses: ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5', LONG].map(portion),
        ...{ signers: [portion(LONG)], envelopes: [portion('e.example')], reporters: [portion('r')] },
        overrides: ['forwarded', 'later'].map(portion),
      },
      names: new Map([
        ['192.0.2.1', name('valid', LONG)],
        ['192.0.2.2', name('missing', null)],
        ['192.0.2.3', name('unknown', null)],
        ['192.0.2.4', name('mismatch', LONG)],
      ]),
      networks,
      selectors: [{ ...portion(LONG), domain: LONG, result: LONG }],
      effect: { kind: 'simulated', record: LONG, simulated },
      blocker: { senderId: 'a', name: 'a', messages: 1, reason: LONG, fix: LONG },
      setup: {
        nothing: undefined,
        steps: [
          { title: LONG, text: LONG, done: true },
          { title: 'T', text: 'x', done: false },
        ],
      },
    };
    const one = (given: Partial<KnownSender>, shown: ShownDomain = visitor) =>
      senderPage(shown, 'a', { days, today: days.to, known: { ...known, ...given } }, CONSOLE_ROOM);

    test('has its figures, the decision, the way to set it up, and what is behind it', () => {
      expect(content(one({})).replaceAll(/\n *tr \| \d+ Jan 2026 \| 0 .*/g, '')).toMatchSnapshot();
      const titles = [known, { ...known, sender: sender('a', { name: LONG }) }, undefined].map((it) =>
        senderTitle({ days, today: days.to, known: it }),
      );
      expect(titles.map((title) => title.replace('x'.repeat(79), '79×x'))).toMatchSnapshot();
    });

    test.each<[string, Partial<KnownSender>, ShownDomain]>([
      [
        'undecided, looks forwarded, nothing known',
        {
          sender: sender('others-a', { suggestion: 'forwarder', sources: 0 }),
          details: { addresses: [], signers: [], envelopes: [], reporters: [], overrides: [] },
          selectors: [],
          effect: { kind: 'unknown' },
          blocker: undefined,
          setup: { nothing: LONG, steps: [] },
        },
        visitor,
      ],
      [
        'the last policy',
        {
          sender: sender('a', { status: 'approved', suggestion: 'forwarder', note: LONG, sources: 6 }),
          networks: { ...networks, sources: [] },
          effect: { kind: 'last' },
        },
        reader,
      ],
      [
        'nothing lost',
        {
          sender: sender('a'),
          effect: {
            kind: 'simulated',
            record: 'v=DMARC1',
            simulated: { ...simulated, unpredictable: 0, proposed: simulated.current },
          },
        },
        reader,
      ],
    ])('%s', (_what, given, shown) => {
      expect(differenceOf(content(one({})), content(one(given, shown)))).toMatchSnapshot();
    });

    test('without mail, and with a decision that was refused', () => {
      recordContent(senderPage(visitor, 'a', { days, today: days.to, known: undefined }, CONSOLE_ROOM));
      const left = flash('decideOnSender', {
        typed: { status: 'forwarder', note: 'typed' },
        problems: [{ path: 'note', message: 'is long' }],
      });
      recordPart(one({}, { ...visitor, flash: left }), '<fieldset', '</form>');
    });

    test('fits a page', () => {
      const many = Array.from({ length: 400 }, (_, n) => portion(`${n}.${LONG.slice(0, 90)}`));
      const page = one({
        sender: sender('a', { sources: 500 }),
        details: { ...known.details, addresses: many, signers: many, reporters: many },
        selectors: many.map((it) => ({ ...it, domain: 'd', result: 'pass' })),
      });
      expect([
        String(page).match(/and \d+ more/g),
        String(page).match(/<code>\d+\.x/g)?.length,
      ]).toMatchSnapshot();
    });
  });
});

describe('the TLS reports', () => {
  const view = tlsView('text.example');
  const failure = view.failures[0] as TlsFailure;
  const day = (n: number, successful: number, failed: number) => ({
    ...{ day: dayNumber(n), reports: 1, successful, failed },
  });
  const days = { from: dayNumber(0), to: dayNumber(2) };
  const tls = (given: Partial<TlsView>) =>
    tlsPage(visitor, { ...view, days, timeline: [day(0, 999, 1)], failures: [], ...given }, CONSOLE_ROOM);
  const cards = (page: Markup) => part(page, '<section aria-labelledby="failures"', '</section>');

  test('have the rate by day, and failures once per cause and host, with each sender', () => {
    recordContent(
      tlsPage(visitor, { ...view, days, timeline: [day(0, 999, 1), day(2, 1000, 999)] }, CONSOLE_ROOM),
    );
  });

  test.each<[string, Partial<TlsView>]>([
    ['no reports', { timeline: [] }],
    [
      'days without sessions, of which nothing is below 90 %',
      { timeline: [day(0, 0, 0), day(1, 90, 10), day(2, 1, 0)] },
    ],
    [
      'one day, just below 90 %',
      { days: { from: dayNumber(0), to: dayNumber(0) }, timeline: [day(0, 899, 101)], isPartial: false },
    ],
    ['no failure', { timeline: [day(0, 1, 0)], isPartial: false }],
  ])('%s', (_what, given) => {
    expect(content(tls(given)).replace(/form\.window[\s\S]*?(?=section)/, '')).toMatchSnapshot();
  });

  const found = {
    ...({ id: 'mx-no-starttls', subject: 'x', severity: 'warning' } as const),
    arguments: { host: LONG, ip: 'x' },
  } as const;
  test.each<[string, Partial<TlsFailure>]>([
    ['findings', { cause: { kind: 'finding', findings: [found, found, found, found] } }],
    [
      'a host that is not in the policy',
      {
        cause: {
          kind: 'not-in-policy',
          patterns: Array.from({ length: 9 }, (_, n) => `${n}${n === 0 ? LONG : ''}`),
        },
      },
    ],
    [
      'a certificate',
      {
        cause: { kind: 'certificate-expired', expiry: at(3) },
        ...({ host: null, resultType: LONG, policyType: 'tlsa' } as const),
        policy: [],
      },
    ],
    [
      'unknown: no check ran',
      {
        cause: { kind: 'unchecked' },
        published: { mx: undefined, mtaSts: undefined },
        policyType: 'sts',
        host: LONG,
      },
    ],
    [
      'unknown',
      {
        cause: { kind: 'unexplained' },
        sender: LONG,
        remarks: ['1', '2', LONG, '4'],
        policy: Array.from({ length: 11 }, (_, n) => `${n}${n === 0 ? LONG : ''}`),
      },
    ],
  ])('the cause of a failure is %s', (_what, given) => {
    expect(cards(tls({ failures: [{ ...failure, ...given }] }))).toMatchSnapshot();
  });

  test('each type of failure has a name', () => {
    const types = [
      ...[
        'starttls-not-supported',
        'certificate-host-mismatch',
        'certificate-expired',
        'certificate-not-trusted',
      ],
      ...['validation-failure', 'tlsa-invalid', 'dnssec-invalid', 'dane-required', 'sts-policy-fetch-error'],
      ...['sts-policy-invalid', 'sts-webpki-invalid', LONG],
    ];
    const failures = types.map((resultType, n) => ({
      ...failure,
      resultType,
      sessions: 1000 + n,
      host: n === 0 ? null : LONG,
    }));
    recordPart(tls({ failures }), '<table><caption class="hush">Failures', '</table>');
  });

  test('senders of a cause, from the first to the last day, those with another cause, and too many', () => {
    const other = { ...failure, sender: 'b', from: at(1), to: at(20), cause: { kind: 'unchecked' } as const };
    const early = { ...failure, sender: 'c', from: at(0), to: at(1) };
    expect(cards(tls({ failures: [failure, other, early] }))).toMatchSnapshot();
    const counts = [20, 21, 22].map((count) =>
      String(tls({ failures: Array.from({ length: count }, () => failure) })),
    );
    expect(
      counts.map((page) => [
        page.match(/<details class="behind"/g)?.length,
        /and \d+ more senders?/.exec(page)?.[0],
      ]),
    ).toMatchSnapshot();
    const many = Array.from({ length: 90 }, (_, n) => ({ ...failure, resultType: `${n} ${LONG}` }));
    expect(
      [tls({ failures: many }), tlsPage(visitor, view, 0)].map((page) => [
        /and \d+ more kinds/.exec(String(page))?.[0],
        String(page).match(/<li class="card">|<tr><th scope="row">\d/g)?.length,
      ]),
    ).toMatchSnapshot();
  });
});

describe('enforcement', () => {
  const view = enforcementView('text.example');
  const {
    simulation,
    rule: [first, second],
  } = view.assessment;
  if (simulation === null || first === undefined || second === undefined) throw new Error('no simulation');
  const page = (
    changed: Partial<EnforcementView['assessment']>,
    given: Partial<EnforcementView> = {},
    shown: ShownDomain = visitor,
  ) =>
    enforcementPage(
      shown,
      { ...view, trial: undefined, ...given, assessment: { ...view.assessment, ...changed } },
      CONSOLE_ROOM,
    );

  test('has the stage, the next step, the rules, and what is open', () => {
    recordContent(page({}));
  });

  test('shows records of a visitor, simulated', () => {
    recordPart(
      enforcementPage(visitor, view, CONSOLE_ROOM),
      '<section aria-labelledby="trial"',
      '<section aria-labelledby="stage"',
    );
    recordPart(enforcementPage(visitor, view, CONSOLE_ROOM), '<form class="trial"', '</form>');
    const { trial } = view;
    if (trial === undefined || 'problems' in trial.result) throw new Error('no simulation');
    const given = { ...trial.result.simulation, proposed: { dmarc: null, spf: null }, senders: [] };
    const none = page({}, { trial: { dmarc: '', spf: '', result: { simulation: given } } });
    expect(
      part(none, '<section aria-labelledby="trial"', '<section aria-labelledby="stage"').replace(
        /figure[\s\S]*?\np /,
        'p ',
      ),
    ).toMatchSnapshot();
    const [one] = trial.result.simulation.senders;
    const long = {
      ...trial.result.simulation,
      proposed: { dmarc: LONG, spf: LONG },
      senders: [
        { ...(one as SimulatedSender), name: LONG },
        { ...(one as SimulatedSender), reasons: [] },
      ],
    };
    expect(
      part(
        page({}, { trial: { dmarc: '', spf: '', result: { simulation: long } } }),
        '<section aria-labelledby="trial"',
        '<section aria-labelledby="stage"',
      ).match(/.*×.*/g),
    ).toMatchSnapshot();
  });

  test('says what is wrong with a record', () => {
    const problems = (['dmarc', 'dmarc', 'spf'] as const).map((record, n) => ({
      record,
      message: n === 0 ? LONG : HOSTILE,
    }));
    const wrong = page({}, { trial: { dmarc: HOSTILE, spf: '', result: { problems } } });
    expect(String(wrong)).not.toContain('<script');
    expect(
      part(wrong, '<section class="notice"', '</section>') + part(wrong, '<form class="trial"', '</form>'),
    ).toMatchSnapshot();
  });

  test.each<[string, Partial<EnforcementView['assessment']>]>([
    ['no record, nothing simulated', { stage: 'no-record', simulation: null, thin: false, rule: [] }],
    ['quarantine, ready', { stage: 'quarantine', ready: true, nextRecord: `v=DMARC1; p=reject; ${LONG}` }],
    ['reject', { stage: 'reject', ready: true, nextRecord: null, rule: [] }],
    ['a long record', { nextRecord: `v=DMARC1; ${LONG}` }],
  ])('the stage is %s', (_what, given) => {
    expect(
      part(page(given), '<section aria-labelledby="stage"', '<p>52 reports').replace(
        /figure[\s\S]*?\n(?= *p )/,
        '',
      ),
    ).toMatchSnapshot();
  });

  const open = {
    ...first,
    id: 'reporters' as const,
    measures: [],
    ...{ holds: false, measured: true, advisory: false },
  };
  const days = (id: 'policy-days' | 'report-days', atLeast: number | null, actual: number | null) => ({
    ...open,
    id,
    measures: [{ measure: 'policyDays' as const, unit: 'days' as const, atLeast, atMost: null, actual }],
  });
  const decisions = (actual: number | null) => ({
    ...open,
    id: 'undecided-senders' as const,
    measures: [{ measure: 'senders' as never, unit: 'senders' as never, atLeast: null, atMost: 0, actual }],
  });
  test.each<[string, readonly EnforcementRule[]]>([
    [
      'nothing open',
      [
        { ...open, holds: true },
        { ...open, advisory: true },
      ],
    ],
    ['days', [days('policy-days', 30, 1), days('report-days', 24, null)]],
    ['more days', [days('policy-days', 30, 29), days('report-days', 24, 2)]],
    ['a decision', [decisions(1)]],
    ['unknown decisions', [decisions(null), days('policy-days', null, 2)]],
    ['decisions and a requirement', [decisions(2), { ...open, id: 'reporters' }]],
    [
      'a day',
      [
        {
          ...days('report-days', 2, 1),
          measures: [...days('report-days', 2, 1).measures, ...days('report-days', null, 5).measures],
        },
      ],
    ],
    ['a requirement in numbers', [{ ...days('policy-days', 30, 1), id: 'reporters' }]],
    [
      'requirements',
      [
        { ...open, id: 'reporters' },
        { ...open, id: 'approved-pass' },
      ],
    ],
    [
      'all',
      [
        days('policy-days', 3, 1),
        decisions(2),
        { ...open, id: 'reporters' },
        { ...open, id: 'approved-pass' },
      ],
    ],
  ])('the earliest next step: %s', (_what, rule) => {
    const words = ['v=DMARC1; p=quarantine', 'v=DMARC1'].map(
      (nextRecord) =>
        /aria-hidden="true">!<\/span>(You.*?)<\/p>/.exec(String(page({ rule: [...rule], nextRecord })))?.[1],
    );
    expect(words).toMatchSnapshot();
  });

  const effects: readonly Partial<typeof simulation>[] = [
    { current: { none: 1, quarantine: 0, reject: 0 }, proposed: { none: 0, quarantine: 1, reject: 0 } },
    { current: { none: 0, quarantine: 0, reject: 1 }, proposed: { none: 1, quarantine: 0, reject: 0 } },
    {
      proposed: simulation.current,
      unpredictable: 0,
      approved: { messages: 0, lost: { current: 0, proposed: 0 } },
    },
    {
      current: { none: 0, quarantine: 5, reject: 0 },
      proposed: { none: 0, quarantine: 4, reject: 1 },
      unpredictable: 1,
    },
    { current: { none: 0, quarantine: 3, reject: 2 }, proposed: { none: 0, quarantine: 5, reject: 0 } },
    {
      current: { none: 0, quarantine: 0, reject: 5000 },
      proposed: { none: 5000, quarantine: 1, reject: 2 },
      messages: 1,
    },
    { current: { none: 10, quarantine: 0, reject: 0 }, passing: { current: 20, proposed: 5 } },
  ];
  test.each(effects)('the effect of the next step in words and figures', (given) => {
    const shown = part(page({ simulation: { ...simulation, ...given } }), '<h2 id="next"', '</section>');
    expect(shown.match(/figcaption.*|tr \| [WF].*|\n *p (?:Rec|No |\d).*/g)).toMatchSnapshot();
  });

  test('what to do about each rule that is not met; nothing is ticked without data', () => {
    const ids = [
      ...([
        'no-mail',
        'record-known',
        'policy-days',
        'report-days',
        'reporters',
        'approved-messages',
      ] as const),
      ...([
        'approved-pass',
        'approved-dkim',
        'undecided-senders',
        'seasonal-senders',
        'forwarding-loss',
        'published-records',
      ] as const),
    ];
    const rules = [
      ...ids.map((id) => ({ ...open, id, name: id })),
      { ...open, name: 'Seasonal senders', actual: LONG },
      { ...open, name: 'Unknown', measured: false, holds: true },
      { ...open, name: 'Met', holds: true },
      { ...open, name: 'Told', advisory: true },
    ];
    const shown = part(page({ rule: rules }), '<h2 id="rules"', '</section>');
    expect(shown).toMatchSnapshot();
    const met = [open, open].map((one) => ({ ...one, holds: true }));
    expect(
      part(page({ rule: met }), '<h2 id="rules"', '</section>').match(/p All.*|summary.*|h3.*/g),
    ).toEqual(['p All 2 are met.', 'summary 2 met']);
  });

  test.each<[number, number]>([
    [0, 0],
    [1, 0],
    [0, 1],
    [52, 2],
  ])('%i reports count, and %i do not', (authenticated, unauthenticated) => {
    expect(
      /<p>\d+ reports? of.*?<\/p>/.exec(String(page({ reports: { authenticated, unauthenticated } })))?.[0],
    ).toMatchSnapshot();
  });

  test('leads to the senders that block, unless what blocks is no sender', () => {
    const blocker = { name: LONG, messages: 1, reason: LONG, fix: LONG };
    const blockers = [
      { ...blocker, senderId: 'a' },
      { ...blocker, senderId: null },
    ];
    const given = {
      blockers,
      lastStep: { at: at(3), policy: 'reject', predictedLostShare: null, actualLostShare: 2 },
    };
    recordPart(page(given), '<section aria-labelledby="blockers"', '<section aria-labelledby="try"');
    expect(part(page({ blockers: [], lastStep: null }), '<section aria-labelledby="blockers"')).toBe(
      'nothing',
    );
  });

  test('the record is not known, so nothing is recommended', () => {
    const shown = page({}, { isRecordKnown: false, undecidedTotal: 1 });
    recordPart(shown, '<section class="empty"', '<section aria-labelledby="rules"');
    expect(String(shown)).toContain('>All senders</a>');
    expect(String(shown)).not.toMatch(/Record to publish|v=DMARC1; p=quarantine; rua/);
    const nothing = page({}, { undecided: [], rows: { ...view.rows, changed: [] } }, reader);
    expect(String(nothing).match(/id="(?:undecided|changed|decide)"|<p>[^<]*is now[^<]*/g)).toMatchSnapshot();
  });

  test('shows a part of each list in little room', () => {
    const { trial, undecided } = view;
    const { blockers } = view.assessment;
    if (trial === undefined || 'problems' in trial.result) throw new Error('no simulation');
    const many = <One>([one]: readonly One[]) => Array.from({ length: 60 }, () => one as One);
    const { simulation: simulated } = trial.result;
    const result = { simulation: { ...simulated, senders: many(simulated.senders) } };
    const given = { undecided: many(undecided), trial: { ...trial, result } };
    const large = { ...view, ...given, assessment: { ...view.assessment, blockers: many(blockers) } };
    const left = [0, 24_000].map((room) =>
      String(enforcementPage(visitor, large, room)).match(/and \d+ more/g),
    );
    expect(left).toMatchSnapshot();
  });
});

describe('a time, a preview, and the settings', () => {
  const { checked, owner, plan } = overviewView('text.example');
  if (checked === undefined) throw new Error('not checked');

  test('how the domain stood', () => {
    const standing = [checked, undefined].map((known) =>
      standingPage(visitor, { owner, at: at(9), checked: known && { ...known, plan } }, CONSOLE_ROOM),
    );
    expect(
      standing
        .map((page) =>
          content(page).replace(
            /section\[aria-labelledby=fix\][\s\S]*(?=\n *section.full)|section\.full\[aria-labelledby=checks\][\s\S]*/g,
            '',
          ),
        )
        .join(''),
    ).toMatchSnapshot();
  });

  test('what a change would do', () => {
    const [change] = plan.changes;
    if (change === undefined) throw new Error('no change');
    const before = perfectResults('sends-and-receives');
    const after = {
      ...before,
      mx: checked.results.mx,
      spf: {
        ...before.spf,
        state: 'fail' as const,
        findings: [
          {
            id: 'spf-unknown-rule',
            severity: 'error' as const,
            arguments: {},
            ...({ message: 'm', fix: 'f', cites: 'c' } as const),
          },
        ],
      },
    };
    const view = {
      owner,
      change: { ...change, after: [LONG, 'b'] },
      ...{ checkedAt: at(9), before, after },
      scores: { before: 62, after: null },
    };
    recordContent(previewPage(visitor, view, CONSOLE_ROOM));
    const back = {
      ...view,
      change: { ...change, after: [] },
      before: after,
      after: before,
      scores: { before: null, after: 68 },
    };
    recordContent(previewPage(visitor, back, CONSOLE_ROOM));
    expect(
      content(previewPage(visitor, { ...view, after: before }, CONSOLE_ROOM)).match(/section.*/g),
    ).toMatchSnapshot();
  });

  test.each<[string, Partial<Domain>, ShownDomain, string]>([
    [
      'with all fields',
      { testEmailLocalPart: 'post', tags: ['a', 'b'], dkimSelectors: ['s1', 's2'], badgeToken: 'badge' },
      visitor,
      'reports.example',
    ],
    ['not verified', { verified: false }, visitor, 'localhost'],
    ['verified, without a badge', {}, visitor, 'reports.example'],
    [
      'for a reader',
      { testEmailLocalPart: 'post', tags: ['a', 'b'], badgeToken: 'badge' },
      reader,
      'reports.example',
    ],
    ['for a reader, with nothing', {}, reader, 'reports.example'],
  ])('the settings %s', (_what, given, shown, reportsDomain) => {
    const domain: Domain = {
      ...{
        ...({ id: 'd1', organization: 'o1', domain: 'example.org', verified: true } as const),
        ...({ verificationToken: 'token', usageType: 'parked' } as const),
      },
      ...{
        testEmailLocalPart: null,
        dkimSelectors: [],
        mailbox: 'box',
        tags: [],
        ...{ lastCheckedAt: null, createdAt: at(0), updatedAt: at(0) },
      },
      ...given,
    };
    const naming = { hostUrl: 'https://m.example', serviceLabel: 'svc', reportsDomain };
    const page = content(domainSettingsPage(shown, domain, naming));
    const other = content(
      domainSettingsPage(reader, { ...domain, verified: true, badgeToken: undefined } as never, naming),
    );
    expect(
      domain.badgeToken === 'badge' && shown.canWrite ? page : differenceOf(other, page),
    ).toMatchSnapshot();
  });
});

describe('compliance', () => {
  const source = (title: string, date: string | null, address: string | null) => ({
    ...({ title, date, address, read: 'All of it' } as const),
  });
  const profile = {
    ...({ id: 'p1', name: '<b>Profile', version: '1', description: 'For all.' } as const),
    source: source('One', null, null),
  };
  const requirement = (id: string, given: object) => ({
    ...{
      ...({ id, section: '1', text: 'Text', level: 'must', coverage: 'text' } as const),
      status: 'fulfilled',
      findings: [],
      source: profile.source,
    },
    ...given,
  });
  const compliance = (given: object) =>
    ({
      ...{
        ...({ profile, domainId: 'd1', domain: 'example.org', checkedAt: at(1) } as const),
        ...({ fulfilled: null, status: 'violated' } as const),
      },
      counts: { fulfilled: 1, violated: 2, unknown: 3, notApplicable: 4, notTestable: 5 },
      requirements: [
        requirement('a', {}),
        requirement('b', {
          status: 'violated',
          coverage: 'interpretation',
          source: source('Two', '2024-06', 'https://two.example'),
          findings: [{ id: 'x', message: '<b>' }],
        }),
        requirement('c', {
          ...({ level: 'should', status: 'not-testable', coverage: 'not covered' } as const),
          source: source('Three', '2024-06-01', null),
        }),
      ],
      ...given,
    }) as never;
  const page = (given: object) =>
    compliancePage(visitor, {
      compliance: compliance(given),
      profiles: [{ id: 'p1', name: 'P', isFollowed: false }],
    });

  test('has the requirements with their sources', () => {
    recordContent(page({}));
  });

  test.each([
    [{ status: 'unknown', checkedAt: null, requirements: [requirement('a', { status: 'unknown' })] }],
    [{ status: 'fulfilled' }],
    [
      {
        status: 'fulfilled',
        requirements: [requirement('a', { level: 'should' }), requirement('b', { status: 'not-applicable' })],
      },
    ],
    [{ status: 'not-applicable' }],
  ])('says what holds', (given) => {
    const shown = content(page(given));
    expect([/p <strong .*/.exec(shown)?.[0], shown.match(/tr \| a.*/g)?.[0]]).toMatchSnapshot();
  });
});

test('the documents of views have the title of their page', async () => {
  const domain = { id: 'd1', domain: owner } as Domain;
  const views = [
    { name: 'history', ...historyView('x') },
    { name: 'dmarc', ...(await dmarcView('x')) },
    { name: 'enforcement', ...enforcementView('x') },
    { name: 'tls', ...tlsView('x') },
  ] as const;
  const shown = [
    overviewDocument(domain, visitor, overviewView('x')),
    standingDocument(domain, visitor, { owner: overviewView('x').owner, at: at(1), checked: undefined }),
    ...views.map((view) => viewDocument(domain, visitor, view)),
  ];
  expect(
    shown.map(
      (page) =>
        `${/<title>.*<\/title>/.exec(page)?.[0]} ${/<a[^>]*aria-current="page">[^<]*<\/a><\/li>/.exec(page)?.[0]}`,
    ),
  ).toMatchSnapshot();
});
