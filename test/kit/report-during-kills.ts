/** Reads one report while the whole service is killed several times in a row, each time during the reading. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { QUEUES_FILE } from '../../lib/local/stores/files.ts';
import { openQueueStore, type QueueStore } from '../../lib/local/stores/queues/queue-store.ts';
import { startDnsServer } from './dns-server.ts';
import { difference, KillableService, type Registered, untilAfterKills } from './killable-service.ts';
import { dmarcMail } from './report-mails.ts';
import { randomNumbers } from './reports.ts';
import { sendMail } from './smtp-client.ts';

interface ReportDuringKills {
  readonly rows: number;
  readonly kills: number;
  readonly seed: number;
  /**
   * When a kill happens: while a lookup of the sender's domain is unanswered, or anywhere in the first half of the time
   * that reading the report takes.
   */
  readonly moment: 'asking' | 'any';
}

export interface ReportReading {
  readonly seconds: number;
  /** Kills during the reading: the mail was being handled and was not done. */
  readonly killsInReading: number;
  /** How long reading takes without kills; 0 if it was not measured. */
  readonly readingMilliseconds: number;
  /** Each difference between what was sent and what is stored. */
  readonly wrong: readonly string[];
}

/** A name that only the name servers of this test serve. */
const SENDER = 'slow.example';

/** The number of reports to try until reading one takes as long as measured. */
const MOST_REPORTS = 5;

/** Sends a mail with a large report, and kills the service several times while it reads the report. */
export async function reportDuringKills(plan: ReportDuringKills): Promise<ReportReading> {
  const started = Date.now();
  const silence = { behaviours: { [SENDER]: { drop: true }, [`_dmarc.${SENDER}`]: { drop: true } } } as const;
  const silent = await startDnsServer({}, silence);
  const answering = await startDnsServer({});
  const service = await KillableService.start(asking(answering));
  // Open beside the service, like that of an admin command.
  const queues = openQueueStore(join(service.dataDir, QUEUES_FILE), []);
  const deps = { plan, service, queues, random: randomNumbers(plan.seed) };
  try {
    let outcome: Omit<ReportReading, 'seconds'>;
    if (plan.moment === 'asking') {
      await service.kill();
      await service.start(asking(silent));
      outcome = { ...(await whileAsking(deps, { silent, answering })), readingMilliseconds: 0 };
    } else {
      outcome = await anywhere(deps);
    }
    return { ...outcome, seconds: Math.round((Date.now() - started) / 1000) };
  } finally {
    queues.close();
    await service.remove();
    await silent.stop();
    await answering.stop();
  }
}

type DnsServer = Awaited<ReturnType<typeof startDnsServer>>;

/** The environment of a service that uses this name server. */
const asking = ({ address, port }: DnsServer) => ({ DNS_SERVERS: `${address}:${port}` });

interface Parts {
  readonly plan: ReportDuringKills;
  readonly service: KillableService;
  readonly queues: QueueStore;
  readonly random: (below: number) => number;
}

type Round = Pick<ReportReading, 'killsInReading' | 'wrong'>;

async function whileAsking(
  deps: Parts,
  { silent, answering }: { silent: DnsServer; answering: DnsServer },
): Promise<Round> {
  const { plan, service } = deps;
  const domain = await service.register('killed.example');
  let asked = silent.queries.length;
  await handIn(deps, domain);
  let killsInReading = 0;
  for (let kill = 1; kill <= plan.kills; kill += 1) {
    await untilAfterKills('a lookup', () => silent.queries.length > asked);
    await service.kill();
    asked = silent.queries.length;
    if (!isDone(deps)) killsInReading += 1;
    await service.start(asking(kill === plan.kills ? answering : silent));
  }
  return { killsInReading, wrong: await differences(deps, domain) };
}

/**
 * If a mail is done before its last kill, because the machine was busier during the measurement, another one is sent.
 */
async function anywhere(deps: Parts): Promise<Omit<ReportReading, 'seconds'>> {
  const { plan, service, queues, random } = deps;
  const measured = await service.register('measured.example');
  await handIn(deps, measured);
  const began = Date.now();
  await untilAfterKills('the reading of a report', () => isDone(deps));
  const readingMilliseconds = Date.now() - began;
  const wrong = await differences(deps, measured);
  let span = readingMilliseconds / 2;
  let killsInReading = 0;
  for (let n = 1; n <= MOST_REPORTS && killsInReading < plan.kills; n += 1) {
    const domain = await service.register(`killed${n}.example`);
    await handIn(deps, domain);
    for (killsInReading = 0; killsInReading < plan.kills; killsInReading += 1) {
      await untilAfterKills('a receive', () => queues.counts('reports').inFlight > 0 || isDone(deps));
      await sleep(random(Math.ceil(span)));
      await service.kill();
      const isTooLate = isDone(deps);
      await service.start();
      if (isTooLate) break;
    }
    wrong.push(...(await differences(deps, domain)));
    span /= 2;
  }
  return { killsInReading, readingMilliseconds, wrong };
}

const isDone = ({ queues }: Parts): boolean =>
  Object.values(queues.counts('reports')).every((count) => count === 0);

const countOf = (row: number): number => 1 + (row % 7);

async function handIn({ plan, service }: Parts, { domain, address }: Registered): Promise<void> {
  const rows = Array.from({ length: plan.rows }, (_, row) => ({
    count: countOf(row),
    result: 'pass' as const,
  }));
  const from = `dmarc@${SENDER}`;
  const message = dmarcMail({ domain, rows }, { from });
  const reply = await sendMail(service.smtpPort, { from, to: [address], message });
  if (!reply.startsWith('250')) throw new Error(`the mail was not taken: ${reply}`);
}

/** Checks that the report is stored once with all its messages, and that there are no dead letters. */
async function differences({ plan, service }: Parts, domain: Registered): Promise<string[]> {
  const problems: string[] = [];
  const isStored = async () => (await service.sumsOf(domain)).totalReports > 0;
  await untilAfterKills('storing the report', isStored).catch((error) => problems.push(error.message));
  const { totalReports, totalMessages } = await service.sumsOf(domain);
  const messages = Array.from({ length: plan.rows }, (_, row) => countOf(row)).reduce((a, b) => a + b, 0);
  return [
    ...problems,
    ...difference(
      `sums of ${domain.domain}`,
      [`reports ${totalReports}`, `messages ${totalMessages}`],
      ['reports 1', `messages ${messages}`],
    ),
    ...(await service.deadLetters()),
  ];
}
