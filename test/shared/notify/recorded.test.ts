/** What notifications say: the same alerts and events in each format, and texts and lists at their limits. */
import { describe, expect, test } from '@jest/globals';
import type { Alert } from '../../../shared/alerts/alert.ts';
import type { Event } from '../../../shared/alerts/event.ts';
import type { WebhookFormat } from '../../../shared/alerts/notification.ts';
import { aboutNothing } from '../../../shared/attention/kinds.ts';
import { contentOf } from '../../../shared/notify/content.ts';
import { digestOf } from '../../../shared/notify/digest.ts';
import type { DigestFacts } from '../../../shared/notify/digest-facts.ts';
import { digestMail } from '../../../shared/notify/digest-mail.ts';
import { alertMail } from '../../../shared/notify/mail.ts';
import { describeMailTransport } from '../../../shared/notify/mail-transport.ts';
import { pagerRequests, problemWithPager } from '../../../shared/notify/pagers.ts';
import { invitationMail, signInMail } from '../../../shared/notify/people-mail.ts';
import { problemWithSiem, siemTarget } from '../../../shared/notify/siem.ts';
import { isUnsubscribeToken, unsubscribePath } from '../../../shared/notify/unsubscribe.ts';
import { webhookRequest } from '../../../shared/notify/webhook.ts';
import type { Delivery } from '../../../shared/store/alerts/delivery.ts';
import type { AttentionItem } from '../../../shared/store/attention-items.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';
import { differences, flat, listed } from '../../kit/recorded-lines.ts';

const hostUrl = 'https://monitor.acme.org';
const idAt = (n: number) => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const dayAt = (n: number) => `2026-03-${String(n).padStart(2, '0')}T10:00:00.000Z`;
const made = (n: number, given: object): Alert =>
  storedAlert({ id: idAt(n), createdAt: dayAt(n), ...given } as Partial<Alert>);

const finding = (
  id: string,
  more: object = { arguments: { host: 'mx.example.net', owner: 'example.net' } },
) => ({
  ...{ id, severity: 'error', ...more },
});
const change = (check: string, findingsAdded: object[] = []) => ({
  ...{ check, previousState: 'pass', newState: 'fail', omitted: 0, findingsAdded },
  ...{ recordsAdded: ['v=spf1 -all'], recordsRemoved: [], findingsRemoved: [] },
});
const report = (reportType: 'dmarc' | 'tls') => ({
  ...{ reportType, reportId: idAt(99), reporter: 'Reporter', passed: 12, failed: 3 },
  ...{ dateRangeBegin: '2026-02-28T00:00:00.000Z', dateRangeEnd: '2026-02-28T23:59:59.000Z' },
});

const alerts: readonly Alert[] = [
  made(1, {}),
  made(2, {
    ...{ severity: 'info', title: 'Score no longer below 70', domainId: idAt(50), domainName: 'example.net' },
    metadata: { threshold: 70, previousScore: 60, newScore: 80, direction: 'above' },
  }),
  made(4, {
    ...{ type: 'dns_change', severity: 'critical', title: 'MX weakened\u202e', message: 'a <b> & c' },
    metadata: change('mx', [
      ...[finding('mx-no-address'), finding('mx-no-address'), finding('of-an-earlier-release')],
      ...[finding('mx-dangling'), finding('spf-pass-all', { arguments: { domain: 'example.org' } })],
      ...[finding('mx-no-address', { arguments: { host: 'mx4.example.net', owner: 'o' } })],
    ]),
  }),
  made(3, { type: 'dns_change', severity: 'info', metadata: change('spf') }),
  made(5, { type: 'new_report', severity: 'info', metadata: report('tls') }),
  made(6, {
    ...{ type: 'report_failure', metadata: { about: 'tls-report', ...report('tls'), failureRate: 20 } },
  }),
  // Of the same cause as the first one.
  made(7, { title: 'The newest score' }),
];

const fields = (n: number) => ({ id: idAt(n), createdAt: dayAt(n) });
const about = (n: number) => ({ ...fields(n), domainId: idAt(50), domainName: 'example.net' });
const item = {
  ...({ attentionId: `${idAt(50)}.check-failing`, kind: 'check-failing', severity: 'critical' } as const),
  ...{ since: dayAt(1), title: 'Checks found errors', detail: 'The page shows each error.' },
} as const;
const token = { tokenId: idAt(60), tokenName: 'Export', scope: 'read' } as const;
const events: readonly Event[] = [
  { ...about(11), type: 'domain.verified' },
  { ...about(12), type: 'checks.completed', score: 85, grade: 'B' },
  { ...about(13), type: 'checks.completed', score: null, grade: null },
  { ...about(14), type: 'report.received', ...report('dmarc') },
  { ...about(15), type: 'report.received', ...report('tls'), failed: 0 },
  { ...about(16), type: 'domain.unproven', missingSince: dayAt(1) },
  { ...fields(17), type: 'token.created', ...token, createdBy: null },
  { ...fields(18), type: 'token.created', ...token, createdBy: { id: idAt(61), name: 'Admin' } },
  { ...about(19), type: 'attention.opened', ...item },
  { ...about(20), type: 'attention.closed', ...item },
  { ...fields(21), type: 'attention.opened', ...item, attentionId: 'mail', domainId: null, domainName: null },
];

const delivery = (given: Partial<Delivery> = {}) => madeDelivery({ channel: 'webhook', ...given });
const further = { info: 1, warning: 0, critical: 20 };
const everything = delivery({ events: [...events], further });

test('a mail', async () => {
  const { text, html, subject } = await alertMail(everything, alerts, { to: 'ops@example.org', hostUrl });
  expect(`${subject}\n\n${text}`).toMatchSnapshot();
  const one = await alertMail(delivery(), alerts.slice(2, 3), { to: 'ops@example.org', hostUrl });
  expect(one.subject).toBe('[critical] MX weakened\\u{202e}');
  const test = await alertMail(delivery({ kind: 'test' }), [], { to: 'ops@example.org', hostUrl });
  expect([test.subject, ...test.text.split('\n\n').slice(0, 2)]).toEqual([
    ...['Test alert', 'This is a test. Alerts for your domains look like this message.'],
    `All alerts: ${hostUrl}/console/alerts`,
  ]);
  expect(one.html.replace(/<style>[\s\S]*<\/style>/, '')).toMatchSnapshot();
  // The HTML has the same texts.
  const paragraphs = text.split(/\n+/).filter((line) => line !== '');
  const withoutLinks = html.replace(/<\/?a\b[^>]*>/g, '');
  const escaped = (line: string) =>
    line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  expect(paragraphs.filter((line) => !withoutLinks.includes(escaped(line)))).toEqual([]);
});

const now = new Date('2026-03-31T10:02:03.999Z');
type Posted = Exclude<WebhookFormat, 'pagerduty' | 'opsgenie'>;
const sent = (format: Posted, of: Delivery, about: readonly Alert[]) =>
  webhookRequest(of, about, { secret: 'whsec_dGVzdA==', format, hostUrl, now });

test('a request is signed at its second', () => {
  expect(listed(flat(sent('json', delivery({ kind: 'test' }), [])))).toMatchSnapshot();
});

test('a message for Slack', () => {
  const { text, blocks } = JSON.parse(sent('slack', everything, alerts).body);
  const texts = blocks.map((block: { text: { text: string } }) => block.text.text);
  expect(listed([text, ...texts.map((one: string) => `\n${one}`)])).toMatchSnapshot();
  const single = sent('slack', delivery(), alerts.slice(0, 1)).body;
  expect(listed(flat(JSON.parse(single)))).toMatchSnapshot();
});

test('a message for Microsoft Teams', () => {
  const body = (some: readonly Alert[]) => flat(JSON.parse(sent('teams', delivery(), some).body));
  expect(listed(body(alerts.slice(0, 2)))).toMatchSnapshot();
  expect(body(alerts.slice(0, 1)).filter((line) => line.includes('.text:'))).toMatchSnapshot();
});

test('the format of this service says what is known', () => {
  const body = JSON.parse(sent('json', everything, alerts.slice(0, 1)).body);
  expect(body).toMatchObject({ version: 1, events: JSON.parse(JSON.stringify(events)) });
  expect(JSON.parse(sent('json', delivery(), []).body)).not.toHaveProperty('events');
  const one = delivery({ events: events.slice(0, 1) });
  expect(JSON.parse(sent('json', one, []).body).events).toHaveLength(1);
});

describe.each(['splunk', 'ecs', 'ocsf'] as const)('events for %s', (format) => {
  const records = (of: Delivery, about: readonly Alert[]) => {
    const { body } = sent(format, of, about);
    const all = format === 'splunk' ? body.split('\n').map((line) => JSON.parse(line)) : JSON.parse(body);
    // The original is what the format of this service has.
    return all.map((one: { event: unknown }) =>
      flat(format === 'splunk' ? { ...one, event: 'the original' } : one),
    );
  };
  test('say of each record what differs from the one before', () => {
    const test = records(delivery({ kind: 'test' }), []);
    expect(listed(differences([...test, ...records(everything, alerts)]))).toMatchSnapshot();
  });
});

const urls = {
  pagerduty: `https://events.pagerduty.com/v2/enqueue?routing_key=${'R'.repeat(32)}&a=b`,
  opsgenie: 'https://api.opsgenie.com/v2/alerts/?a=b&apiKey=eb243592-faa2-4ba2-a551-1afdf565c889',
} as const;

describe.each(['pagerduty', 'opsgenie'] as const)('incidents for %s', (format) => {
  const requests = (of: Delivery, about: readonly Alert[]) =>
    pagerRequests(of, about, { url: urls[format], format, hostUrl }).map(({ body, ...request }) => ({
      ...{ ...request, body: JSON.parse(body) },
    }));
  test('say of each incident what differs from the one before, with the key of the receiver in its place', () => {
    const all = [...requests(delivery({ kind: 'test' }), []), ...requests(everything, alerts)];
    expect(listed(differences(all.map((one) => flat(one))))).toMatchSnapshot();
  });
  test('belong to the same incident by their cause, by the latest alert of it', () => {
    const at = (createdAt: string, severity: string) =>
      made(1, { type: 'dns_change', severity, createdAt, metadata: change('spf') });
    const [late, early] = [at(dayAt(3), 'critical'), at(dayAt(2), 'info')];
    const shown = (some: readonly Alert[]) => requests(delivery(), some).map((one) => flat(one).join(' '));
    expect(shown([late, early])).toEqual(shown([late]));
    expect(shown([early, late])).toEqual(shown([late]));
    // Of two at the same time, the last one of the delivery.
    expect(shown([early, at(dayAt(2), 'critical')])).toEqual(shown([at(dayAt(2), 'critical')]));
  });
  test('have a key of at most 255 characters', () => {
    const keyLength = (length: number) => {
      const metadata = { host: 'h'.repeat(length), previousIssuers: ['A'], newIssuers: ['B'] };
      const [one] = requests(delivery(), [made(1, { type: 'certificate_issuer_change', metadata })]);
      return String(one?.body.dedup_key ?? one?.body.alias).length;
    };
    // The ID of the domain and the type have 63 more.
    expect([191, 192, 193].map(keyLength)).toEqual([254, 255, 80]);
  });
  test('have a key of ASCII', () => {
    const metadata = { host: 'mü', previousIssuers: [], newIssuers: [] };
    const [one] = requests(delivery(), [made(1, { type: 'certificate_issuer_change', metadata })]);
    expect(one?.body.dedup_key ?? one?.body.alias).toMatch(/^018f[\w-]+\/[\w-]{43}$/);
  });
});

/** The length and the end of each text at a limit, one less and one more. */
const atLimits = (limits: readonly number[], shown: (text: string) => string): string =>
  listed(
    limits.flatMap((limit) =>
      [limit - 1, limit, limit + 1].map((length) => {
        const found = shown(`${'x'.repeat(length - 1)}y`).match(/x{9,}\S*/g) ?? [];
        return `${length}: ${found.map((one) => `${one.length} ${one.slice(-4)}`).join(', ')}`;
      }),
    ),
  );

describe('texts at their limits', () => {
  const withText = (text: string) =>
    made(1, { title: text, message: text, domainName: text, metadata: alerts[0]?.metadata });
  const event = (text: string): Event => ({
    ...({ ...fields(9), type: 'attention.opened', ...item, title: text, detail: text } as const),
    ...{ domainId: null, domainName: null },
  });
  const others = (text: string): Event[] => [
    { ...about(14), type: 'report.received', ...report('dmarc'), reporter: text },
    { ...fields(18), type: 'token.created', ...token, tokenName: text, createdBy: { id: 'i', name: text } },
  ];

  test('of alerts and attention items', () => {
    const shown = (text: string) => {
      const { entries } = contentOf(
        delivery({ events: [event(text), ...others(text)] }),
        [withText(text)],
        hostUrl,
      );
      return entries
        .map(({ head, paragraphs, where }) => [head, ...paragraphs, where].join(' \n'))
        .join(' \n');
    };
    expect(atLimits([200, 1_500], shown)).toMatchSnapshot();
  });
  test.each(['slack', 'teams', 'splunk', 'ecs', 'ocsf'] as const)('in the format %s', (format) => {
    const shown = (text: string) => {
      const { body } = sent(format, delivery({ events: [event(text)] }), [withText(text)]);
      return body.replaceAll(/("event":\{"id".*?\}),"fields/g, '"fields').replaceAll(/["\\]/g, ' ');
    };
    expect(atLimits([400, 2_000], shown)).toMatchSnapshot();
  });
  test.each([
    ['pagerduty', [1_024]],
    ['opsgenie', [130, 512]],
  ] as const)('in the format %s', (format, limits) => {
    const shown = (text: string) =>
      [[withText(text)], [{ ...withText(text), ...alerts[1], title: text }]]
        .flatMap((some) => pagerRequests(delivery(), some as Alert[], { url: urls[format], format, hostUrl }))
        .map(({ body }) => body.replaceAll(/["\\]/g, ' '))
        .join(' ');
    expect(atLimits([...limits, 1_000], shown)).toMatchSnapshot();
  });
  test.each([14, 15, 16])('a chat shows %d entries', (count) => {
    const some = Array.from({ length: count }, (_, n) => made(n + 1, { domainId: idAt(n), title: `t${n}` }));
    const { blocks } = JSON.parse(sent('slack', delivery(), some).body);
    expect([blocks.length, blocks.at(-1).text.text.split('\n')[0]]).toMatchSnapshot();
  });
});

test('what a receiver needs in its URL', () => {
  const guid = 'eb243592-faa2-4ba2-a551-1afdf565c889';
  const lines = [
    ...[`?token=${guid}&a=b`, `?token=${guid.toUpperCase()}`, `?token=${guid}0`, '?token=x', ''].flatMap(
      (query) => {
        const url = `https://splunk.test/event${query}`;
        return [`${query}: ${problemWithSiem(url, 'splunk')}`, ...flat(siemTarget(url, 'splunk'))];
      },
    ),
    ...flat([
      problemWithSiem('https://e.test/', 'ecs') ?? 'none',
      siemTarget('https://e.test/?token=x', 'ocsf'),
    ]),
    ...[31, 32, 33].map(
      (n) => `${n}: ${problemWithPager(`https://x/?routing_key=${'a'.repeat(n)}`, 'pagerduty')}`,
    ),
    ...[15, 16, 100, 101].map(
      (n) => `${n}: ${problemWithPager(`https://x/?apiKey=${'a'.repeat(n)}`, 'opsgenie')}`,
    ),
    problemWithPager('https://x/', 'pagerduty') ?? '',
  ];
  expect(listed(lines)).toMatchSnapshot();
});

test('the link that stops digests is for one address', () => {
  const path = unsubscribePath('an org', 'key', 'ops@example.org');
  const given = path.split('/').at(-1) ?? '';
  expect(path).toMatch(/^\/unsubscribe\/an%20org\/[\w-]{43}$/);
  const answers = [
    ...[
      isUnsubscribeToken(given, 'key', 'ops@example.org'),
      isUnsubscribeToken(given, 'key', 'o@example.org'),
    ],
    ...[
      isUnsubscribeToken(given, 'other', 'ops@example.org'),
      isUnsubscribeToken('', 'key', 'ops@example.org'),
    ],
  ];
  expect(answers).toEqual([true, false, false, false]);
});

test('mails to people', async () => {
  const invitation = { id: idAt(1), mail: 'p@example.org', scope: 'read', until: dayAt(9) } as const;
  const link = `${hostUrl}/invitation`;
  const signIn = { clientAddress: '192.0.2.1', hostUrl, now };
  const mails = [
    await invitationMail({ ...invitation, by: null }, { organization: 'Acme', link }),
    await invitationMail({ ...invitation, scope: 'admin', by: { id: 'i', name: 'Bo' } } as never, {
      ...{ organization: 'x'.repeat(101), link },
    }),
    await signInMail({ id: idAt(2), name: 'p@example.org' }, { ...signIn, userAgent: '' }),
    await signInMail({ id: idAt(2), name: 'p@example.org' }, { ...signIn, userAgent: `${'x'.repeat(99)}yz` }),
  ];
  const shown = mails.map(
    ({ to, subject, text, headers }) => `${to}: ${subject} ${headers['Auto-Submitted']}\n\n${text}`,
  );
  expect(listed(shown)).toMatchSnapshot();
  expect(mails[0]?.html).toContain(`<p><a href="${link}">${link}</a></p>`);
});

test('how mail leaves the service', () => {
  const settings = [
    ['', 'ses'],
    ...['ses', 'outbox', 'relay.test:25'].map((one) => ['a@acme.org', one]),
  ] as const;
  const said = settings.map(([ALERT_SENDER = '', MAIL_TRANSPORT = '']) =>
    describeMailTransport({ ALERT_SENDER, MAIL_TRANSPORT }),
  );
  expect(listed(said)).toMatchSnapshot();
});

describe('a digest', () => {
  const setting = { often: 'weekly', hostUrl, unsubscribeUrl: `${hostUrl}/unsubscribe/o/t` } as const;
  const week = { from: '2026-02-22', to: '2026-02-28', messages: 12_345, passRate: 99.1 };
  const weekBefore = { from: '2026-02-15', to: '2026-02-21', messages: 1, passRate: 0 };
  const quiet: DigestFacts = {
    ...{ period: { since: dayAt(1), until: dayAt(8) }, week, weekBefore },
    ...{ attention: { items: [], hasMore: false }, alerts: { alerts: [], hasMore: false } },
    ...{ newReporters: [], silentReporters: [] },
  };
  const open: AttentionItem = {
    ...{ kind: 'ownership-unproven', severity: 'warning', domainId: idAt(50), domain: 'example.org' },
    ...{ channel: null, mailbox: null, about: aboutNothing, since: dayAt(1) },
    ...{ putOffUntil: null, note: null, changedAt: null },
  };
  const mailOf = (facts: Partial<DigestFacts>, often: 'daily' | 'weekly' = 'weekly') =>
    digestMail(digestOf({ ...quiet, ...facts }, { ...setting, often }), {
      ...{ to: 'ops@example.org', delivery: { id: idAt(9) }, unsubscribeUrl: setting.unsubscribeUrl },
    });
  const names = (count: number) => Array.from({ length: count }, (_, n) => `r${n}.example`);

  test('of all kinds of content', async () => {
    const mail = await mailOf({
      attention: { items: [open, { ...open, severity: 'critical' }], hasMore: true },
      alerts: { alerts: [...alerts, made(8, { domainId: idAt(70), title: 'Another' })], hasMore: false },
      ...{ newReporters: names(2), silentReporters: names(11) },
    });
    expect(`${mail.subject}\n\n${mail.text}`).toMatchSnapshot();
    expect(mail.html.replace(/<style>[\s\S]*<\/style>/, '')).toMatchSnapshot();
  });

  const none = { ...week, messages: 0, passRate: null };
  const unproven = made(5, { type: 'new_report', severity: 'critical', metadata: report('tls') });
  const proven = { ...unproven, metadata: { ...unproven.metadata, authenticated: true } } as Alert;
  const ofCauses = (count: number) =>
    Array.from({ length: count }, (_, n) => made(n + 1, { domainId: idAt(n), title: `t${n}` }));
  test.each<[string, Partial<DigestFacts>]>([
    ['nothing', {}],
    ['one item', { attention: { items: [open], hasMore: false } }],
    ['an alert of little weight', { alerts: { alerts: alerts.slice(1, 2), hasMore: true } }],
    ['a grave alert', { alerts: { alerts: alerts.slice(0, 1), hasMore: false } }],
    ['a grave alert about a report of anybody', { alerts: { alerts: [unproven], hasMore: false } }],
    ['a grave alert about a report of a known sender', { alerts: { alerts: [proven], hasMore: false } }],
    ['20 causes', { alerts: { alerts: ofCauses(20), hasMore: false } }],
    ['21 causes', { alerts: { alerts: ofCauses(21), hasMore: false } }],
    ['no reports', { week: none, weekBefore: none }],
    ['no reports any more', { week: none }],
    ['9 reporters, and 10', { newReporters: names(9), silentReporters: names(10) }],
    ['a long name', { newReporters: ['x'.repeat(80)], silentReporters: ['x'.repeat(81)] }],
    ['long texts', { alerts: { alerts: [made(1, { title: 'x'.repeat(201) })], hasMore: false } }],
  ])('of %s', async (_title, facts) => {
    const { subject, text } = await mailOf(facts, 'daily');
    const [content = ''] = text.split('\n-- \n');
    const shown = content
      .replace(/^Mail in .*\n-+\n\n(?:12,345 messages.*\nIn the 7 .* 1 message.*\n)?/m, '')
      .replaceAll(/x{9,}/g, (all) => `(${all.length} x)`)
      .replaceAll(/(?:\n\[warning\] t\d+.*\n){4,}/g, (all) => `\n(${all.split('\n\n').length} lines)\n`);
    expect(`${subject}\n\n${shown}`).toMatchSnapshot();
  });
});
