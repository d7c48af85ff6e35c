import { gzipSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handler } from '../../../functions/reports/receive.ts';
import { sesNotification } from '../../../shared/ingest/arrived-mail.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { environmentSchema, readEnvironment } from '../../../shared/runtime/config/config.ts';
import { reportStores } from '../../../shared/runtime/dependencies/report-stores.ts';
import { channelStore } from '../../../shared/store/alerts/channels.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { alertedKey, slidingRateKey } from '../../../shared/store/keys.ts';
import type { RawMessages } from '../../../shared/store/raw-messages.ts';
import { summaryStore } from '../../../shared/store/reports/summaries.ts';
import { unitsOfMail } from '../../docs/cost.ts';
import { counted as countedTable } from '../../kit/capacity.ts';
import { testCipher } from '../../kit/cipher.ts';
import { dyingAt } from '../../kit/dying-table.ts';
import { hangingMails } from '../../kit/mutated-mails.ts';
import { dmarcMail, dmarcXml, reportMail, tlsJson, yesterday } from '../../kit/report-mails.ts';
import { itemsOf, registeredDomain } from '../../kit/reports.ts';
import { useTable } from '../../kit/use-table.ts';
import { zone } from '../../kit/zone.ts';
import { zipFile } from '../../shared/reports/zip-file.ts';

// These tests provoke crashes.
process.env.LOG_LEVEL = 'silent';

/** The time at which all mails of these tests arrive. */
const now = new Date(yesterday * 1000 + 86_400_000 + 3_600_000);
const daysLater = (days: number): Date => new Date(now.getTime() + days * 86_400_000);

let domain: Domain;
let kept: Map<string, Uint8Array>;
let counted: string[];
const table = await useTable();
beforeEach(async () => {
  domain = await registeredDomain(table);
  kept = new Map();
  counted = [];
});

const raw: RawMessages = {
  async read(key, limit) {
    const message = kept.get(key);
    return message !== undefined && message.length > limit ? 'too-large' : message;
  },
  async remove(key) {
    kept.delete(key);
  },
};

interface Given {
  /** The receive count of the message, this time included. */
  readonly receives?: number;
  readonly environment?: Record<string, string>;
  readonly deps?: Partial<Parameters<typeof handler.with>[0]>;
}

/** The dependencies of the handler, with fakes for its ports. */
function deps({ environment = {}, deps: given = {} }: Given): Parameters<typeof handler.with>[0] {
  return {
    domains: domainStore(table),
    stores: reportStores(table, { retentionDays: 0 }),
    raw,
    postpone: async () => {},
    dns: zone({ 'reporter.test': { TXT: ['v=spf1 ip4:192.0.2.7 -all'] } }),
    clock: { now: () => now },
    record: (line, data) => {
      const { outcome } = data as unknown as { outcome: string };
      if (line === 'report' || outcome === 'dropped') counted.push(outcome);
    },
    settings: readEnvironment(environmentSchema, environment),
    ...given,
  };
}

const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

function handle(message: unknown, given: Given = {}): Promise<SQSBatchResponse> {
  const attributes = {
    ApproximateReceiveCount: String(given.receives ?? 1),
    SentTimestamp: String(now.getTime()),
    ApproximateFirstReceiveTimestamp: String(now.getTime()),
  };
  const Records = [{ messageId: 'm', body: JSON.stringify(message), attributes }];
  return handler.with(deps(given))({ Records } as SQSEvent, context);
}

const traceHeaders = (messageId: string) =>
  `Return-Path: <a@reporter.test>\r\nReceived: from mx.reporter.test (unknown [192.0.2.7])\r\n by inbound-smtp.us-east-1.amazonaws.com with SMTP id ${messageId}\r\n for x;\r\n date\r\n`;

/** Stores a message in the bucket and returns its notification, as in SES's documentation without unused fields. */
function arrived(
  messageId: string,
  message: string,
  recipients: readonly string[] = [addressOf(domain)],
  at = now,
) {
  const objectKey = `reports/${messageId}`;
  kept.set(objectKey, Buffer.from(traceHeaders(messageId) + message));
  return sesNotification.parse({
    notificationType: 'Received',
    receipt: {
      timestamp: at.toISOString(),
      recipients,
      spfVerdict: { status: 'PASS' },
      action: {
        type: 'S3',
        topicArn: 'arn:aws:sns:x',
        bucketName: 'b',
        objectKeyPrefix: 'reports/',
        objectKey,
      },
    },
    mail: {
      timestamp: at.toISOString(),
      source: 'a@reporter.test',
      messageId,
      destination: ['someone.else@elsewhere.test'],
    },
  });
}

const addressOf = ({ mailbox }: Domain) => `${mailbox}@reports.localhost`;

async function itemsWith(prefix: string, of: Domain = domain) {
  return (await itemsOf(table, of)).filter(({ sk }) => String(sk).startsWith(prefix));
}

/** Kind and reason of each stored outcome, one array per mail. */
async function outcomes(of: Domain = domain) {
  return (await itemsWith('MAIL#', of)).map(({ outcomes: all }) =>
    (all as { kind: string; reason: string | null }[]).map(({ kind, reason }) => [kind, reason]),
  );
}

const alertsRaised = async () =>
  [
    ...new Map(
      (await itemsOf(table, domain)).flatMap((item) =>
        item.createdAt !== undefined && item.title !== undefined ? [[item.id, item]] : [],
      ),
    ).values(),
  ].map(({ type, severity, title }) => [type, severity, title]);

const reports = async () => (await itemsWith('DMARC#')).length;

/** A TLS report with a policy for each domain; each policy has five connections. */
const tlsMail = (...domains: readonly string[]) =>
  reportMail({ attachments: [{ name: 'r.json', bytes: tlsJson(domains) }] });

const good = { domain: 'example.org', rows: [{ count: 20, result: 'pass' }] } as const;

describe('a report mail', () => {
  test('is stored with its outcome, its authentication results and its location', async () => {
    const answer = await handle(arrived('m1', dmarcMail(good)));
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(await itemsWith('MAIL#')).toEqual([
      expect.objectContaining({
        messageId: 'm1',
        rawKey: 'reports/m1',
        authentication: {
          authenticated: true,
          fromDomain: 'reporter.test',
          spf: { domain: 'reporter.test', result: 'pass' },
          dkim: [],
        },
        outcomes: [{ kind: 'accepted', source: 'report.xml', reason: null, report: expect.any(Object) }],
      }),
    ]);
    expect(await itemsWith('DMARC#')).toEqual([
      expect.objectContaining({ rawKey: 'reports/m1', passed: 20, failed: 0 }),
    ]);
    expect(counted).toEqual(['accepted']);
    expect(kept.size).toBe(1);
  });

  test('belongs to the mailbox in the envelope, whatever its headers say', async () => {
    const other = await registeredDomain(table);
    await handle(arrived('m1', dmarcMail(good, { to: addressOf(other) })));
    expect(await outcomes()).toEqual([[['accepted', null]]]);
    expect(await outcomes(other)).toEqual([]);
  });

  test.each([
    ['a report about a subdomain', dmarcMail({ ...good, domain: 'sub.example.org' }), [['accepted', null]]],
    [
      'a report about another domain',
      dmarcMail({ ...good, domain: 'victim.test' }),
      [['wrong-domain', 'the report is about victim.test']],
    ],
    [
      'a report about a domain with the same ending',
      dmarcMail({ ...good, domain: 'notexample.org' }),
      [['wrong-domain', 'the report is about notexample.org']],
    ],
    [
      'a report with deviations',
      dmarcMail({ ...good, rows: [{ count: -1, result: 'pass' }] }),
      [['accepted-with-warnings', expect.stringContaining('A count is not a non-negative whole number')]],
    ],
    [
      'a TLS report',
      reportMail({ attachments: [{ name: 'r.json.gz', bytes: gzipSync(tlsJson('example.org')) }] }),
      [['accepted', null]],
    ],
    [
      'a TLS report about another domain',
      reportMail({ attachments: [{ name: 'r.json.gz', bytes: gzipSync(tlsJson('victim.test')) }] }),
      [['wrong-domain', 'the report is about victim.test']],
    ],
    [
      "a TLS report about several domains, one of them another owner's",
      tlsMail('example.org', 'victim.test'),
      [
        [
          'accepted-with-warnings',
          'A policy is about another domain and was left out (at policies[1]: "victim.test")',
        ],
      ],
    ],
    [
      "a TLS report about several domains, none of them the owner's",
      tlsMail('victim.test', 'notexample.org'),
      [['wrong-domain', 'the report is about victim.test']],
    ],
    [
      'several attachments',
      reportMail({
        attachments: [
          { name: 'a.xml.gz', bytes: gzipSync(dmarcXml({ ...good, id: 'a' })) },
          { name: 'b.xml.gz', bytes: gzipSync(dmarcXml({ ...good, id: 'b' })).subarray(0, 100) },
          { name: 'a.xml', type: 'text/xml', bytes: dmarcXml({ ...good, id: 'a' }) },
        ],
      }),
      [
        ['accepted', null],
        ['unreadable', expect.any(String)],
        ['duplicate', 'the same report is already stored'],
      ],
    ],
    ['no report', 'Subject: Hello\r\n\r\nHello', [['not-a-report', expect.any(String)]]],
    [
      'a failure report',
      'Subject: x\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: auth-failure\r\nReported-Domain: example.org\r\n\r\n--b--\r\n',
      [['failure-report', expect.any(String)]],
    ],
  ])('with %s has the expected outcomes', async (_what, message, expected) => {
    await handle(arrived('m1', message));
    expect(await outcomes()).toEqual([expected]);
    expect(kept.size).toBe(1);
    expect(counted).toEqual(expected.map(([kind]) => kind));
  });

  test('with fields of maximum length has outcomes that fit into the table', async () => {
    const name = '\u{1f600}'.repeat(127);
    const odd = `<${'\u00fc'.repeat(5_000)}/>`;
    const content = (n: number) =>
      Buffer.from(dmarcXml({ ...good, id: `${n}` }).replaceAll('</record>', `</record>${odd}`));
    const inner = zipFile(
      Array.from({ length: 16 }, (_, n) => ({ name: `${n}${name}`, content: content(n) })),
    );
    const outer = zipFile(Array.from({ length: 16 }, (_, n) => ({ name: `${n}${name}`, content: inner })));
    const answer = await handle(
      arrived('m1', reportMail({ attachments: [{ name: 'r.zip', bytes: outer }] })),
    );
    expect(answer).toEqual({ batchItemFailures: [] });
    expect((await outcomes()).flat().length).toBe(160);
  });

  test('that is too large gets the outcome too-large, and is kept', async () => {
    const tooLarge: RawMessages = { ...raw, read: async () => 'too-large' };
    await handle(arrived('m1', ''), { deps: { raw: tooLarge } });
    expect(await outcomes()).toEqual([[['too-large', 'the message is larger than 40 MB']]]);
  });

  test('that is sent again counts once, and a contradicting one is a conflict', async () => {
    await handle(arrived('m1', dmarcMail(good)));
    await handle(arrived('m2', dmarcMail(good)));
    await handle(arrived('m3', dmarcMail({ ...good, rows: [{ count: 21, result: 'pass' }] })));
    const all = (await outcomes()).flat();
    expect(all).toEqual([
      ['accepted', null],
      ['duplicate', 'the same report is already stored'],
      ['conflict', 'a different report with the same ID and period is already stored'],
    ]);
    expect(await reports()).toBe(1);
  });

  test('that is authenticated takes the place of a copy that is not, whichever comes first', async () => {
    const forged = { deps: { dns: zone({}) } };
    const other = dmarcMail({ ...good, rows: [{ count: 9_999, result: 'fail' }] });
    for (const [at, [first, second]] of [
      [other, dmarcMail(good)],
      [dmarcMail(good), dmarcMail(good)],
    ].entries()) {
      domain = await registeredDomain(table);
      await handle(arrived(`m1-${at}`, String(first)), forged);
      await handle(arrived(`m2-${at}`, String(second)));
      await handle(arrived(`m3-${at}`, String(first)), forged);
      expect((await outcomes()).flat().map(([kind]) => kind)).toEqual([
        'accepted',
        'accepted',
        first === other ? 'conflict' : 'duplicate',
      ]);
      const day = new Date(yesterday * 1000).toISOString().slice(0, 10);
      const [found] = await summaryStore(table).readSummaries(domain.id, { from: day, to: day }, now);
      expect(found?.summaries).toMatchObject([
        { reports: 1, authenticated: true, authenticatedDomain: 'reporter.test', records: [{ count: 20 }] },
      ]);
    }
  });

  test.each([
    ['DMARC', dmarcMail({ ...good, begin: yesterday + 86_400 + 3 * 86_400 })],
    [
      'TLS',
      reportMail({
        attachments: [
          { name: 'r.json', bytes: tlsJson('example.org').replaceAll(/\d{4}(?=-\d\d-\d\dT)/g, '3000') },
        ],
      }),
    ],
  ])(
    'whose %s report covers a period after its receipt is unreadable, even if it is read later',
    async (kind, message) => {
      const later = new Date(now.getTime() + 10 * 86_400_000);
      await handle(arrived('m1', message), { deps: { clock: { now: () => later } } });
      const reason = expect.stringContaining('more than two days after the report was received');
      expect(await outcomes()).toEqual([[['unreadable', reason]]]);
      expect([await itemsWith(kind), kept.size]).toEqual([[], 1]);
    },
  );

  test('with a TLS report about the domains of several owners gives each owner its part, once', async () => {
    const other = await registeredDomain(table, 'example.net');
    const recipients = [addressOf(domain), addressOf(other)];
    const message = tlsMail('example.org', 'victim.test', 'mail.example.net', 'example.net');
    await handle(arrived('m1', message, recipients));
    await handle(arrived('m1', message, recipients));
    await handle(arrived('m2', message, recipients));
    const { tlsReports } = reportStores(table, { retentionDays: 0 });
    for (const [of, names] of [
      [domain, ['example.org']],
      [other, ['mail.example.net', 'example.net']],
    ] as const) {
      expect((await outcomes(of)).flat()).toEqual([
        ['accepted-with-warnings', expect.stringContaining('another domain and was left out')],
        ['duplicate', 'the same report is already stored'],
      ]);
      const { reports: listed, summary } = await tlsReports.list(
        of.id,
        { window: {}, page: 1, limit: 9 },
        now,
      );
      expect(summary).toEqual({ reports: 1, passed: 5 * names.length, failed: 0 });
      const [report] = listed;
      const policies = report === undefined ? [] : [...(await tlsReports.policiesOf(of.id, report))];
      expect(policies.map(({ policyDomain }) => policyDomain)).toEqual(names);
    }
  });

  test.each(Object.entries(hangingMails))(
    'that libraries hang on has one outcome: %s',
    async (_what, message) => {
      expect(await handle(arrived('m1', message))).toEqual({ batchItemFailures: [] });
      expect((await outcomes()).map((all) => all.length)).toEqual([1]);
    },
  );

  test('to several mailboxes is read for each', async () => {
    const other = await registeredDomain(table);
    await handle(
      arrived('m1', dmarcMail(good), [
        addressOf(domain),
        addressOf(other).toUpperCase(),
        'x@reports.localhost',
      ]),
    );
    expect([await outcomes(), await outcomes(other)]).toEqual([
      [[['accepted', null]]],
      [[['accepted', null]]],
    ]);
    const [mail] = await itemsWith('MAIL#', other);
    expect(mail?.alsoFor).toEqual([domain.mailbox, 'x']);
  });
});

describe('a mail that arrives twice', () => {
  test('has the same outcome, counts once and alerts once', async () => {
    const message = arrived('m1', dmarcMail({ ...good, rows: [{ count: 20, result: 'fail' }] }));
    await handle(message);
    const before = await itemsOf(table, domain);
    await handle(message);
    expect((await itemsOf(table, domain)).map(({ sk }) => sk)).toEqual(before.map(({ sk }) => sk));
    expect(await outcomes()).toEqual([[['accepted', null]]]);
  });

  test('does not fetch the message again, and costs two requests', async () => {
    const message = arrived('m1', dmarcMail(good));
    await handle(message);
    const { table: measured, capacity } = countedTable(table);
    const read = () => Promise.reject(new Error('the message was fetched'));
    const stores = reportStores(measured, { retentionDays: 0 });
    const answer = await handle(message, {
      deps: { stores, domains: domainStore(measured), raw: { ...raw, read } },
    });
    expect(answer.batchItemFailures).toEqual([]);
    expect(capacity.calls()).toBe(2);
    expect(counted).toEqual(['accepted', 'accepted']);
  });

  describe.each(['before', 'after'] as const)('because its worker died %s a write', (when) => {
    test.each([
      ['one report', dmarcMail(good), 1],
      [
        'two reports',
        reportMail({
          attachments: ['a', 'b'].map((id) => ({
            name: `${id}.xml`,
            type: 'text/xml',
            bytes: dmarcXml({ ...good, id }),
          })),
        }),
        2,
      ],
    ])('with %s has the same result as one that arrives once', async (_what, mail, count) => {
      for (let n = 1; ; n += 1) {
        domain = await registeredDomain(table);
        const message = arrived(`m${n}`, mail);
        const dying = dyingAt(table, n, when);
        const died = await handle(message, { deps: { stores: reportStores(dying, { retentionDays: 0 }) } });
        if (!dying.died()) {
          expect(n).toBeGreaterThan(count);
          break;
        }
        expect(died.batchItemFailures).toHaveLength(1);
        expect((await handle(message)).batchItemFailures).toEqual([]);
        expect((await outcomes()).flat()).toEqual(Array.from({ length: count }, () => ['accepted', null]));
        expect(await alertsRaised()).toEqual([['new_report', 'info', 'New DMARC reporter: example.org']]);
        const { selectors, dmarcReports } = reportStores(table, { retentionDays: 0 });
        expect(await selectors.list(domain.id)).toEqual(['s1']);
        const { summary } = await dmarcReports.list(domain.id, { window: {}, page: 1, limit: 9 }, now);
        expect(summary).toEqual({ reports: count, passed: 20 * count, failed: 0 });
        expect(await reports()).toBe(count);
      }
    });
  });
});

describe('an unwanted mail', () => {
  test('for a removed domain is dropped and deleted', async () => {
    const message = arrived('m1', dmarcMail(good));
    await domainStore(table).remove(domain, now);
    await handle(message);
    expect([kept.size, counted, await itemsOf(table, domain)]).toEqual([0, ['dropped'], []]);
  });

  test('for a domain that is removed during ingestion leaves nothing', async () => {
    const domains = domainStore(table);
    const removing: RawMessages = {
      ...raw,
      async read(key, limit) {
        await domains.remove(domain, now);
        return raw.read(key, limit);
      },
    };
    await handle(arrived('m1', dmarcMail(good)), { deps: { raw: removing } });
    expect([kept.size, counted, await itemsOf(table, domain)]).toEqual([0, ['dropped'], []]);
  });

  test('is kept if it also went to the mailbox of an existing domain', async () => {
    const other = await registeredDomain(table);
    const message = arrived('m1', dmarcMail(good), [addressOf(domain), addressOf(other)]);
    await domainStore(table).remove(domain, now);
    await handle(message);
    expect([kept.size, await outcomes(other)]).toEqual([1, [[['accepted', null]]]]);
  });

  test('is not lost if its notification is invalid', async () => {
    const answer = await handle({ Type: 'Notification' });
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'm' }]);
  });
});

describe('with UNAUTHENTICATED_REPORTS=set-aside', () => {
  const environment = { UNAUTHENTICATED_REPORTS: 'set-aside' };

  test('counts a report from an authenticated sender', async () => {
    await handle(arrived('m1', dmarcMail(good)), { environment });
    expect(await reports()).toBe(1);
  });

  test.each([
    ['is not authenticated', {}, 'the sender of the mail is not authenticated'],
    [
      'cannot be authenticated because of a failed lookup',
      { 'reporter.test': 'SERVFAIL' as const },
      'the sender of the mail could not be authenticated, because a DNS lookup failed',
    ],
  ])('keeps a report whose sender %s, but neither lists nor counts it', async (_why, world, reason) => {
    await handle(arrived('m1', dmarcMail(good)), { environment, deps: { dns: zone(world) } });
    expect(await outcomes()).toEqual([[['set-aside', reason]]]);
    expect([await reports(), (await itemsWith('DMARCDAY#')).length, kept.size]).toEqual([0, 0, 1]);
    expect(await alertsRaised()).toEqual([]);
  });
});

describe('alerts', () => {
  const failing = { ...good, rows: [{ count: 20, result: 'fail' as const }] };
  /** The reports of the mails, each of which arrives a number of days later. */
  const arrive = async (
    mails: readonly (readonly [number, object])[],
    world: Partial<Given['deps']> = {},
  ) => {
    for (const [n, [days, report]] of mails.entries()) {
      const at = daysLater(days);
      const message = arrived(`m${n}`, dmarcMail({ ...good, id: `r${n}`, ...report }), undefined, at);
      await handle(message, { deps: { clock: { now: () => at }, ...world } });
    }
  };

  test('tell of a reporter once, whatever it reports', async () => {
    await arrive([
      [0, {}],
      [0, failing],
      [1, failing],
      [2, { reporter: 'The same domain with another name' }],
    ]);
    expect(await alertsRaised()).toEqual([['new_report', 'info', 'New DMARC reporter: example.org']]);
    expect(await reports()).toBe(4);
  });

  test.each([
    [89, 1],
    [90, 2],
  ])('after %s days of silence, a reporter has raised %s', async (days, count) => {
    await arrive([
      [0, {}],
      [7, {}],
      [7 + days, {}],
    ]);
    expect(await alertsRaised()).toHaveLength(count);
  });

  test('a reporter that is heard of every few weeks is never new again', async () => {
    await arrive([
      [0, {}],
      [59, {}],
      [109, {}],
      [170, {}],
    ]);
    expect(await alertsRaised()).toHaveLength(1);
  });

  test('tell of each name once if no mail is authenticated, and of authenticated mail all the same', async () => {
    await arrive(
      [
        [0, {}],
        [1, { reporter: 'Another' }],
        [2, failing],
      ],
      { dns: zone({}) },
    );
    expect(await alertsRaised()).toHaveLength(2);
    await handle(arrived('m9', dmarcMail({ ...good, id: 'r9' })));
    expect(await alertsRaised()).toHaveLength(3);
  });

  test('of unauthenticated reports are ten a day', async () => {
    const names = Array.from({ length: 12 }, (_, n) => [0, { reporter: `R${n}` }] as const);
    await arrive(names, { dns: zone({}) });
    expect(await alertsRaised()).toHaveLength(10);
    expect(await reports()).toBe(12);
  });
});

test('a mail that is never read completely is listed when it becomes a dead letter', async () => {
  const message = arrived('m1', dmarcMail(good));
  const read = () => Promise.reject(new Error('no memory'));
  const fails = { deps: { raw: { ...raw, read } } };
  const failed = { batchItemFailures: [{ itemIdentifier: 'm' }] };
  expect(await handle(message, { ...fails, receives: 4 })).toEqual(failed);
  expect(await outcomes()).toEqual([]);
  expect(await handle(message, { ...fails, receives: 5 })).toEqual(failed);
  expect(await outcomes()).toEqual([[['not-read', 'it was received 5 times, and not read to its end']]]);
  expect(await itemsWith('MAIL#')).toEqual([expect.objectContaining({ rawKey: 'reports/m1' })]);
  // The message is sent again, or the last attempt succeeds.
  expect(await handle(message, { receives: 5 })).toEqual({ batchItemFailures: [] });
  expect(await outcomes()).toEqual([[['accepted', null]]]);
});

test('a deleted report stays away when another mail brings it, whose outcome says so', async () => {
  const { dmarcReports } = reportStores(table, { retentionDays: 0 });
  await handle(arrived('m1', dmarcMail(good)));
  const everything = { window: {}, page: 1, limit: 9 };
  const [stored] = (await dmarcReports.list(domain.id, everything, now)).reports;
  await dmarcReports.remove(domain, { id: stored?.report.id ?? '', window: {} }, now);
  await handle(arrived('m1', dmarcMail(good)));
  await handle(arrived('m2', dmarcMail(good)));
  expect(await outcomes()).toEqual([[['accepted', null]], [['duplicate', 'the same report was deleted']]]);
  expect(await reports()).toBe(0);
  expect(await alertsRaised()).toHaveLength(1);
});

describe('the stored sender and subject', () => {
  const heads = async () => (await itemsWith('MAIL#')).map(({ from, subject }) => [from, subject]);

  test('are those of the mail, decoded, shortened and without hidden characters', async () => {
    const from = '=?utf-8?q?R=C3=A9porter?= <dmarc@reporter.test>';
    const message = dmarcMail(good, { from }).replace(
      'Subject: Report Domain: example.test',
      `Subject: =?utf-8?b?${Buffer.from('a\u202eb').toString('base64')}?= ${'x'.repeat(1_000)}`,
    );
    await handle(arrived('m1', message));
    expect(await heads()).toEqual([['Réporter <dmarc@reporter.test>', `a\\u{202e}b ${'x'.repeat(196)}...`]]);
  });

  test.each([
    ['a failure report', { 'Content-Type': 'multipart/report; report-type=feedback-report; boundary="b"' }],
    ['a failure report in plain text', { Subject: 'DMARC failure report for example.org' }],
  ])('are kept without the subject for %s', async (_what, fields) => {
    const message = Object.entries(fields).reduce(
      (mail, [name, value]) => mail.replace(new RegExp(`^${name}: .*$`, 'm'), `${name}: ${value}`),
      reportMail({ attachments: [] }),
    );
    await handle(arrived('m1', message));
    expect(await outcomes()).toEqual([[['failure-report', expect.any(String)]]]);
    expect(await heads()).toEqual([['dmarc@reporter.test', null]]);
  });

  test('are unknown for a mail that was not read', async () => {
    const fails = { ...raw, read: () => Promise.reject(new Error('no memory')) };
    await handle(arrived('m1', dmarcMail(good)), { deps: { raw: fails }, receives: 5 });
    expect(await heads()).toEqual([[null, null]]);
  });
});

describe('a flood', () => {
  /** Records `requests` requests in the window, as if they had arrived before. */
  async function spend(limit: string, windowMilliseconds: number, requests: number) {
    const part = Math.floor(now.getTime() / (windowMilliseconds / 60));
    const Item = { ...slidingRateKey(limit, domain.id), part, passes: requests, [`p${part % 60}`]: requests };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }
  const HOUR = 3_600_000;

  /** Records alerts of a type, as if they had been raised before. */
  async function raisedBefore(type: string, share: string, alerts: number) {
    const Item = { ...alertedKey(domain.id, type, { day: now.toISOString().slice(0, 10) }), [share]: alerts };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }

  test('of mails over the limit is kept but not ingested, until it is replayed', async () => {
    await spend('report-mails', HOUR, 1_999);
    await handle(arrived('m1', dmarcMail(good)));
    await handle(arrived('m2', dmarcMail({ ...good, id: 'r2' })));
    expect(await outcomes()).toEqual([
      [['accepted', null]],
      [['over-quota', 'more than 2,000 mails arrived within an hour']],
    ]);
    expect((await itemsWith('MAIL#')).map(({ subject }) => subject)).toEqual([
      'Report Domain: example.test',
      'Report Domain: example.test',
    ]);
    expect([await reports(), kept.size]).toEqual([1, 2]);
  });

  test('of unauthenticated mails has its own limit, and does not affect authenticated mails', async () => {
    const [authenticated, forged] = [{}, { deps: { dns: zone({}) } }];
    await spend('report-mails-unauthenticated', HOUR, 1_999);
    await handle(arrived('m1', dmarcMail(good)), forged);
    await handle(arrived('m2', dmarcMail({ ...good, id: 'r2' })), forged);
    await handle(arrived('m3', dmarcMail({ ...good, id: 'r3' })), authenticated);
    const reason = 'more than 2,000 mails from unauthenticated senders arrived within an hour';
    expect(await outcomes()).toEqual([[['accepted', null]], [['over-quota', reason]], [['accepted', null]]]);
    expect((await itemsWith('MAIL#')).map(({ authentication }) => authentication)).toEqual([
      expect.objectContaining({ authenticated: false }),
      expect.objectContaining({ authenticated: false }),
      expect.objectContaining({ authenticated: true }),
    ]);
  });

  test('of authenticated mails does not affect other mails', async () => {
    await spend('report-mails', HOUR, 2_000);
    await handle(arrived('m1', dmarcMail(good)), { deps: { dns: zone({}) } });
    expect(await outcomes()).toEqual([[['accepted', null]]]);
  });

  test('waits less for DNS servers that never answer than other mail does, which is read in the end', async () => {
    await spend('report-mails-unauthenticated', HOUR, 2_000);
    const silent: Dns = { lookup: () => new Promise(() => {}) };
    const other = await registeredDomain(table);
    const ends: string[] = [];
    const ended = async (name: string, recipients: readonly string[]) => {
      await handle(arrived(name, dmarcMail(good), recipients), { deps: { dns: silent } });
      ends.push(name);
    };
    await Promise.all([ended('calm', [addressOf(other)]), ended('flooded', [addressOf(domain)])]);
    expect(ends).toEqual(['flooded', 'calm']);
    expect([await outcomes(), await outcomes(other)]).toEqual([
      [[['over-quota', expect.any(String)]]],
      [[['accepted', null]]],
    ]);
  });

  test('does not affect mails that were ingested before', async () => {
    const message = arrived('m1', dmarcMail(good));
    await handle(message);
    await spend('report-mails', HOUR, 2_000);
    await handle(message);
    expect(await outcomes()).toEqual([[['accepted', null]]]);
  });

  test('to the mailbox of another domain delays nothing', async () => {
    const other = await registeredDomain(table);
    await spend('report-mails', HOUR, 2_000);
    await handle(arrived('m1', dmarcMail(good), [addressOf(domain), addressOf(other)]));
    expect([await outcomes(), await outcomes(other)]).toEqual([
      [[['over-quota', expect.any(String)]]],
      [[['accepted', null]]],
    ]);
  });

  test('to a removed domain is dropped like any other mail', async () => {
    await spend('report-mails', HOUR, 2_000);
    const message = arrived('m1', dmarcMail(good));
    await domainStore(table).remove(domain, now);
    await handle(message);
    expect([kept.size, await itemsOf(table, domain)]).toEqual([0, []]);
  });

  test('of reports from unknown reporters alerts 200 times a day, but every report counts', async () => {
    await raisedBefore('new_report', 'authenticated', 199);
    await handle(arrived('m1', dmarcMail({ ...good, id: 'r1' })));
    await handle(arrived('m2', tlsMail('example.org')));
    expect((await alertsRaised()).map(([type]) => type)).toEqual(['new_report']);
    expect(await reports()).toBe(1);
  });

  test('of forged reports uses up no alert of authenticated ones', async () => {
    await raisedBefore('new_report', 'unauthenticated', 10);
    const report = (id: string) => ({ ...good, id, reporter: id });
    await handle(arrived('m1', dmarcMail(report('forged'))), { deps: { dns: zone({}) } });
    expect(await alertsRaised()).toEqual([]);
    await handle(arrived('m2', dmarcMail(report('proven'))));
    expect(await alertsRaised()).toHaveLength(1);
    expect(await reports()).toBe(2);
  });
});

describe('DKIM selectors', () => {
  test('are remembered if a signature of the domain itself verified', async () => {
    const rows = [
      { count: 1, result: 'pass', selector: 'Good' },
      { count: 1, result: 'fail', selector: 'bad' },
      { count: 1, result: 'pass', selector: 'not a name' },
    ] as const;
    await handle(arrived('m1', dmarcMail({ ...good, rows })));
    await handle(
      arrived('m2', dmarcMail({ ...good, id: 'below', domain: 'sub.example.org', rows: [rows[0]] })),
    );
    expect(await reportStores(table, { retentionDays: 0 }).selectors.list(domain.id)).toEqual(['good']);
  });

  test('of a mail from an unauthenticated sender are not remembered', async () => {
    await handle(arrived('m1', dmarcMail(good)), { deps: { dns: zone({}) } });
    expect(await reportStores(table, { retentionDays: 0 }).selectors.list(domain.id)).toEqual([]);
  });
});

describe('the event that a report was received', () => {
  const pending = async () =>
    (await itemsOf(table, domain)).filter(({ sk }) => String(sk).startsWith('PENDING#'));
  const url = 'https://hook.example/in';
  const webhook = { url, secret: 's', threshold: 'critical' } as const;

  test('is sent once for each stored report if it is switched on', async () => {
    const settings = channelStore(table, testCipher);
    await settings.setWebhook(domain.organization, { ...webhook, events: ['report.received'] });
    const { table: measured, capacity } = countedTable(table);
    const stores = reportStores(measured, { retentionDays: 0 });
    const message = arrived('m1', dmarcMail(good));
    await handle(message, { deps: { stores, domains: domainStore(measured) } });
    expect(capacity.calls()).toBeLessThanOrEqual(5);
    await handle(message);
    await handle(arrived('m2', dmarcMail(good)));
    expect(await pending()).toMatchObject([
      {
        channel: 'webhook',
        kind: 'alerts',
        event: {
          type: 'report.received',
          domainId: domain.id,
          reportType: 'dmarc',
          reporter: expect.any(String),
        },
      },
    ]);
  });

  test('is not sent if other events are switched on', async () => {
    const settings = channelStore(table, testCipher);
    await settings.setWebhook(domain.organization, { ...webhook, events: ['checks.completed'] });
    await handle(arrived('m1', dmarcMail(good)));
    expect(await pending()).toEqual([]);
  });
});

describe('the cost', () => {
  const rows = Array.from({ length: 5 }, (_, at) => ({ count: 20 + at, result: 'pass' as const }));

  /** The calls and units of a mail, which arrives a number of days later. */
  async function costOf(id: string, days: number) {
    const { table: measured, capacity } = countedTable(table);
    const at = daysLater(days);
    const begin = yesterday + days * 86_400;
    const message = arrived(id, dmarcMail({ ...good, rows, id, begin }), undefined, at);
    const stores = reportStores(measured, { retentionDays: 0 });
    await handle(message, { deps: { stores, domains: domainStore(measured), clock: { now: () => at } } });
    expect(counted.at(-1)).toBe('accepted');
    return { calls: capacity.calls(), ...capacity.units() };
  }

  test('of a mail matches the cost table', async () => {
    const alerted = await costOf('m1', 0);
    const further = await costOf('m2', 0);
    const firstOfDay = await costOf('m3', 1);
    const firstOfWeek = await costOf('m4', 7);
    const all = [alerted, further, firstOfDay, firstOfWeek];
    expect(all.map(({ writes }) => writes)).toEqual([20, 8, 10, 10]);
    expect(all.map(({ calls }) => calls)).toEqual([4, 4, 4, 4]);
    expect(further.writes + 2 / 25 + 2 / 7).toBeCloseTo(unitsOfMail.writes, 1);
    expect(further.reads).toBe(unitsOfMail.reads);
  });
});
