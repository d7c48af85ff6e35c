/**
 * The capacity units of requests about report mails, notifications and deliveries, with up to 10,000 of them stored, and
 * about tokens, of which an organization can have 100.
 */
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { replayReportMail } from '../../shared/ingest/ingest-mail.ts';
import { countOnRequest } from '../../shared/operations/notifications/count-on-request.ts';
import { reportStores } from '../../shared/runtime/dependencies/report-stores.ts';
import { channelStore } from '../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { recordTokenUse } from '../../shared/store/api-tokens.ts';
import type { Domain } from '../../shared/store/domains/domains.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import type { Item } from '../../shared/store/item-schema.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { mailOutcomeStore, type ReportMail } from '../../shared/store/reports/mail-outcomes.ts';
import { testCipher } from '../kit/cipher.ts';
import { dmarcMail } from '../kit/report-mails.ts';
import { registeredDomain } from '../kit/reports.ts';
import { zone } from '../kit/zone.ts';
import { type MeasuredTable, unitsOf } from './measured-table.ts';
import { memoryTable } from './memory-table.ts';
import type { BenchRow } from './row.ts';

const SIZES = [10, 1_000, 10_000];
/** The maximum of BatchWriteItem. */
const BATCH = 25;
const MINUTE = 60_000;
/** What a page of 20, or a write, costs at most. */
const MOST = 40;
/** What searching 10,000 mails costs at most: they have 0.5 KB each. */
const MOST_TO_SEARCH = 800;

/** The embedded DynamoDB deletes what has expired by its own clock. */
const now = new Date();
const kept = { retentionDays: 0 };
const page = { page: 1, limit: 20 };
const TOKENS = 100;
const token = { name: 'Nightly export', label: 'svc' };
const SEARCH = 'A page of mails with an outcome that none has';

export async function benchMailCapacity({ table, spent }: MeasuredTable): Promise<readonly BenchRow[]> {
  const costs = new Map<string, number[]>();
  for (const size of SIZES) {
    for (const [name, request] of requestsOn(table, await stored(table, size)))
      costs.set(name, [...(costs.get(name) ?? []), await unitsOf(request, spent)]);
  }
  const at = SIZES.map((size) => size.toLocaleString('en')).join(', ');
  return [...costs].map(([name, units]) => {
    const most = name === SEARCH ? MOST_TO_SEARCH : MOST;
    return {
      name: `${name}: capacity units at ${at} mails and deliveries`,
      value: units.join(', '),
      goal: `at most ${most}`,
      met: Math.max(...units) <= most,
    };
  });
}

interface Stored {
  readonly domain: Domain;
  /** The latest mail. */
  readonly mail: ReportMail;
  /** The ID of a delivery. */
  readonly delivery: string;
}

/** The requests, without those that every request of v1 makes for its token and its rate limit. */
function requestsOn(
  table: MeasuredTable['table'],
  { domain, mail, delivery }: Stored,
): readonly (readonly [string, () => Promise<unknown>])[] {
  const { organization, id } = domain;
  const settings = channelStore(table, testCipher);
  const deliveries = deliveryStore(table);
  const mails = mailOutcomeStore(table, kept);
  const stores = reportStores(table, kept);
  const organizations = organizationStore(table);
  const own = () => domainStore(table).get(organization, id);
  const count = () => countOnRequest(rateStore(table), organization, now);
  const webhook = { url: 'https://hooks.example/in', secret: 's', threshold: 'info' } as const;
  const address = { address: 'ops@example.org', threshold: 'warning', digestMinute: 360 } as const;
  const raw = { read: async () => Buffer.from(dmarcMail({ domain: domain.domain })), remove: async () => {} };
  return [
    ['Reading notification settings', () => settings.get(organization)],
    [
      'Changing notification settings',
      async () => {
        const { revision } = await settings.get(organization);
        await settings.change(organization, { mail: address, webhook }, revision);
      },
    ],
    [
      'Testing a channel',
      async () => {
        await Promise.all([settings.get(organization), count()]);
        const test = { id: uuidv7(), organization, channel: 'mail', createdAt: now.toISOString() } as const;
        await deliveries.createTest(test);
      },
    ],
    ['A page of 20 deliveries', () => deliveries.list(organization, page, now)],
    [
      'Redelivering',
      async () => {
        const before = await deliveries.outcomeOf(organization, delivery);
        await count();
        if (before === undefined) throw new Error('the delivery is not stored');
        await deliveries.createAgain(before, { id: uuidv7(), createdAt: now.toISOString() });
      },
    ],
    ['A page of 20 mails', () => Promise.all([own(), mails.list(id, { ...page, window: {} }, now)])],
    [SEARCH, () => Promise.all([own(), mails.list(id, { ...page, window: {}, outcome: 'not-read' }, now)])],
    [
      'A list of 100 tokens',
      () => Promise.all([organizations.listTokens(organization), organizations.tokenUses(organization)]),
    ],
    [
      'Creating a token, beside 100 others',
      async () => {
        await organizations.listTokens(organization);
        await organizations.createToken(organization, token, now);
      },
    ],
    [
      'Deleting a token, one of 101',
      async () => {
        const [first] = await organizations.listTokens(organization);
        if (first === undefined) throw new Error('no token is stored');
        await organizations.revokeToken(first, now);
      },
    ],
    ['Downloading a mail', () => Promise.all([own(), mails.get(domain, mail, now)])],
    [
      'Reading a mail again, which stores its report',
      async () => {
        await Promise.all([own(), mails.get(domain, mail, now)]);
        const context = { domain, unauthenticated: 'count', restoresDeleted: true } as const;
        await replayReportMail(mail, { raw, dns: zone({}) }, context, { stores, now });
        await mails.get(domain, mail, now);
      },
    ],
  ];
}

/** A domain with `size` mails, whose organization has as many deliveries. */
async function stored(table: MeasuredTable['table'], size: number): Promise<Stored> {
  const domain = await registeredDomain(table);
  const memory = memoryTable();
  const mails = Array.from({ length: size }, (_, n) => mailAt(n, domain));
  const ids = Array.from({ length: size }, (_, n) => uuidv7({ msecs: now.getTime() - (size - n) * MINUTE }));
  const createdAt = now.toISOString();
  for (const mail of mails) await mailOutcomeStore(memory.table, kept).store(domain, mail);
  for (const id of ids)
    await deliveryStore(memory.table).createTest({
      ...{ id, createdAt },
      organization: domain.organization,
      channel: 'mail',
    });
  await write(table, memory.items());
  for (let n = 0; n < TOKENS; n += 1) {
    const { info } = await organizationStore(table).createToken(domain.organization, token, now);
    await recordTokenUse(table, info, createdAt.slice(0, 10));
  }
  const [[mail], [delivery]] = [mails, ids];
  if (mail === undefined || delivery === undefined) throw new Error('no mails are stored');
  return { domain, mail, delivery };
}

const mailAt = (n: number, { domain }: Domain): ReportMail => ({
  ...{
    messageId: `o3vrnil0e2ic28trm7dfhrc2v0clambda${n}`,
    receivedAt: new Date(now.getTime() - (n + 1) * 1000),
  },
  ...{ rawKey: `reports/o3vrnil0e2ic28trm7dfhrc2v0clambda${n}`, alsoFor: [] },
  authentication: {
    ...{ authenticated: true, fromDomain: 'reporter.test' },
    ...{ spf: { domain: 'reporter.test', result: 'pass' }, dkim: [] },
  },
  ...{ from: 'noreply-dmarc-support@reporter.test', subject: `Report Domain: ${domain} Report-ID: ${n}` },
  outcomes: [{ kind: 'duplicate', source: 'report.xml', reason: 'the same report is already stored' }],
});

async function write(table: MeasuredTable['table'], items: readonly Item[]): Promise<void> {
  for (let at = 0; at < items.length; at += BATCH) {
    const requests = items.slice(at, at + BATCH).map((Item) => ({ PutRequest: { Item } }));
    await table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: requests } }));
  }
}
