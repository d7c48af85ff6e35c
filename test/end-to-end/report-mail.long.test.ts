/** Report mail by SMTP, replays and imports, until the API lists the reports; `test/functions/reports` tries what mails can contain. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { adminInProcess } from '../kit/admin.ts';
import type { ApiClient } from '../kit/api-client.ts';
import { publishTxt } from '../kit/example-internet.ts';
import { hangingMails } from '../kit/mutated-mails.ts';
import { dmarcMail, dmarcXml, reportMail, tlsJson, yesterday } from '../kit/report-mails.ts';
import { rowsIn } from '../kit/rows.ts';
import { sendMail } from '../kit/smtp-client.ts';
import { until } from '../kit/until.ts';
import { useFolder } from '../kit/use.ts';
import { useApi } from '../kit/use-service.ts';

const { service, api } = await useApi({ FORMER_REPORTS_DOMAINS: 'former.localhost' });

interface Registered {
  readonly id: string;
  readonly domain: string;
  readonly address: string;
}

let registered = 0;

/** Registers a new domain, so that each test has its own. */
async function register(client: ApiClient = api, suffix = 'example'): Promise<Registered> {
  registered += 1;
  const domain = `d${registered}.${suffix}`;
  const { body } = await client.call('POST', '/api/v1/domains', { json: { domain, usageType: 'parked' } });
  return { domain, id: body.data.id, address: body.data.reporting.ruaAddress.replace('mailto:', '') };
}

/** Returns what the API lists for a domain's reports, as soon as there are as many as expected. */
async function reportsOf({ id }: Registered, { kind = 'dmarc', expected = 1, client = api } = {}) {
  const path = `/api/v1/domains/${id}/reports/${kind}?limit=100`;
  const listed = async () => (await client.call('GET', path)).body.data;
  await until(async () => (await listed()).summary.totalReports >= expected, { intervalMilliseconds: 100 });
  return listed();
}

const send = (to: readonly string[], message: string, from?: string, port = service.smtpPort) =>
  sendMail(port, { to, message, ...(from === undefined ? {} : { from }) });

async function admin(dataDir: string, args: readonly string[], environment: Record<string, string> = {}) {
  const { code, output } = await adminInProcess(args, { DATA_DIR: dataDir, ...environment });
  return [code, output.trim()] as const;
}

/**
 * Returns the output of `replay` for a domain, as soon as it has that many mails. Their outcomes are stored after their
 * reports.
 */
async function replayed({ domain }: Registered, mails: number): Promise<string> {
  let output = '';
  await until(async () => {
    [, output] = await admin(service.dataDir, ['replay', domain, '--outcome', 'all']);
    return output.includes(`${mails} mail${mails === 1 ? '' : 's'} read again`);
  });
  return output;
}

describe('a report that is sent to a mailbox by SMTP', () => {
  test('is listed with its totals within seconds', async () => {
    const domain = await register();
    const rows = [
      { count: 90, result: 'pass' },
      { count: 10, result: 'fail' },
    ] as const;
    expect(await send([domain.address], dmarcMail({ domain: domain.domain, rows }))).toMatch(/^250/);
    expect(await reportsOf(domain)).toMatchObject({
      reports: [{ orgName: 'Reporter', totalCount: 100, passCount: 90, failCount: 10, authenticated: false }],
      summary: { totalReports: 1, totalMessages: 100, passedMessages: 90, failedMessages: 10, passRate: 90 },
    });
  });

  /** Publishes a record at a name that has not been looked up before; negative responses are cached. */
  const publish = (name: string, value: string) => publishTxt(service, name, value);

  test('can be a TLS report, whose failed sessions raise an alert if its sender is authenticated', async () => {
    await publish('tls-reporter.test', 'v=spf1 ip4:127.0.0.1 -all');
    for (const [suffix, from] of [
      ['proven', 'tls@tls-reporter.test'],
      ['forged', undefined],
    ] as const) {
      const domain = await register(api, `${suffix}.example`);
      const bytes = gzipSync(tlsJson(domain.domain, { successful: 7, failed: 3 }));
      const attachments = [{ name: 'r.json.gz', type: 'application/tlsrpt+gzip', bytes }];
      await send([domain.address], reportMail({ attachments, ...(from && { from }) }), from);
      const { summary } = await reportsOf(domain, { kind: 'tls' });
      expect(summary.totalReports).toBe(1);
      const { body } = await api.call('GET', `/api/v1/alerts?domainId=${domain.id}&severity=warning`);
      const failure = {
        type: 'report_failure',
        title: `TLS failures: ${domain.domain}`,
        metadata: { reportType: 'tls', passed: 7, failed: 3, failureRate: 30, authenticated: true },
      };
      expect(body.data).toMatchObject(from === undefined ? [] : [failure]);
    }
  });

  test('adds its selectors to the DKIM check', async () => {
    const domain = await register(api, 'test');
    await publish('signed.test', 'v=spf1 ip4:127.0.0.1 -all');
    await publish(`reported._domainkey.${domain.domain}`, 'v=DKIM1; p=');
    const rows = [{ count: 1, result: 'pass', selector: 'reported' }] as const;
    const message = dmarcMail({ domain: domain.domain, rows }, { from: 'dmarc@signed.test' });
    await send([domain.address], message, 'dmarc@signed.test');
    expect((await reportsOf(domain)).reports).toMatchObject([{ authenticated: true }]);
    const { body } = await api.call('POST', `/api/v1/domains/${domain.id}/checks`);
    const selectors = body.data.results.dkim.map(({ selector }: { selector: string }) => selector);
    expect(selectors).toContain('reported');
  });

  test('is accepted at the former domain of the mailboxes, and counts once', async () => {
    const domain = await register();
    const former = domain.address.replace(/@.*/, '@former.localhost');
    const message = dmarcMail({ domain: domain.domain });
    expect(await send([former], message)).toMatch(/^250/);
    expect((await reportsOf(domain)).summary.totalReports).toBe(1);
    expect(await send([former, domain.address], message)).toMatch(/^250/);
    expect(await replayed(domain, 2)).toContain('1  duplicate');
  });

  test('is rejected for an unknown mailbox, and after its domain was removed', async () => {
    expect(await send(['nobody@reports.localhost'], 'x')).toMatch(/^550 5\.1\.1/);
    const domain = await register();
    await send([domain.address], dmarcMail({ domain: domain.domain }));
    await api.call('DELETE', `/api/v1/domains/${domain.id}`);
    expect(await send([domain.address], dmarcMail({ domain: domain.domain }))).toMatch(/^550 5\.1\.1/);
  });

  const swaks = programNamed('swaks');
  (swaks ? test : test.skip)(`can come from swaks${swaks ? '' : ' (skipped: no swaks)'}`, async () => {
    const domain = await register();
    const file = join(useFolder('report'), 'reporter!report.xml.gz');
    writeFileSync(file, gzipSync(dmarcXml({ domain: domain.domain, rows: [{ count: 4, result: 'pass' }] })));
    const server = ['--server', '127.0.0.1', '--port', String(service.smtpPort)];
    const mail = ['--from', 'a@reporter.test', '--to', domain.address, '--attach-type', 'application/gzip'];
    await promisify(execFile)('swaks', [...server, ...mail, '--attach', `@${file}`]);
    expect((await reportsOf(domain)).summary).toMatchObject({ totalReports: 1, totalMessages: 4 });
  });
});

describe('mail that SMTP accepted', () => {
  test('is not lost if kill -9 comes before ingestion', async () => {
    const first = await useApi({});
    const domain = await register(first.api);
    const ids = Array.from({ length: 25 }, (_, n) => `r${n}`);
    const replies: string[] = [];
    for (const id of ids) {
      const message = dmarcMail({ domain: domain.domain, id });
      replies.push(await send([domain.address], message, undefined, first.service.smtpPort));
    }
    await first.service.end('SIGKILL');
    expect(replies.filter((reply) => !reply.startsWith('250'))).toEqual([]);

    const again = await useApi({ DATA_DIR: first.service.dataDir });
    const { summary } = await reportsOf(domain, { expected: ids.length, client: again.api });
    expect(summary.totalReports).toBe(ids.length);
  });
});

describe('a domain that is removed while mail arrives', () => {
  test('leaves no report, no outcome and no message', async () => {
    const own = await useApi({});
    const domain = await register(own.api);
    const sending = Array.from({ length: 30 }, (_, n) =>
      send(
        [domain.address],
        dmarcMail({ domain: domain.domain, id: `r${n}` }),
        undefined,
        own.service.smtpPort,
      ),
    );
    await Promise.race(sending);
    await own.api.call('DELETE', `/api/v1/domains/${domain.id}`);
    const replies = await Promise.all(sending);
    expect(replies.filter((reply) => !/^(?:250|550)/.test(reply))).toEqual([]);

    const left = () => [
      rowsIn(own.service.dataDir, 'queues.sqlite', 'messages'),
      rowsIn(own.service.dataDir, 'objects.sqlite', 'objects'),
      rowsIn(own.service.dataDir, 'table.sqlite', `items WHERE body LIKE '%DOMAIN#${domain.id}%'`),
    ];
    // A roll-up that meets the deletion is tried again after the visibility timeout of its queue.
    await until(() => left().every((n) => n === 0), { timeoutMilliseconds: 150_000 });
  });
});

describe('npm run admin, for reports', () => {
  test('replay ingests reports that were set aside after the setting changes', async () => {
    const own = await useApi({ UNAUTHENTICATED_REPORTS: 'set-aside' });
    const domain = await register(own.api);
    const message = dmarcMail({ domain: domain.domain });
    expect(await send([domain.address], message, undefined, own.service.smtpPort)).toMatch(/^250/);
    const replay = (environment: Record<string, string>) =>
      admin(own.service.dataDir, ['replay', domain.domain, '--outcome', 'set-aside'], environment);
    let before = '';
    await until(async () => {
      [, before] = await replay({ UNAUTHENTICATED_REPORTS: 'set-aside' });
      return before.includes('1 mail read again');
    });
    expect(before).toContain('1  set-aside');
    expect((await reportsOf(domain, { expected: 0, client: own.api })).summary.totalReports).toBe(0);

    const [code, output] = await replay({});
    expect([code, output.split('\n')]).toEqual([
      0,
      [`${domain.domain}: 1 mail read again, 1 with a different outcome`, '         1  accepted'],
    ]);
    expect((await reportsOf(domain, { client: own.api })).summary.totalReports).toBe(1);
    expect((await replay({}))[1]).toBe(`${domain.domain}: 0 mails read again, 0 with a different outcome`);
    // What is stored came with this very mail, so reading it once more is no duplicate.
    const again = (outcome: string, environment: Record<string, string> = {}) =>
      admin(own.service.dataDir, ['replay', domain.domain, '--outcome', outcome], environment);
    expect((await again('accepted'))[1]).toContain('1  accepted');

    // A report that is set aside later no longer counts.
    const [, after] = await again('all', { UNAUTHENTICATED_REPORTS: 'set-aside' });
    expect(after).toContain('1 mail read again, 1 with a different outcome');
    const { reports, summary } = await reportsOf(domain, { expected: 0, client: own.api });
    expect([reports, summary.totalReports, summary.totalMessages]).toEqual([[], 0, 0]);
  });

  test('import-reports reads files, folders, mbox and Maildir; a second import counts nothing twice', async () => {
    const domain = await register();
    const folder = useFolder('archive');
    const xml = (n: number) =>
      dmarcXml({ domain: domain.domain, id: `r${n}`, begin: yesterday - n * 86_400 });
    const mail = (n: number) =>
      reportMail({ attachments: [{ name: 'report.xml.gz', bytes: gzipSync(xml(n)) }] });
    const mbox = [2, 3].map(
      (n) => `From a@b.test Thu Jan  1 00:00:00 2026\n${mail(n).replaceAll('\r\n', '\n')}\n`,
    );
    mkdirSync(join(folder, 'Maildir/cur'), { recursive: true });
    writeFileSync(join(folder, 'plain.xml'), xml(0));
    writeFileSync(join(folder, 'packed.xml.gz'), gzipSync(xml(1)));
    writeFileSync(join(folder, 'archive.mbox'), mbox.join(''));
    writeFileSync(join(folder, 'Maildir/cur/1700000000.host:2,S'), mail(4));
    writeFileSync(join(folder, 'foreign.xml'), dmarcXml({ domain: 'victim.test' }));
    writeFileSync(join(folder, 'future.xml'), dmarcXml({ domain: domain.domain, begin: 32_503_680_000 }));
    writeFileSync(join(folder, 'notes.txt'), 'no report');

    const read = () => admin(service.dataDir, ['import-reports', domain.domain, folder]);
    const [code, output] = await read();
    expect([code, output.split('\n').slice(0, 5)]).toEqual([
      0,
      [
        `${domain.domain}: 7 files read`,
        '         5  accepted',
        '         1  wrong-domain',
        '         1  not-a-report',
        '         1  unreadable',
      ],
    ]);
    expect(output).toContain('future.xml: the period begins at 3000-01-01T00:00:00.000Z');
    expect(output).toContain('foreign.xml: the report is about victim.test');
    const day = (n: number) => new Date((yesterday - n * 86_400) * 1000).toISOString().slice(0, 10);
    expect(output).toContain(`startDate=${day(4)}&endDate=${day(0)}`);
    const [again, repeated] = await read();
    expect([again, repeated]).toEqual([0, expect.stringContaining('5  duplicate')]);
    expect((await reportsOf(domain, { expected: 5 })).summary.totalReports).toBe(5);
  });

  test('import-reports finishes with mails on which libraries hang', async () => {
    const domain = await register();
    const folder = useFolder('archive');
    const mails = Object.values(hangingMails);
    for (const [at, message] of mails.entries()) writeFileSync(join(folder, `${at}.eml`), message, 'latin1');
    const entries = [...mails, dmarcMail({ domain: domain.domain })].map(
      (one) => `From a@b.test\n${one}\n\n`,
    );
    writeFileSync(join(folder, 'archive.mbox'), entries.join(''), 'latin1');
    const [code, output] = await admin(service.dataDir, ['import-reports', domain.domain, folder]);
    const counts = [...output.matchAll(/^ +(\d+) {2}\S+$/gm)].map(([, count]) => Number(count));
    expect([code, output]).toEqual([0, expect.stringContaining('1  accepted\n')]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2 * mails.length + 1);
  });

  test('import-reports says in one line what it cannot read', async () => {
    const domain = await register();
    const [code, output] = await admin(service.dataDir, ['import-reports', domain.domain, '/nowhere/at/all']);
    expect([code, output]).toEqual([1, 'error: /nowhere/at/all cannot be read: no such file or directory']);
    const [none, reasons] = await admin(service.dataDir, ['import-reports', domain.domain, 'LICENSE']);
    expect([none, reasons]).toEqual([
      1,
      expect.stringMatching(/not-a-report:\n {2}- LICENSE: .+\n\nerror: no report was accepted$/),
    ]);
  });

  test.each([
    [['replay', 'nowhere.example'], 1, 'domain not found: nowhere.example'],
    [['replay'], 2, "missing required argument 'domain'"],
    [['replay', 'nowhere.example', '--outcome', 'lost'], 2, 'outcome: must be one of accepted'],
    [['import-reports', 'nowhere.example', '/nowhere'], 1, 'domain not found'],
  ])('%j is rejected', async (args, expected, reason) => {
    const [code, output] = await admin(service.dataDir, args);
    expect([code, output.includes(reason), output.includes('    at ')]).toEqual([expected, true, false]);
  });
});

function programNamed(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
