/** Each page of the console says what is the case and what to do, in the states where it has nothing to show. */
import { expect, test } from '@jest/globals';
import { alertsPage } from '../../../../shared/pages/console/alerts.ts';
import { dmarcPage } from '../../../../shared/pages/console/domain/dmarc.ts';
import { enforcementPage } from '../../../../shared/pages/console/domain/enforcement.ts';
import { historyPage } from '../../../../shared/pages/console/domain/history.ts';
import { overviewPage } from '../../../../shared/pages/console/domain/overview.ts';
import { tlsPage } from '../../../../shared/pages/console/domain/tls.ts';
import { domainsPage } from '../../../../shared/pages/console/domains.ts';
import { CONSOLE_ROOM, consolePages } from '../../../../shared/pages/console/layout.ts';
import { mailboxPage } from '../../../../shared/pages/console/mailbox.ts';
import { mailboxesPage } from '../../../../shared/pages/console/mailboxes.ts';
import { sendersPage } from '../../../../shared/pages/console/senders.ts';
import { signInPage } from '../../../../shared/pages/console/sign-in.ts';
import { computeScore } from '../../../../shared/score/score.ts';
import { figuresOf } from '../../../../shared/views/organization-figures.ts';
import {
  dmarcView,
  enforcementView,
  historyView,
  overviewView,
  shownDomain,
  tlsView,
} from '../../../kit/domain-views.ts';
import { unknownResults } from '../../../kit/results.ts';

const mailbox = {
  ...{ id: '018f0000-0000-7000-8000-000000000002', name: '<b>Reports', host: 'imap.example', port: 993 },
  ...{
    source: 'imap' as const,
    security: 'tls' as const,
    user: 'dmarc@example.org',
    folder: 'INBOX',
    after: 'move' as const,
  },
  signIn: { kind: 'password' as const, tokenUrl: null, clientId: null, scope: null },
  ...{ moveTo: 'Done', everySeconds: 900, createdAt: '2026-03-01T10:00:00.000Z', state: 'ok' as const },
  ...{ lastRunAt: null, nextRunAt: '2026-03-01T10:00:00.000Z', lastError: null },
  ...{ read: 12_000, accepted: 11_000, remaining: 5_000 },
};
const failingMailbox = {
  ...mailbox,
  state: 'failing' as const,
  lastError: { code: 'server-error' as const, message: '<script>no</script>', fix: 'Try again.' },
};

const reader = { ...shownDomain, canWrite: false };
const session = { canWrite: true, formToken: 'form-token' };
const figures = figuresOf([], new Date());
const list = {
  ...{ figures, rows: [], selection: { sort: '-grade' as const }, matching: 0, page: 1, tags: [], views: [] },
  unread: { count: 0, hasMore: false },
  ...session,
};
const alerts = {
  ...{ filter: { unread: false }, groups: [], newestUnread: undefined, page: 1, hasMore: false },
  ...session,
};
const counts = { messages: 10, passedMessages: 4, failedMessages: 6, passRate: 40 };
const window = { startDate: '2026-02-01', endDate: '2026-03-02' };
const totals = { ...window, ...counts, asOf: null, domains: 1, hasMore: true };
const source = {
  ...{ id: 'domain-a', name: 'sender.example', kind: 'domain' as const, domains: 2, ...counts },
  ...{ firstSeen: window.startDate, lastSeen: window.endDate },
  mostFailed: [{ domainId: 'a', domain: 'a.example', failedMessages: 6 }],
};
const senders = {
  totals,
  sources: [source],
  page: 1,
  hasMore: true,
  failing: false,
  formToken: 'form-token',
};
const text = 'text.example';
const overview = overviewView(text);
const dmarc = await dmarcView(text);
const tls = tlsView(text);
const history = historyView(text);
const enforcement = enforcementView(text);

const results = unknownResults();
const score = computeScore(results, 'sends-and-receives');
const failed = {
  ...overview,
  checked: {
    policy: null,
    ...overview.checked,
    checkedAt: overview.now,
    results,
    score,
  },
  plan: { ...overview.plan, changes: [], files: [], manual: [], score: null },
};

const READ_ONLY = ['read-only token', 'sign in with a token that has the scope <code>write</code>'];

/** What each page says, and what it says to do. Pages without lookups have no state of failed ones. */
test.each([
  ['domains', 'empty', domainsPage(list), ['No domains yet', 'Add the first one']],
  [
    'domains',
    'no match',
    domainsPage({ ...list, figures: { ...figures, total: 1 }, selection: { ...list.selection, q: 'x' } }),

    ['No domain', 'Show all'],
  ],
  [
    'domains',
    'too much',
    domainsPage({ ...list, figures: { ...figures, total: 300 }, page: 2, matching: 300 }),
    ['Next domains', 'Previous domains'],
  ],
  ['domains', 'no permission', domainsPage({ ...list, canWrite: false }), READ_ONLY],
  [
    'overview',
    'empty',
    overviewPage(shownDomain, { ...overview, checked: undefined }, CONSOLE_ROOM),
    ['not been checked yet', 'Check it now'],
  ],
  [
    'overview',
    'lookup failed',
    overviewPage(shownDomain, failed, CONSOLE_ROOM),
    ['No grade', 'Run the checks again later', 'Nothing is known to fix'],
  ],
  ['overview', 'too much', overviewPage(shownDomain, overview, 0), ['more', 'available through the API']],
  ['overview', 'no permission', overviewPage(reader, overview, CONSOLE_ROOM), READ_ONLY],
  [
    'dmarc',
    'empty',
    dmarcPage(shownDomain, { ...dmarc, timeline: [], senders: [] }, CONSOLE_ROOM),
    ['No DMARC reports in this window', 'Choose a longer window'],
  ],
  ['dmarc', 'too much', dmarcPage(shownDomain, dmarc, 0), ['more', 'available through the API']],
  ['dmarc', 'no permission', dmarcPage(reader, dmarc, CONSOLE_ROOM), READ_ONLY],
  [
    'enforcement',
    'empty',
    enforcementPage(
      shownDomain,
      { ...enforcement, assessment: { ...enforcement.assessment, simulation: null } },
      CONSOLE_ROOM,
    ),
    ['no reports of the last 30 days', 'The record for the next step: do not publish it yet'],
  ],
  [
    'enforcement',
    'lookup failed',
    enforcementPage(shownDomain, { ...enforcement, isRecordKnown: false }, CONSOLE_ROOM),
    ['The DMARC record is not known', 'Go to the overview'],
  ],
  [
    'enforcement',
    'too much',
    enforcementPage(shownDomain, enforcement, 0),
    ['more', 'available through the API'],
  ],
  ['enforcement', 'no permission', enforcementPage(reader, enforcement, CONSOLE_ROOM), READ_ONLY],
  [
    'tls',
    'empty',
    tlsPage(shownDomain, { ...tls, timeline: [], failures: [] }, CONSOLE_ROOM),
    ['No TLS reports in this window', 'Choose a longer window'],
  ],
  ['tls', 'too much', tlsPage(shownDomain, tls, 0), ['more kinds of failures', 'available through the API']],
  ['tls', 'no permission', tlsPage(reader, tls, CONSOLE_ROOM), READ_ONLY],
  [
    'history',
    'empty',
    historyPage(shownDomain, { entries: [], page: 1, hasMore: false }, CONSOLE_ROOM),
    ['No changes yet', 'Go to the overview'],
  ],
  ['history', 'too much', historyPage(shownDomain, history, 0), ['more change', 'Older', 'Newer']],
  ['history', 'no permission', historyPage(reader, history, CONSOLE_ROOM), READ_ONLY],
  [
    'senders',
    'empty',
    sendersPage({ ...senders, sources: [], totals: { ...totals, domains: 0 } }),
    ['No reports yet', 'Senders appear here when', 'href="/console/domains"'],
  ],
  [
    'senders',
    'no match',
    sendersPage({ ...senders, sources: [], failing: true }),
    ['No sender has messages that failed DMARC', 'Show all senders'],
  ],
  ['senders', 'too much', sendersPage({ ...senders, page: 2 }), ['More messages', 'Fewer messages']],
  [
    'mailboxes',
    'empty',
    mailboxesPage({ mailboxes: [], provider: 'imap', flash: undefined, ...session }),
    ['No mailboxes yet', 'Add a mailbox', 'Many providers need an app password'],
  ],
  [
    'mailboxes',
    'not read yet',
    mailboxesPage({ mailboxes: [mailbox], provider: undefined, flash: undefined, ...session }),
    ['waiting', '&lt;b&gt;Reports', 'moves it to Done', '12,000', '5,000 mails', 'Read now', 'Change'],
  ],
  [
    'mailboxes',
    'failing',
    mailboxesPage({ mailboxes: [failingMailbox], provider: undefined, flash: undefined, ...session }),
    ['failing', '&lt;script&gt;no', 'Try again.'],
  ],
  [
    'mailboxes',
    'too much',
    mailboxesPage({ mailboxes: Array(200).fill(mailbox), provider: undefined, flash: undefined, ...session }),
    ['more', 'available through the API'],
  ],
  [
    'mailboxes',
    'refused',
    mailboxesPage({
      ...{ mailboxes: [], provider: undefined, ...session },
      flash: {
        ...({ kind: 'refused', form: 'addMailboxInConsole', action: '/console/mailboxes' } as const),
        says: 'The password does not work.',
        typed: { provider: 'imap', name: 'One', security: 'starttls', tokenUrl: 'https://t', folder: 'F' },
        problems: [{ path: 'host', message: 'must be a host name' }],
      },
    }),
    [
      'The password does not work.',
      'value="starttls" selected',
      'value="https://t"',
      '<details class="fold" open>',
      '<a href="#host">The server must be a host name.</a>',
      'aria-describedby="host-problem"',
    ],
  ],
  [
    'mailboxes',
    'no permission',
    mailboxesPage({
      mailboxes: [mailbox],
      provider: undefined,
      flash: undefined,
      ...session,
      canWrite: false,
    }),
    READ_ONLY,
  ],
  [
    'mailboxes',
    'form of a provider',
    mailboxesPage({ mailboxes: [], provider: 'google-workspace', flash: undefined, ...session }),
    ['gmail.modify', 'JSON key of the service account', 'every mailbox of the Workspace', 'Label with'],
  ],
  [
    'mailbox',
    'paused, with a refresh token',
    mailboxPage({
      mailbox: { ...mailbox, state: 'paused', signIn: { ...mailbox.signIn, kind: 'oauth2-refresh-token' } },
      ...{ flash: undefined, ...session },
    }),
    ['paused', 'Read it again', 'New refresh token', 'value="Done"', 'value="15"', 'Remove'],
  ],
  [
    'mailbox',
    'of an application, failing',
    mailboxPage({
      mailbox: { ...failingMailbox, signIn: { ...mailbox.signIn, kind: 'oauth2-client-credentials' } },
      ...{ flash: undefined, ...session },
    }),
    ['New secret of the client', 'Try again.', 'Pause'],
  ],
  [
    'mailbox',
    'no permission',
    mailboxPage({ mailbox, flash: undefined, ...session, canWrite: false }),
    READ_ONLY,
  ],
  ['alerts', 'empty', alertsPage(alerts), ['No alerts', 'Alerts appear here when']],
  [
    'alerts',
    'no match',
    alertsPage({ ...alerts, filter: { unread: true } }),
    ['No alert matches', 'Show all alerts'],
  ],
  ['alerts', 'too much', alertsPage({ ...alerts, page: 2, hasMore: true }), ['Next', 'Previous']],
  ['alerts', 'no permission', alertsPage({ ...alerts, canWrite: false }), READ_ONLY],
  [
    'sign-in',
    'session expired',
    signInPage({ to: '/console/alerts', keepsSession: true }),
    ['your session has ended', 'A session ends after 12 hours', 'href="/console/alerts"'],
  ],
  [
    'sign-in',
    'session expired while sending a form',
    signInPage({ keepsSession: true }),
    ['nothing was changed', 'repeat what you did'],
  ],
  ['sign-in', 'plain HTTP', signInPage({ keepsSession: false }), ['The console needs HTTPS']],
] as const)('%s, %s', (_page, _state, page, said) => {
  for (const part of said) expect(String(page)).toContain(part);
});

test('a list of what needs attention says that there is more, only if there is', () => {
  const { attention } = overview;
  const shown = (hasMore: boolean) =>
    String(overviewPage(shownDomain, { ...overview, attention: { ...attention, hasMore } }, CONSOLE_ROOM));
  const says = `These are the first ${attention.items.length}.`;
  expect(shown(true)).toContain(says);
  expect(shown(false)).not.toContain(says);
});

test('the first domain needs one field', () => {
  const page = domainsPage({ ...list, canWrite: true });
  const open = page.slice(page.indexOf('<main')).replaceAll(/<details[\s\S]*?<\/details>/g, '');
  expect(open.match(/<(?:input(?! type="hidden")|select|textarea)\b/g)).toEqual(['<input']);
});

test('nothing is recommended while the DMARC record is not known', () => {
  const page = String(
    enforcementPage(shownDomain, { ...enforcement, isRecordKnown: false, trial: undefined }, CONSOLE_ROOM),
  );
  expect(page).not.toContain('Record to publish');
  expect(page).not.toContain(enforcement.assessment.nextRecord);
});

test('an error page of the console says how to get a permission', () => {
  const message = 'This request needs more.';
  const error = { error: { code: 'forbidden', message }, message, requestId: 'r' } as const;
  const { body } = consolePages.error(error, 403);
  expect(body).toContain(message);
  expect(body).toContain('<a href="/console/sign-in">Sign in with another token</a>');
});

test('senders of all domains lead to the failures of each domain, and their names are escaped', () => {
  const hostile = '<script>alert(1)</script>\u202e';
  const mostFailed = [{ domainId: 'a', domain: hostile, failedMessages: 6 }];
  const page = sendersPage({ ...senders, sources: [{ ...source, name: hostile, mostFailed }] });
  expect(page).toContain('href="/console/domains/a/senders/domain-a"');
  expect(page.match(/&lt;script&gt;alert\(1\)&lt;\/script&gt;/g)).toHaveLength(3);
  expect(page).not.toContain('<script>alert');
  expect(page).not.toContain('\u202e');
});

test('the form of a mailbox asks for what it needs, and a long error is cut', () => {
  const page = mailboxesPage({
    ...{ ...session, flash: undefined, provider: 'imap' as const },
    mailboxes: [{ ...failingMailbox, lastError: { ...failingMailbox.lastError, message: 'x'.repeat(301) } }],
  });
  expect(page).toMatch(/name="host"[^>]* required /);
  expect(page).toMatch(/name="moveTo" value="" maxlength="\d+" autocomplete/);
  expect(page).toContain('… 301 characters in total');
});
