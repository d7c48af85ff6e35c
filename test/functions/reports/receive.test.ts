import { gzipSync } from 'node:zlib';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handler } from '../../../functions/reports/receive.ts';
import { unitsOfMail } from '../../../lib/cloud/cost.ts';
import type { Dns } from '../../../shared/protocol/dns.ts';
import { environmentSchema, readEnvironment } from '../../../shared/runtime/config.ts';
import { reportStores } from '../../../shared/runtime/report-stores.ts';
import { type Domain, domainStore } from '../../../shared/store/domains/domains.ts';
import { slidingRateKey } from '../../../shared/store/keys.ts';
import type { RawMessages } from '../../../shared/store/raw-messages.ts';
import { counted as countedTable } from '../../kit/capacity.ts';
import { dmarcMail, dmarcXml, reportMail, tlsJson, yesterday } from '../../kit/report-mails.ts';
import { itemsOf, registeredDomain } from '../../kit/reports.ts';
import { type EmptyTable, emptyTable } from '../../kit/table.ts';
import { zone } from '../../kit/zone.ts';
import { zipFile } from '../../shared/reports/zip-file.ts';

// Crashes are part of what is tested here.
process.env.LOG_LEVEL = 'silent';

/** When every mail of these tests arrives. */
const now = new Date(yesterday * 1000 + 86_400_000 + 3_600_000);

let table: EmptyTable;
let domain: Domain;
let kept: Map<string, Uint8Array>;
let counted: string[];
beforeAll(async () => {
  table = await emptyTable();
});
afterAll(() => table.stop());
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
  readonly environment?: Record<string, string>;
  readonly parts?: Partial<Parameters<typeof handler.with>[0]>;
}

/** What the handler is given in place of its own parts. */
function parts({ environment = {}, parts: given = {} }: Given): Parameters<typeof handler.with>[0] {
  return {
    domains: domainStore(table),
    stores: reportStores(table, { retentionDays: 0 }),
    raw,
    dns: zone({ 'reporter.test': { TXT: ['v=spf1 ip4:192.0.2.7 -all'] } }),
    clock: { now: () => now },
    record: (line, told) => {
      const { outcome } = told as unknown as { outcome: string };
      if (line === 'report' || outcome === 'dropped') counted.push(outcome);
    },
    settings: readEnvironment(environmentSchema, environment),
    ...given,
  };
}

const context = { getRemainingTimeInMillis: () => 60_000 } as Context;

function handle(message: unknown, given: Given = {}): Promise<SQSBatchResponse> {
  const Records = [{ messageId: 'm', body: JSON.stringify(message) }];
  return handler.with(parts(given))({ Records } as SQSEvent, context);
}

const trace = (messageId: string) =>
  `Return-Path: <a@reporter.test>\r\nReceived: from mx.reporter.test (unknown [192.0.2.7])\r\n by inbound-smtp.us-east-1.amazonaws.com with SMTP id ${messageId}\r\n for x;\r\n date\r\n`;

/** The notification of a message that is put into the bucket; from SES's documentation, without what nobody reads. */
function arrived(messageId: string, message: string, recipients: readonly string[] = [addressOf(domain)]) {
  const objectKey = `reports/${messageId}`;
  kept.set(objectKey, Buffer.from(trace(messageId) + message));
  return {
    notificationType: 'Received',
    receipt: {
      timestamp: now.toISOString(),
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
      timestamp: now.toISOString(),
      source: 'a@reporter.test',
      messageId,
      destination: ['someone.else@elsewhere.test'],
    },
  };
}

const addressOf = ({ mailbox }: Domain) => `${mailbox}@reports.localhost`;

async function itemsWith(prefix: string, of: Domain = domain) {
  return (await itemsOf(table, of)).filter(({ sk }) => String(sk).startsWith(prefix));
}

/** Kind and reason of each outcome that is kept, mail by mail. */
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

const good = { domain: 'example.org', rows: [{ count: 20, result: 'pass' }] } as const;

describe('a report mail', () => {
  test('is stored with its outcome, the way it came and whether its sender is proven', async () => {
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
      expect.objectContaining({ authenticated: true, rawKey: 'reports/m1', passed: 20, failed: 0 }),
    ]);
    expect(counted).toEqual(['accepted']);
    expect(kept.size).toBe(1);
  });

  test('belongs to the mailbox of the envelope, whatever its headers say', async () => {
    const other = await registeredDomain(table);
    await handle(arrived('m1', dmarcMail(good, { to: addressOf(other) })));
    expect(await outcomes()).toEqual([[['accepted', null]]]);
    expect(await outcomes(other)).toEqual([]);
  });

  test.each([
    [
      'a report about a domain below its own',
      dmarcMail({ ...good, domain: 'sub.example.org' }),
      [['accepted', null]],
    ],
    [
      'a report about another domain',
      dmarcMail({ ...good, domain: 'victim.test' }),
      [['wrong-domain', 'it is about victim.test']],
    ],
    [
      'a report about a domain that only ends alike',
      dmarcMail({ ...good, domain: 'notexample.org' }),
      [['wrong-domain', 'it is about notexample.org']],
    ],
    [
      'a report with deviations',
      dmarcMail({ ...good, rows: [{ count: -1, result: 'pass' }] }),
      [['accepted-with-warnings', expect.stringContaining('A count is not a whole number')]],
    ],
    [
      'a TLS report',
      reportMail({ attachments: [{ name: 'r.json.gz', bytes: gzipSync(tlsJson('example.org')) }] }),
      [['accepted', null]],
    ],
    [
      'a TLS report of another domain',
      reportMail({ attachments: [{ name: 'r.json.gz', bytes: gzipSync(tlsJson('victim.test')) }] }),
      [['wrong-domain', 'it is about victim.test']],
    ],
    [
      'a TLS report of several domains, one of which is another',
      reportMail({
        attachments: [
          {
            name: 'r.json',
            bytes: JSON.stringify({
              ...JSON.parse(tlsJson('example.org')),
              policies: ['example.org', 'victim.test'].flatMap((name) => JSON.parse(tlsJson(name)).policies),
            }),
          },
        ],
      }),
      [['wrong-domain', 'it is about victim.test']],
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
        ['duplicate', 'the same report is stored already'],
      ],
    ],
    ['no report', 'Subject: Hello\r\n\r\nHello', [['not-a-report', expect.any(String)]]],
    [
      'a report about a single message',
      'Subject: x\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: auth-failure\r\nReported-Domain: example.org\r\n\r\n--b--\r\n',
      [['failure-report', expect.any(String)]],
    ],
  ])('with %s ends as that', async (_what, message, expected) => {
    await handle(arrived('m1', message));
    expect(await outcomes()).toEqual([expected]);
    expect(kept.size).toBe(1);
    expect(counted).toEqual(expected.map(([kind]) => kind));
  });

  test('of which everything is as long as can be has outcomes that can be kept', async () => {
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

  test('that is too large to be read is told as that, and kept', async () => {
    const tooLarge: RawMessages = { ...raw, read: async () => 'too-large' };
    await handle(arrived('m1', ''), { parts: { raw: tooLarge } });
    expect(await outcomes()).toEqual([[['too-large', 'the mail is larger than 40 MB']]]);
  });

  test('counts once when it is sent again, and contradictions are told', async () => {
    await handle(arrived('m1', dmarcMail(good)));
    await handle(arrived('m2', dmarcMail(good)));
    await handle(arrived('m3', dmarcMail({ ...good, rows: [{ count: 21, result: 'pass' }] })));
    const all = (await outcomes()).flat();
    expect(all).toEqual([
      ['accepted', null],
      ['duplicate', 'the same report is stored already'],
      ['conflict', 'another report of the same id and period is stored'],
    ]);
    expect(await reports()).toBe(1);
  });

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

describe('a mail that comes twice', () => {
  test('ends the same, counts once and alerts once', async () => {
    const message = arrived('m1', dmarcMail({ ...good, rows: [{ count: 20, result: 'fail' }] }));
    await handle(message);
    const before = await itemsOf(table, domain);
    await handle(message);
    expect((await itemsOf(table, domain)).map(({ sk }) => sk)).toEqual(before.map(({ sk }) => sk));
    expect(await outcomes()).toEqual([[['accepted', null]]]);
  });

  test.each(['selectors', 'alerts', 'outcomes'] as const)(
    'because a crash came before its %s were kept, ends as if it had come once',
    async (failing) => {
      const stores = reportStores(table, { retentionDays: 0 });
      const crash = async () => {
        throw new Error('crash');
      };
      const broken = {
        ...stores,
        [failing]: { ...stores[failing], remember: crash, raise: crash, keep: crash },
      };
      const message = arrived('m1', dmarcMail({ ...good, rows: [{ count: 20, result: 'pass' }] }));
      const failed = await handle(message, { parts: { stores: broken as typeof stores } });
      expect(failed.batchItemFailures).toEqual([{ itemIdentifier: 'm' }]);
      expect(await reports()).toBe(1);

      expect((await handle(message)).batchItemFailures).toEqual([]);
      expect(await outcomes()).toEqual([[['accepted', null]]]);
      expect(await alertsRaised()).toEqual([['new_report', 'info', 'New DMARC report for example.org']]);
      expect(await stores.selectors.list(domain.id)).toEqual(['s1']);
      expect(await reports()).toBe(1);
    },
  );
});

describe('a mail that nobody wants', () => {
  test('for a domain that was removed is dropped, and its message removed', async () => {
    const message = arrived('m1', dmarcMail(good));
    await domainStore(table).remove(domain, now);
    await handle(message);
    expect([kept.size, counted, await itemsOf(table, domain)]).toEqual([0, ['dropped'], []]);
  });

  test('for a domain that is removed while it is read leaves nothing', async () => {
    const domains = domainStore(table);
    const removing: RawMessages = {
      ...raw,
      async read(key, limit) {
        await domains.remove(domain, now);
        return raw.read(key, limit);
      },
    };
    await handle(arrived('m1', dmarcMail(good)), { parts: { raw: removing } });
    expect([kept.size, counted, await itemsOf(table, domain)]).toEqual([0, ['dropped'], []]);
  });

  test('is kept when another mailbox still has its domain', async () => {
    const other = await registeredDomain(table);
    const message = arrived('m1', dmarcMail(good), [addressOf(domain), addressOf(other)]);
    await domainStore(table).remove(domain, now);
    await handle(message);
    expect([kept.size, await outcomes(other)]).toEqual([1, [[['accepted', null]]]]);
  });

  test('that SES writes when it is set up is passed over', async () => {
    const message = arrived('AMAZON_SES_SETUP_NOTIFICATION', 'Subject: x', ['recipient@example.com']);
    expect(await handle(message)).toEqual({ batchItemFailures: [] });
    expect([kept.size, counted]).toEqual([1, []]);
    const bare = { mail: { messageId: 'AMAZON_SES_SETUP_NOTIFICATION' } };
    expect(await handle(bare)).toEqual({ batchItemFailures: [] });
  });

  test('is not lost where the announcement is not one', async () => {
    const answer = await handle({ Type: 'Notification' });
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: 'm' }]);
  });
});

describe('with UNAUTHENTICATED_REPORTS=set-aside', () => {
  const environment = { UNAUTHENTICATED_REPORTS: 'set-aside' };

  test('a report whose sender is proven counts', async () => {
    await handle(arrived('m1', dmarcMail(good)), { environment });
    expect(await reports()).toBe(1);
  });

  test.each([
    ['is not proven', {}, 'the mail is not proven to be from whom it says'],
    [
      'could not be found out',
      { 'reporter.test': 'SERVFAIL' as const },
      'whether the mail is from whom it says could not be found out',
    ],
  ])('a report whose sender %s is kept, but neither listed nor counted', async (_why, world, reason) => {
    await handle(arrived('m1', dmarcMail(good)), { environment, parts: { dns: zone(world) } });
    expect(await outcomes()).toEqual([[['set-aside', reason]]]);
    expect([await reports(), (await itemsWith('DMARCDAY#')).length, kept.size]).toEqual([0, 0, 1]);
    expect(await alertsRaised()).toEqual([]);
  });
});

describe('alerts', () => {
  test('tell the first report of a reporter on a day, and every report with many failures', async () => {
    const failing = (id: string) => ({ ...good, id, rows: [{ count: 20, result: 'fail' as const }] });
    await handle(arrived('m1', dmarcMail(good)));
    await handle(arrived('m2', dmarcMail(failing('r2'))));
    await handle(arrived('m3', dmarcMail(failing('r3'))));
    await handle(arrived('m4', dmarcMail({ ...good, id: 'r4', reporter: 'Another' })));
    expect((await alertsRaised()).map(([type]) => type).toSorted()).toEqual([
      'new_report',
      'new_report',
      'report_failure',
      'report_failure',
    ]);
  });
});

describe('a flood', () => {
  /** Counts so many of something as if they had come before. */
  async function spend(what: string, windowMilliseconds: number, requests: number) {
    const part = Math.floor(now.getTime() / (windowMilliseconds / 60));
    const Item = { ...slidingRateKey(what, domain.id), part, passes: requests, [`p${part % 60}`]: requests };
    await table.client.send(new PutCommand({ TableName: table.name, Item }));
  }
  const HOUR = 3_600_000;

  test('of mails is kept and not read, until it is replayed', async () => {
    await spend('report-mails', HOUR, 1_999);
    await handle(arrived('m1', dmarcMail(good)));
    await handle(arrived('m2', dmarcMail({ ...good, id: 'r2' })));
    expect(await outcomes()).toEqual([
      [['accepted', null]],
      [['over-quota', 'more than 2,000 mails came within an hour']],
    ]);
    expect([await reports(), kept.size]).toEqual([1, 2]);
  });

  test('of mails whose sender is not proven is kept apart, and takes nothing from proven ones', async () => {
    const [proven, forged] = [{}, { parts: { dns: zone({}) } }];
    await spend('report-mails-unproven', HOUR, 1_999);
    await handle(arrived('m1', dmarcMail(good)), forged);
    await handle(arrived('m2', dmarcMail({ ...good, id: 'r2' })), forged);
    await handle(arrived('m3', dmarcMail({ ...good, id: 'r3' })), proven);
    const reason = 'more than 2,000 mails that are not proven to be from whom they say came within an hour';
    expect(await outcomes()).toEqual([[['accepted', null]], [['over-quota', reason]], [['accepted', null]]]);
    expect((await itemsWith('MAIL#')).map(({ authentication }) => authentication)).toEqual([
      expect.objectContaining({ authenticated: false }),
      expect.objectContaining({ authenticated: false }),
      expect.objectContaining({ authenticated: true }),
    ]);
  });

  test('of proven mails takes nothing from the others', async () => {
    await spend('report-mails', HOUR, 2_000);
    await handle(arrived('m1', dmarcMail(good)), { parts: { dns: zone({}) } });
    expect(await outcomes()).toEqual([[['accepted', null]]]);
  });

  test('is not held up by servers that do not answer as long as other mail is', async () => {
    await spend('report-mails-unproven', HOUR, 2_000);
    const silent: Dns = { lookup: () => new Promise(() => {}) };
    const other = await registeredDomain(table);
    const ends: string[] = [];
    const ended = async (name: string, recipients: readonly string[]) => {
      await handle(arrived(name, dmarcMail(good), recipients), { parts: { dns: silent } });
      ends.push(name);
    };
    await Promise.all([ended('calm', [addressOf(other)]), ended('flooded', [addressOf(domain)])]);
    expect(ends).toEqual(['flooded', 'calm']);
    expect([await outcomes(), await outcomes(other)]).toEqual([
      [[['over-quota', expect.any(String)]]],
      [[['accepted', null]]],
    ]);
  });

  test('takes nothing from what was read before', async () => {
    const message = arrived('m1', dmarcMail(good));
    await handle(message);
    await spend('report-mails', HOUR, 2_000);
    await handle(message);
    expect(await outcomes()).toEqual([[['accepted', null]]]);
  });

  test('to the mailbox of another domain holds nothing up', async () => {
    const other = await registeredDomain(table);
    await spend('report-mails', HOUR, 2_000);
    await handle(arrived('m1', dmarcMail(good), [addressOf(domain), addressOf(other)]));
    expect([await outcomes(), await outcomes(other)]).toEqual([
      [[['over-quota', expect.any(String)]]],
      [[['accepted', null]]],
    ]);
  });

  test('to a domain that is gone is dropped like any other mail', async () => {
    await spend('report-mails', HOUR, 2_000);
    const message = arrived('m1', dmarcMail(good));
    await domainStore(table).remove(domain, now);
    await handle(message);
    expect([kept.size, await itemsOf(table, domain)]).toEqual([0, []]);
  });

  test('of reporters that nobody knows is told 200 times a day, and counted', async () => {
    await spend('alerts-new_report', 24 * HOUR, 199);
    for (const n of [1, 2, 3])
      await handle(arrived(`m${n}`, dmarcMail({ ...good, id: `r${n}`, reporter: `R${n}` })));
    expect((await alertsRaised()).map(([type]) => type)).toEqual(['new_report']);
    expect(await reports()).toBe(3);
  });

  test.each([
    ['new_report', 'alerts-new_report-unproven', 'pass'],
    ['report_failure', 'alerts-report_failure-unproven', 'fail'],
  ] as const)('of forged reports takes no %s of proven ones', async (type, budget, result) => {
    await spend(budget, 24 * HOUR, 200);
    const report = (id: string) => ({ ...good, id, reporter: id, rows: [{ count: 20, result }] });
    await handle(arrived('m1', dmarcMail(report('forged'))), { parts: { dns: zone({}) } });
    expect((await alertsRaised()).filter(([raised]) => raised === type)).toEqual([]);
    await handle(arrived('m2', dmarcMail(report('proven'))));
    expect((await alertsRaised()).filter(([raised]) => raised === type)).toHaveLength(1);
    expect(await reports()).toBe(2);
  });
});

describe('DKIM selectors', () => {
  test('are remembered where a signature of the domain itself verified', async () => {
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

  test('of a mail that is not from whom it says are not', async () => {
    await handle(arrived('m1', dmarcMail(good)), { parts: { dns: zone({}) } });
    expect(await reportStores(table, { retentionDays: 0 }).selectors.list(domain.id)).toEqual([]);
  });
});

describe('the cost', () => {
  test('of a mail is what the table of costs counts with', async () => {
    const { table: measured, capacity } = countedTable(table);
    const rows = Array.from({ length: 5 }, (_, at) => ({ count: 20 + at, result: 'pass' as const }));
    const message = arrived('m1', dmarcMail({ ...good, rows }));
    const stores = reportStores(measured, { retentionDays: 0 });
    await handle(message, { parts: { stores, domains: domainStore(measured) } });
    expect(counted).toEqual(['accepted']);
    const { reads, writes } = capacity.units();
    for (const [units, told] of [
      [reads, unitsOfMail.reads],
      [writes, unitsOfMail.writes],
    ] as const) {
      expect(units).toBeGreaterThan(0.8 * told);
      expect(units).toBeLessThan(1.2 * told);
    }
  });
});
