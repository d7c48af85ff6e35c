/**
 * What a slow or hostile peer does to the others on one machine: each figure beside the same one without it, in one run. See
 * docs/abuse.md.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createTransport } from 'nodemailer';
import { triggers } from '../../functions/triggers.ts';
import { startExampleInternet } from '../../lib/local/example-internet/index.ts';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import { systemClock } from '../../shared/network/clock.ts';
import { createResolver } from '../../shared/network/resolver.ts';
import { semaphore } from '../../shared/network/semaphore.ts';
import { smtpOff } from '../../shared/network/smtp-off.ts';
import { synthesize } from '../kit/assembly/synthesize.ts';
import { type DnsServer, startDnsServer } from '../kit/dns-server.ts';
import { dmarcMail, dmarcXml, reportMail } from '../kit/report-mails.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import type { ZoneLiteral } from '../kit/zone.ts';
import { call, median, registered, reportsOf } from './measuring.ts';
import type { BenchRow } from './row.ts';

const SILENT_MAILS = 1000;
const SILENT_TESTS = 20;
const CHECKED = 300;
const SILENT_CHECKED = 30;

/** Checks that one machine runs at the same time. */
const PLACES = triggers.checkDomain.source.places;

const silentName = (n: number) => `silent${n}.example`;
const healthyName = (n: number) => `healthy${n}.example`;

/** A resolver that answers for healthy domains and never for silent ones. */
function world(): Promise<DnsServer> {
  const literal: Record<string, ZoneLiteral[string]> = { example: {} };
  for (let n = 0; n < SILENT_MAILS; n += 1)
    for (const label of ['', '_dmarc.', '_mta-sts.', '_smtp._tls.', 'default._bimi.'])
      literal[`${label}${silentName(n)}`] = 'TIMEOUT';
  for (let n = 0; n < CHECKED; n += 1) {
    literal[healthyName(n)] = { TXT: ['v=spf1 ip4:127.0.0.1 -all'], MX: [[10, `mx.${healthyName(n)}`]] };
    literal[`_dmarc.${healthyName(n)}`] = { TXT: ['v=DMARC1; p=reject'] };
    literal[`mx.${healthyName(n)}`] = { A: ['192.0.2.1'] };
  }
  return startDnsServer(literal, { negativeTtl: 60, delayMilliseconds: 20 });
}

export async function benchAbuse(): Promise<readonly BenchRow[]> {
  const dns = await world();
  try {
    return [
      ...(await withService(dns, behindSilentSenders)),
      ...(await withService(dns, behindSilentTests)),
      ...(await onDeployedFunctions(dns)),
      ...(await besideSilentDomains(dns)),
      ...(await withService(dns, besidePages)),
      ...(await withService(dns, besideSlowInput, {
        NODE_OPTIONS: `--import=${new URL('../kit/slow-expressions.mjs', import.meta.url).href}`,
      })),
    ];
  } finally {
    await dns.stop();
  }
}

async function withService(
  dns: DnsServer,
  measure: (service: BootedService) => Promise<readonly BenchRow[]>,
  environment: Record<string, string> = {},
): Promise<readonly BenchRow[]> {
  const service = await bootService({
    ...{ DNS_SERVERS: `${dns.address}:${dns.port}`, API_RATE_PER_MINUTE: '0', TOOL_RATE_PER_MINUTE: '0' },
    ...{ DOMAIN_LIMIT: '1000', ...environment },
  });
  try {
    return await measure(service);
  } finally {
    await service.remove();
  }
}

/** The bundles of a deployment, which read mails in batches, with the embedded queues in place of fair queues. */
async function onDeployedFunctions(dns: DnsServer): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), 'assembly-'));
  try {
    await synthesize(folder);
    const rows = await withService(dns, behindSilentSenders, { CLOUD_ASSEMBLY: folder });
    return rows.map((row) => ({ ...row, name: `${row.name}, with the functions of a deployment` }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ratioRow = (name: string, [disturbed, alone]: readonly [number, number], most: number): BenchRow => ({
  name,
  value: `${disturbed.toFixed(2)} s, undisturbed ${alone.toFixed(2)} s: ${(disturbed / alone).toFixed(1)} times`,
  goal: `at most ${most} times`,
  met: disturbed / alone <= most,
});

async function behindSilentSenders(service: BootedService): Promise<readonly BenchRow[]> {
  const [mine, other] = [
    await registered(service, 'mine.example'),
    await registered(service, 'other.example'),
  ];
  const send = mailer(service);
  let reports = 0;
  const healthy = async (): Promise<number> => {
    reports += 1;
    const report = { domain: mine.domain, id: `r${reports}` };
    const start = performance.now();
    await send(
      mine.address,
      healthyName(reports),
      dmarcMail(report, { from: `dmarc@${healthyName(reports)}` }),
    );
    const stored = reports;
    await until(async () => (await reportsOf(service, mine.id)) === stored, patient);
    return (performance.now() - start) / 1000;
  };
  await healthy();
  const alone = await medianOf(healthy);
  const turn = semaphore(20);
  await Promise.all(
    Array.from({ length: SILENT_MAILS }, (_, n) =>
      turn(() =>
        send(
          other.address,
          silentName(n),
          dmarcMail({ domain: other.domain, id: `s${n}` }, { from: `dmarc@${silentName(n)}` }),
        ),
      ),
    ),
  );
  const behind = await medianOf(healthy);
  const waiting = SILENT_MAILS - (await reportsOf(service, other.id));
  return [
    ratioRow(
      `A report mail behind ${SILENT_MAILS} mails whose senders' DNS is silent (${waiting} were not read yet)`,
      [behind, alone],
      2,
    ),
  ];
}

async function behindSilentTests(service: BootedService): Promise<readonly BenchRow[]> {
  const send = mailer(service);
  const message = (from: string) => `From: a@${from}\r\nSubject: test\r\n\r\nbody\r\n`;
  const open = async () =>
    (await (await fetch(`${service.url}/api/inbound-tester/sessions`, { method: 'POST' })).json()) as {
      testId: string;
      email: string;
    };
  const healthy = async (from: string): Promise<number> => {
    const { testId, email } = await open();
    const start = performance.now();
    await send(email, from, message(from));
    const session = `${service.url}/api/inbound-tester/sessions/${testId}`;
    const status = async () => ((await (await fetch(session)).json()) as { status: string }).status;
    await until(async () => (await status()) === 'completed', patient);
    return (performance.now() - start) / 1000;
  };
  await healthy(healthyName(1));
  const alone = await medianOf(() => healthy(healthyName(2)));
  for (let n = 0; n < SILENT_TESTS; n += 1) {
    const { email } = await open();
    await send(email, silentName(n), message(silentName(n)));
  }
  const behind = await medianOf(() => healthy(healthyName(3)));
  return [ratioRow(`A mail test behind ${SILENT_TESTS} whose senders' DNS is silent`, [behind, alone], 2)];
}

/** With the resolver, the forwarder and the number of places that the service uses on one machine. */
async function besideSilentDomains(dns: DnsServer): Promise<readonly BenchRow[]> {
  const internet = await startExampleInternet({ forwardTo: [dns] });
  const [address = '', port] = internet.dnsServers.split(':');
  const check = async (names: readonly string[]) => {
    const resolver = createResolver({ servers: [{ address, port: Number(port) }], clock: systemClock });
    const web = {
      get: async ({ url }: { url: string }) =>
        ({ status: 'absent', reason: 'no-address', evidence: { url, milliseconds: 0 } }) as const,
    };
    const network = { dns: resolver, clock: systemClock, smtp: smtpOff, web };
    const turn = semaphore(PLACES);
    const started = performance.now();
    const healthy: { readonly seconds: number; readonly end: number; readonly isUnknown: boolean }[] = [];
    await Promise.all(
      names.map((domain) =>
        turn(async () => {
          const start = performance.now();
          const results = await inspectDomain(
            { domain, testEmailLocalPart: null, knownSelectors: [] },
            { network, trustAnchors: [] },
          );
          if (!domain.startsWith('healthy')) return;
          const isUnknown = [results.spf, results.dmarc, results.mtaSts].some(
            ({ state }) => state === 'unknown',
          );
          const now = performance.now();
          healthy.push({ seconds: (now - start) / 1000, end: (now - started) / 1000, isUnknown });
        }),
      ),
    );
    const seconds = healthy.map((one) => one.seconds).toSorted((a, b) => a - b);
    return {
      median: seconds[Math.floor(seconds.length / 2)] ?? 0,
      last: Math.max(...healthy.map(({ end }) => end)),
      unknown: healthy.filter(({ isUnknown }) => isUnknown).length,
    };
  };
  const healthyNames = Array.from({ length: CHECKED - SILENT_CHECKED }, (_, n) => healthyName(n));
  // Spread evenly, as due times are.
  const mixed = healthyNames.flatMap((name, at) => (at % 9 === 0 ? [silentName(at), name] : [name]));
  try {
    const alone = await check(healthyNames);
    const beside = await check(mixed);
    const what = `${healthyNames.length} domains beside ${mixed.length - healthyNames.length} silent ones`;
    return [
      {
        name: `Unknown checks of ${what}`,
        value: `${beside.unknown}, undisturbed ${alone.unknown}`,
        goal: 'none',
        met: beside.unknown === 0,
      },
      ratioRow(`The median check of ${what}`, [beside.median, alone.median], 1.5),
      ratioRow(`All checks of ${what}, ${PLACES} at a time`, [beside.last, alone.last], 2),
    ];
  } finally {
    await internet.stop();
  }
}

async function besidePages(service: BootedService): Promise<readonly BenchRow[]> {
  await registered(service, 'mine.example');
  const alone = await slowestRead(service, 100);
  const rows: BenchRow[] = [];
  for (const connections of [5, 100]) {
    const stop = repeat(`${service.url}/docs`, connections);
    const beside = await slowestRead(service, 100);
    const perSecond = await stop();
    const name = `GET /domains beside ${connections} connections that repeat GET /docs (${perSecond.toFixed(0)} a second), 95th percentile`;
    rows.push({
      name,
      value: `${beside.toFixed(0)} ms, undisturbed ${alone.toFixed(0)} ms`,
      goal: 'at most 200 ms',
      met: beside <= 200,
    });
  }
  return rows;
}

async function besideSlowInput(service: BootedService): Promise<readonly BenchRow[]> {
  const { id, address } = await registered(service, 'slow.example');
  const alone = await slowestRead(service, 50);
  const names = `<a${'\u00a0'.repeat(60_000)}`.repeat(100);
  const xml = dmarcXml({ domain: 'slow.example' }).replace('<record>', `<extra>${names}</extra>$&`);
  const bytes = gzipSync(xml);
  await mailer(service)(address, healthyName(1), reportMail({ attachments: [{ name: 'r.xml.gz', bytes }] }));
  const zone = `$TTL ${'0'.repeat(60)}x\n@ A 192.0.2.1\n`;
  // It is refused.
  const preview = call(service, 'POST', `/domains/${id}/checks/preview`, { zone }).catch(() => undefined);
  const beside = await slowestRead(service, 50);
  await preview;
  return [
    {
      name: 'GET /domains while a preview and a report mail occupy expressions that are slow again, 95th percentile',
      value: `${beside.toFixed(0)} ms, undisturbed ${alone.toFixed(0)} ms`,
      goal: 'below 200 ms',
      met: beside < 200,
    },
  ];
}

const mailer = ({ smtpPort }: BootedService) => {
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    ignoreTLS: true,
    pool: true,
    maxConnections: 20,
  });
  return async (to: string, from: string, raw: string): Promise<void> => {
    await transport.sendMail({ envelope: { from: `dmarc@${from}`, to }, raw });
  };
};

/** The median of five measurements, one after the other. */
async function medianOf(measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  while (values.length < 5) values.push(await measure());
  return median(values);
}

const patient = { timeoutMilliseconds: 300_000, intervalMilliseconds: 50 };

/** The 95th percentile of reads one after the other, in milliseconds. */
async function slowestRead({ url, token }: BootedService, reads: number): Promise<number> {
  const times: number[] = [];
  for (let read = 0; read < reads; read += 1) {
    const start = performance.now();
    const answer = await fetch(`${url}/api/v1/domains`, { headers: { authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`GET /domains: ${answer.status}`);
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(reads * 0.95)] ?? 0;
}

/** Repeats a GET on so many connections. The returned function ends this and returns the answers per second. */
function repeat(url: string, connections: number): () => Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let isOn = true;
  let answers = 0;
  const start = performance.now();
  const one = () =>
    new Promise<void>((resolve) => {
      get(url, { agent }, (response) => {
        response.on('end', () => resolve());
        response.resume();
        answers += 1;
      }).on('error', () => resolve());
    });
  const loops = Array.from({ length: connections }, async () => {
    while (isOn) await one();
  });
  return async () => {
    isOn = false;
    await Promise.all(loops);
    agent.destroy();
    return (answers * 1000) / (performance.now() - start);
  };
}
