import { describe, expect, test } from '@jest/globals';
import { checkNames } from '../../../../shared/checks/state.ts';
import { dmarcPage } from '../../../../shared/pages/console/domain/dmarc.ts';
import { domainDocument } from '../../../../shared/pages/console/domain/document.ts';
import { enforcementPage } from '../../../../shared/pages/console/domain/enforcement.ts';
import { historyPage } from '../../../../shared/pages/console/domain/history.ts';
import { overviewPage } from '../../../../shared/pages/console/domain/overview.ts';
import { tlsPage } from '../../../../shared/pages/console/domain/tls.ts';
import { CONSOLE_ROOM } from '../../../../shared/pages/console/layout.ts';
import type { EnforcementView } from '../../../../shared/views/domain/enforcement.ts';
import {
  dmarcView,
  enforcementView,
  historyView,
  overviewView,
  shownDomain,
  tlsView,
} from '../../../kit/domain-views.ts';

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

describe('the overview', () => {
  test('says the policy, how much of the mail passes, and the mail of seven days', async () => {
    const page = String(await pages.overview('x', true));
    expect(page).toContain('<strong>p=none</strong>');
    expect(page).toMatch(
      /\d+(?:\.\d)? % of <a href="[^"]+\/dmarc">300 messages<\/a> of the last 30 days passed DMARC/,
    );
    expect(page).toContain('70 messages on 7 days with reports');
    const silent = overviewPage(shownDomain, { ...overviewView('x'), days: [] }, CONSOLE_ROOM);
    expect(String(silent)).toContain('No reports of the last 30 days.');
  });

  test('orders what to do by risk and then by points, with its class, before, after and a copy button', async () => {
    const whole = await shown('overview');
    const markup = whole.slice(whole.indexOf('id="fix"'));
    const cards = [...markup.matchAll(/<li class="card"><div class="head"><h3>(\w+) (\w+)[\s\S]*?<\/li>/g)];
    expect(cards.map(([, action, type]) => `${action} ${type}`)).toEqual([
      'Replace TXT',
      'Replace TXT',
      'Remove MX',
    ]);
    expect(cards[0]?.[0]).toContain('your decision');
    expect(cards[0]?.[0]).toContain('<strong>+9</strong>');
    expect(cards[0]?.[0]).toMatch(/Before:[\s\S]*After:/);
    // Missing STARTTLS comes before all of them.
    expect(markup.indexOf('<strong>up to +5</strong>')).toBeLessThan(markup.indexOf('<strong>+9</strong>'));
    expect(cards[0]?.[0]).toContain('data-copy="after-1"');
    expect(markup).toContain('no points');
    expect(cards[0]?.[0]).toContain(`/console/domains/${shownDomain.id}/preview"`);
  });

  test('marks changes in the history of the score', async () => {
    const markup = await shown('overview');
    expect(markup.match(/<circle r="9"/g)).toHaveLength(2);
    expect(markup).toContain('MX, DMARC changed');
  });

  test('shows each check with its records, evidence and cited findings', async () => {
    const markup = await shown('overview');
    expect(markup.match(/<details class="check-of"/g)).toHaveLength(checkNames.length);
    expect(markup).toContain('https://www.rfc-editor.org/rfc/rfc3207#section-4');
    expect(markup).toContain('The last lookups failed.');
  });

  test('before the first check offers to run it', () => {
    const before = { ...overviewView(''), checked: undefined };
    expect(String(overviewPage(shownDomain, before, CONSOLE_ROOM))).toContain('has not been checked yet');
    expect(String(overviewPage(shownDomain, before, CONSOLE_ROOM))).toContain(
      `/console/domains/${shownDomain.id}/checks"`,
    );
  });
});

describe('the history', () => {
  test('is a diff of records and findings', async () => {
    const markup = await shown('history');
    expect(markup).toMatch(/class="removed">[\s\S]*?<code>v=DMARC1; p=none<\/code>/);
    expect(markup).toMatch(/class="added">[\s\S]*?<code>v=DMARC1; p=reject<\/code>/);
    expect(markup).toContain('Resolved: </span>The certificate of the MX host mx1.example.org');
    expect(markup).toContain('3 more changes');
    expect(markup).toContain('?page=1');
    expect(markup).toContain('?page=3');
  });

  test('shows fewer entries of each list in little room', () => {
    const few = String(historyPage(shownDomain, historyView('x'), 2_000));
    expect(few).toContain('6 more changes');
  });

  test('stays under 96 kB, however much changed', () => {
    const many = Array.from({ length: 100 }, (_, n) => `record ${n} ${'"'.repeat(300)}`);
    const { entries, ...view } = historyView('x');
    const large = Array.from({ length: 10 }, () => entries[0] ?? { at: '', changes: [] }).map(
      ({ changes, ...entry }) => ({
        ...entry,
        changes: changes.map((change) => ({ ...change, recordsAdded: many })),
      }),
    );
    const visitor = { canWrite: true, formToken: 'form-token' };
    const page = domainDocument(shownDomain, visitor, 'History', (domain, room) =>
      historyPage(domain, { ...view, entries: large }, room),
    );
    expect(page.match(/more changes, available/g)?.length).toBeGreaterThanOrEqual(10);
    expect(Buffer.byteLength(page)).toBeLessThan(96_000);
    expect(page.match(/>record \d/g)?.length).toBeGreaterThan(10);
  });

  test('without entries says so', () => {
    const empty = { entries: [], page: 1, hasMore: false };
    expect(String(historyPage(shownDomain, empty, CONSOLE_ROOM))).toContain('No changes yet');
  });
});

describe('the DMARC reports', () => {
  test('show messages per day by result', async () => {
    const markup = await shown('dmarc');
    // 1 January: 1100 messages, 1000 passed, 900 by DKIM and 950 by SPF.
    expect(markup).toContain(
      '<th scope="row">1 Jan 2026</th><td>850</td><td>50</td><td>100</td><td>100</td><td>1,100</td>',
    );
  });

  test('show who runs the network of a sender, and its status', async () => {
    const markup = await shown('dmarc');
    expect(markup).toContain('<span class="tag pass">Approved</span>');
    // Of a sender that nothing but its network names.
    expect(markup).toContain('Unknown server, AS64500 text.example, Germany');
    expect(markup).toContain('is now approved');
    expect(markup).toMatch(/name="decisions" value="[\w-]+:none" [^>]*>Undo/);
    // Forms keep the window.
    expect(markup).toContain('name="startDate" value="2026-01-01"');
  });

  test('offer no approval of other customers of a provider', async () => {
    const view = await dmarcView('x');
    const [sender] = view.senders;
    if (sender === undefined) throw new Error('no sender');
    const buttons = (id: string) => {
      const senders = [{ ...sender, id, status: null }];
      const markup = String(dmarcPage(shownDomain, { ...view, senders }, CONSOLE_ROOM));
      return [...markup.matchAll(/name="decisions" value="[\w-]+:([a-z]+)" aria-label/g)].map(
        ([, value]) => value,
      );
    };
    expect(buttons('provider-a')).toEqual(['approved', 'forwarder', 'unauthorized']);
    expect(buttons('others-a')).toEqual(['forwarder', 'unauthorized']);
  });

  test('of a year have a bar per week', async () => {
    const view = { ...(await dmarcView('x')), days: { from: '2025-01-30', to: '2026-01-29' } };
    const markup = String(dmarcPage(shownDomain, view, CONSOLE_ROOM));
    expect(markup).toContain('Messages per week');
    expect(markup.match(/class="hit"/g)).toHaveLength(53);
  });

  test('without reports say so', async () => {
    const view = { ...(await dmarcView('x')), timeline: [], senders: [] };
    expect(String(dmarcPage(shownDomain, view, CONSOLE_ROOM))).toContain('No DMARC reports in this window');
  });
});

describe('the TLS reports', () => {
  test('name the cause of a failure, and what was published then', async () => {
    const markup = await shown('tls');
    expect(markup).toContain(
      'The certificate of the MX host mx1.example.org (192.0.2.25) expired on 5 Jan 2026.',
    );
    expect(markup).toContain('does not list this MX host');
    expect(markup).toContain('saw nothing that explains this');
    expect(markup).toContain('the newest reports of this window');
  });

  test('have a failure once per cause and host, with each sender of it', () => {
    const markup = String(tlsPage(shownDomain, tlsView('text.example'), CONSOLE_ROOM));
    const cells =
      /<th scope="row">The certificate had expired<\/th><th scope="row"><code>mx1.example.org<\/code><\/th><td>24<\/td><td>2<\/td>/;
    expect(markup).toMatch(cells);
    const card = markup
      .split('<li class="card">')
      .slice(1)
      .find((one) => one.includes('The certificate had expired'));
    expect(card?.match(/<summary>[\w.]+: 12 sessions/g)).toHaveLength(2);
    expect(card?.match(/<strong>Cause:/g)).toHaveLength(1);
  });

  test('have a table of failures from two kinds on', () => {
    const { failures, ...view } = tlsView('x');
    const shown = (kinds: readonly string[]) =>
      String(
        tlsPage(
          shownDomain,
          {
            ...view,
            failures: kinds.flatMap((resultType) =>
              failures.slice(0, 1).map((failure) => ({ ...failure, resultType })),
            ),
          },
          CONSOLE_ROOM,
        ),
      );
    const table = 'Failures by cause and host</caption>';
    expect(shown(['certificate-expired'])).not.toContain(table);
    expect(shown(['certificate-expired', 'tlsa-invalid'])).toContain(table);
  });

  test('without reports say so', () => {
    expect(String(tlsPage(shownDomain, { ...tlsView('x'), timeline: [] }, CONSOLE_ROOM))).toContain(
      'No TLS reports',
    );
  });
});

test('senders are in sections by decision, below what the reports rest on', async () => {
  const view = await dmarcView('x');
  const statuses = [null, 'approved', 'forwarder', 'unauthorized'] as const;
  const senders = view.senders.map((sender, n) => ({ ...sender, status: statuses[n % 4] ?? null }));
  const markup = String(dmarcPage(shownDomain, { ...view, senders }, CONSOLE_ROOM));
  const sections = [...markup.matchAll(/scope="rowgroup" colspan="10">([^<]+)</g)].map(([, name]) => name);
  expect(sections).toEqual(['Without your decision', 'Approved', 'Forwarders', 'Unauthorized']);
  expect(markup).toContain(
    'Reports of 2 receivers; 3 of 60 reports not authenticated (not counted for readiness).',
  );
});

describe('enforcement', () => {
  const page = (changed: Partial<EnforcementView['assessment']>) => {
    const view = enforcementView('x');
    const assessment = { ...view.assessment, ...changed };
    return String(enforcementPage(shownDomain, { ...view, trial: undefined, assessment }, CONSOLE_ROOM));
  };
  const rule = {
    ...{ id: 'policy-days' as const, measures: [], attested: false },
    name: 'A rule',
    required: 'much',
    actual: '0 %',
    holds: true,
    measured: true,
    advisory: false,
  };

  test('offers a record for copying only when the domain is ready for it', () => {
    const early = page({ ready: false });
    expect(early).toContain('You can go to quarantine in 29 days at the earliest, after 1 requirement');
    expect(early).not.toContain('Record to publish');
    expect(early).not.toContain('data-copy="next-record"');
    expect(early).toMatch(/<summary>The record for the next step: do not publish it yet/);
    const ready = page({ ready: true });
    expect(ready).toContain('data-copy="next-record"');
    expect(ready).not.toContain('do not publish it yet');
  });

  test('ticks nothing without data, shows what is not met first, and information apart', () => {
    const rules = [
      { ...rule, name: 'Met' },
      { ...rule, name: 'Unknown', measured: false },
      { ...rule, name: 'Unmet', holds: false },
      { ...rule, name: 'Told', advisory: true },
    ];
    const markup = page({ rule: rules });
    const names = [
      ...markup.matchAll(/<th scope="row"><span class="q" aria-hidden="true">(.)<\/span> (\w+) /g),
    ];
    expect(names.map(([, sign, name]) => `${sign} ${name}`)).toEqual([
      ...['! Unmet', '– Unknown', '✓ Met', '✓ Told'],
    ]);
    expect(markup.indexOf('For information')).toBeGreaterThan(markup.indexOf('Met'));
    expect(markup).toContain('No data yet');
    expect(markup).toContain('<summary>1 met</summary>');
  });

  test('says how many reports do not count, and why', () => {
    const markup = page({ reports: { authenticated: 52, unauthenticated: 3 } });
    expect(markup).toContain('52 reports of the last 30 days count.');
    expect(markup).toContain('3 reports could not be authenticated');
    expect(markup).toContain('anybody can send a forged report');
    expect(page({ reports: { authenticated: 1, unauthenticated: 0 } })).not.toContain(
      'authenticated</strong>',
    );
  });

  test('shows the stage, the next step and the age of its figures', async () => {
    const markup = await shown('enforcement');
    expect(markup).toContain('<li aria-current="step"><strong>p=none</strong>');
    expect(markup).toContain(
      'Receivers would be asked to quarantine or reject 4,400 more of 36,400 messages.',
    );
    expect(markup).toContain('12 messages of your approved senders');
    expect(markup).toContain('at most an hour old');
    expect(markup).not.toContain('data-copy="next-record"');
  });

  test('leads to the senders that block, unless what blocks is no sender', () => {
    const blocker = { name: 'y', messages: 1, reason: 'r', fix: 'f' };
    const markup = page({
      blockers: [
        { ...blocker, senderId: 'a' },
        { ...blocker, senderId: null },
      ],
    });
    expect(markup).toMatch(/<strong><a href="[^"]*\/senders\/a">y<\/a><\/strong>/);
    expect(markup).toContain('<strong>y</strong>');
  });

  test('says what is wrong with a record', () => {
    const view = {
      ...enforcementView('x'),
      trial: { dmarc: HOSTILE, spf: '', result: { problems: [{ record: 'dmarc', message: HOSTILE }] } },
    } as const;
    const markup = String(enforcementPage(shownDomain, view, CONSOLE_ROOM));
    expect(markup).toContain('aria-invalid="true" aria-describedby="problem-dmarc"');
    expect(markup).toContain('role="alert"');
    expect(markup).not.toContain('<script');
  });

  test('at p=reject says that the domain is protected', () => {
    const { assessment, ...view } = enforcementView('x');
    const last = { ...assessment, stage: 'reject', nextRecord: null, ready: true, rule: [] } as const;
    const markup = String(enforcementPage(shownDomain, { ...view, assessment: last }, CONSOLE_ROOM));
    expect(markup).toContain('The domain is protected');
    expect(markup).not.toContain('Record to publish');
  });
});
