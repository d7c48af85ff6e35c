/**
 * What a report mail with 10 rows costs: calls and capacity units of the table, mails read per second by one process
 * of the service, its CPU time, and the CPU time that parsedmarc takes to read the same mails from files.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Context, SQSEvent } from 'aws-lambda';
import { handler } from '../../functions/reports/receive.ts';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config/config.ts';
import { reportStores } from '../../shared/runtime/dependencies/report-stores.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { counted } from '../kit/capacity.ts';
import { cpuSeconds } from '../kit/cpu-time.ts';
import { rsaKey, signed } from '../kit/dkim-signer.ts';
import { startDnsServer } from '../kit/dns-server.ts';
import { dmarcMail, yesterday } from '../kit/report-mails.ts';
import { itemsOf, registeredDomain } from '../kit/reports.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { sendMail } from '../kit/smtp-client.ts';
import { emptyTable } from '../kit/table.ts';
import { until } from '../kit/until.ts';
import { zone } from '../kit/zone.ts';
import { type Registered, registered, reportsOf } from './measuring.ts';
import { installParsedmarc } from './parsedmarc.ts';
import type { BenchRow } from './row.ts';

const ROWS = Array.from({ length: 10 }, (_, at) => ({ count: 20 + at, result: 'pass' as const }));

const key = rsaKey();
const REPORTERS = 4;
const records = Object.fromEntries(
  Array.from({ length: REPORTERS }, (_, n) => [`reporter${n}.test`, { TXT: ['v=spf1 ip4:192.0.2.7 -all'] }]),
);
const keys = Object.fromEntries(
  Object.keys(records).map((name) => [`s1._domainkey.${name}`, { TXT: [key.record] }]),
);
const published = { ...records, ...keys };

/** A signed mail with a report of one of the reporters. */
function mailOf(domain: string, n: number, begin = yesterday): string {
  const reporter = `reporter${n % REPORTERS}.test`;
  const report = { domain, id: `r${n}`, reporter, rows: ROWS, begin };
  return signed(dmarcMail(report, { from: `dmarc@${reporter}` }), { domain: reporter, selector: 's1', key });
}

/** Takes a minute. */
export async function benchMails(): Promise<readonly BenchRow[]> {
  return [...(await benchTable()), ...(await benchService())];
}

interface Used {
  readonly calls: number;
  readonly reads: number;
  readonly writes: number;
}

/** The calls and units of one mail at a time, and the bytes that it stores, without what a day has once. */
async function benchTable(): Promise<BenchRow[]> {
  process.env.LOG_LEVEL = 'silent';
  const table = await emptyTable();
  try {
    const now = new Date(yesterday * 1000 + 90_000_000);
    const domain = await registeredDomain(table);
    const used = async (n: number, messageId: string, daysAgo = 0): Promise<Used> => {
      const { table: measured, capacity } = counted(table);
      const mail = mailOf('example.org', n, yesterday - daysAgo * 86_400);
      const at = new Date(now.getTime() - daysAgo * 86_400_000);
      await receive(measured, { now: at, messageId, mailbox: domain.mailbox, mail });
      return { calls: capacity.calls(), ...capacity.units() };
    };
    // The day before makes the reporters known.
    const alerted = await used(1, 'm-1', 1);
    for (const n of [0, 2, 3]) await used(n, `m-${n}`, 1);
    const first = await used(1, 'm1');
    const next = await used(2, 'm2');
    const again = await used(2, 'm2');
    const duplicate = await used(2, 'm3');
    const before = bytesOf(await itemsOf(table, domain));
    await used(3, 'm4');
    const stored = bytesOf(await itemsOf(table, domain));
    const grown = (prefixes: readonly string[]) =>
      sum(prefixes.map((prefix) => (stored.get(prefix) ?? 0) - (before.get(prefix) ?? 0)));
    const told = ({ calls, reads, writes }: Used) =>
      `${calls} calls, ${reads} read and ${writes} write units`;
    const report = grown(['DMARC']);
    const all = sum([...stored.values()]) - sum([...before.values()]);
    return [
      {
        name: 'DynamoDB calls for a mail with one new report',
        value: `the first of a day ${told(first)}; a further one ${told(next)}; of a new reporter, with its alert, ${told(alerted)}`,
        goal: 'at most 6 calls, at most 10 write units',
        met: Math.max(first.calls, next.calls) <= 6 && Math.max(first.writes, next.writes) <= 10,
      },
      {
        name: 'DynamoDB calls for a mail that arrives again',
        value: `the same mail ${told(again)}; another mail with the same report ${told(duplicate)}`,
        goal: 'at most 3 calls',
        met: again.calls <= 3,
      },
      {
        name: 'Bytes that a further mail stores, indexes included',
        value: `report ${report}, all ${all}: ${[...stored].map(([prefix]) => `${prefix} ${grown([prefix])}`).join(', ')}`,
        goal: 'a report at most 1,000, all at most 1,500',
        met: report <= 1000 && all <= 1500,
      },
    ];
  } finally {
    await table.stop();
  }
}

/** Reads one mail after the other, each with a new report, into a table in memory. */
export async function measureMail(): Promise<(n: number) => Promise<void>> {
  process.env.LOG_LEVEL = 'silent';
  const table = await emptyTable();
  const { mailbox } = await registeredDomain(table);
  const now = new Date(yesterday * 1000 + 90_000_000);
  return (n) => receive(table, { now, messageId: `m${n}`, mailbox, mail: mailOf('example.org', n) });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** The bytes of items by the first word of their sort key. An item in the index counts twice. */
function bytesOf(items: readonly Record<string, unknown>[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const item of items) {
    const prefix = /^[A-Z]+/.exec(String(item.sk))?.[0] ?? '';
    const size = sizeOf(item) * ('gsi1pk' in item ? 2 : 1);
    sizes.set(prefix, (sizes.get(prefix) ?? 0) + size);
  }
  return sizes;
}

/** About what DynamoDB counts (AWS, "DynamoDB item sizes and formats"). */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return 3 + sum(value.map((one) => 1 + sizeOf(one)));
  if (typeof value === 'number') return 1 + Math.ceil(String(value).length / 2);
  if (typeof value !== 'object' || value === null) return 1;
  return sum(Object.entries(value).map(([name, one]) => Buffer.byteLength(name) + sizeOf(one)));
}

async function receive(
  table: Parameters<typeof domainStore>[0],
  { now, messageId, mailbox, mail }: { now: Date; messageId: string; mailbox: string; mail: string },
): Promise<void> {
  const trace = `Return-Path: <a@bounces.test>\r\nReceived: from mx.reporter.test (unknown [192.0.2.7])\r\n by inbound-smtp.us-east-1.amazonaws.com with SMTP id ${messageId}\r\n for x;\r\n date\r\n`;
  const recipients = [`${mailbox}@reports.localhost`];
  const arrived = { messageId, receivedAt: now, recipients, rawKey: `reports/${messageId}`, verdicts: null };
  const body = JSON.stringify(arrived);
  const time = String(now.getTime());
  const attributes = {
    ...{ ApproximateReceiveCount: '1', SentTimestamp: time, ApproximateFirstReceiveTimestamp: time },
  };
  const { batchItemFailures } = await handler.with({
    domains: domainStore(table),
    stores: reportStores(table, { retentionDays: 400 }),
    raw: { read: async () => Buffer.from(trace + mail), remove: async () => {} },
    postpone: async () => {},
    dns: zone(published),
    clock: { now: () => now },
    record: () => {},
    settings: readEnvironment(environmentSchema, {}),
  })(
    { Records: [{ messageId: 'm', body, attributes }] } as unknown as SQSEvent,
    {
      getRemainingTimeInMillis: () => 60_000,
    } as Context,
  );
  if (batchItemFailures.length > 0) throw new Error('the mail was not read');
}

const DOMAINS = 4;
/** Each domain gets fewer than its daily quota of alerts. */
const MAILS = 400;
/** A session waits 100 ms for the greeting; this many keep one process busy. */
const SENDERS = 16;
const WARM_UP = 40;

async function benchService(): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-mails-'));
  const dns = await startDnsServer(published);
  const service = await bootService({ DNS_SERVERS: `${dns.address}:${dns.port}` });
  try {
    const domains = await Promise.all(
      Array.from({ length: DOMAINS }, (_, n) => registered(service, `d${n}.example`)),
    );
    const to = (n: number) => domains[n % DOMAINS] as Registered;
    const mails = Array.from({ length: WARM_UP + MAILS }, (_, n) => ({
      ...to(n),
      mail: mailOf(to(n).domain, n),
    }));
    await sendAll(service, mails.slice(0, WARM_UP));
    await until(async () => (await readMails(service, domains)) === WARM_UP, { what: 'the first mails' });
    const [cpu, from] = [cpuSeconds(service.pid), performance.now()];
    await sendAll(service, mails.slice(WARM_UP));
    const accepted = MAILS / ((performance.now() - from) / 1000);
    await until(async () => (await readMails(service, domains)) === WARM_UP + MAILS, {
      ...{ what: 'all mails', timeoutMilliseconds: 120_000, intervalMilliseconds: 500 },
    });
    const perSecond = MAILS / ((performance.now() - from) / 1000);
    const milliseconds = (1000 * (cpuSeconds(service.pid) - cpu)) / MAILS;
    return [
      {
        name: `Mails with a report of 10 rows, one process of the service, ${MAILS} mails`,
        value: `${perSecond.toFixed(0)} read per second (${accepted.toFixed(0)} accepted)`,
        goal: 'at least 70',
        met: perSecond >= 70,
      },
      {
        name: 'CPU time for accepting and reading a mail, embedded endpoints included',
        value: `${milliseconds.toFixed(1)} ms`,
        goal: 'at most 15 ms',
        met: milliseconds <= 15,
      },
      await besideParsedmarc(
        mails.slice(WARM_UP).map(({ mail }) => mail),
        milliseconds,
        folder,
      ),
    ];
  } finally {
    await service.remove();
    await dns.stop();
    await rm(folder, { recursive: true });
  }
}

const readMails = async (service: BootedService, domains: readonly Registered[]): Promise<number> =>
  sum(await Promise.all(domains.map(({ id }) => reportsOf(service, id))));

async function sendAll(
  { smtpPort }: BootedService,
  mails: readonly (Registered & { readonly mail: string })[],
): Promise<void> {
  const waiting = [...mails];
  const sender = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const reply = await sendMail(smtpPort, { to: [next.address], message: next.mail });
      if (!reply.startsWith('250')) throw new Error(reply);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
}

const SCRIPT = `
import sys, time, logging, glob
logging.disable(logging.CRITICAL)
import parsedmarc
def read(name):
    with open(name, "rb") as file:
        report = parsedmarc.parse_report_file(file.read(), offline=True, always_use_local_files=True)
    assert len(report["report"]["records"]) == 10
names = sorted(glob.glob(sys.argv[1] + "/*.eml"))
read(names[0])
start = time.process_time()
for name in names:
    read(name)
print(time.process_time() - start)
`;

async function besideParsedmarc(mails: readonly string[], ours: number, folder: string): Promise<BenchRow> {
  const name = 'The same mails, beside parsedmarc that reads them from a folder, without network';
  const goal = 'at least 10 times';
  const python = await installParsedmarc();
  if (python === undefined)
    return { name, value: 'skipped: parsedmarc cannot be installed here', goal, met: null };
  await Promise.all(mails.map((mail, n) => writeFile(join(folder, `${n}.eml`), mail)));
  const { stdout } = await promisify(execFile)(python, ['-c', SCRIPT, folder]);
  const theirs = (1000 * Number(stdout)) / mails.length;
  const ratio = theirs / ours;
  const value = `${ours.toFixed(1)} ms of CPU time a mail, stored and alerted, compared with ${theirs.toFixed(1)} ms: ${ratio.toFixed(1)} times`;
  return { name, value, goal, met: ratio >= 10 };
}
