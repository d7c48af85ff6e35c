/** What happens in a simulated world: reports arrive, records change, owners look, and much goes wrong. */
import { gzipSync } from 'node:zlib';
import { dmarcXml, reportMail } from '../../kit/report-mails.ts';
import type { ZoneLiteral, ZoneNode } from '../../kit/zone.ts';
import type { Evaluate } from './code.ts';
import type { Customer, EndpointName, ScheduleName } from './process.ts';
import { sendMail } from './smtp-sender.ts';
import { noTrouble, troubleOf } from './trouble.ts';
import { World } from './world.ts';

const START = new Date('2026-03-02T10:00:00Z');
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** How long things go wrong. */
const TROUBLED = 2 * HOUR;
/** How long it may take until nothing is left to do: the longest retry of a delivery takes 12 hours. */
const LONGEST = 30 * HOUR;

export const SILENT = 'silent.example';
/** More than wait at the same time. */
const SILENT_MAILS = 36;

const looks: readonly EndpointName[] = ['listAlerts', 'listAttention', 'listDomains'];

/** A report, as its reporter sends it in one mail or several. */
export interface Report {
  readonly id: string;
  readonly domain: string;
  readonly begin: number;
  readonly counts: readonly number[];
  readonly reporter: string;
}

/** A mail, and what its sender knows about it. */
export interface SentMail {
  readonly subject: string;
  readonly report: Report | undefined;
  /** The mailboxes that the sender names. */
  readonly to: readonly string[];
  readonly from: string;
  /** How often the sender tried to deliver it. */
  attempts: number;
  /** When the service first said that it took it; undefined as long as it did not. */
  acceptedAt?: number;
}

export interface Story {
  readonly world: World;
  readonly customers: readonly Customer[];
  readonly mails: readonly SentMail[];
  /** What was seen with the token of a customer. */
  readonly seen: readonly { readonly organization: string; readonly body: string }[];
  /** Whether only peers were silent, and nothing else went wrong. */
  readonly isOnlySilent: boolean;
  /** Whether each process ended in time when it was told to stop. */
  readonly stops: readonly boolean[];
  /** Whether nothing was left to do in the end. */
  readonly isDone: boolean;
}

/** Lives through the world of a seed. The caller closes the world. */
export async function live(seed: number, evaluate: Evaluate): Promise<Story> {
  const world = new World(seed, START, evaluate);
  const { schedule, chance, below } = world;
  const pick = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const mails: SentMail[] = [];
  const seen: { organization: string; body: string }[] = [];
  const stops: boolean[] = [];
  let customers: readonly Customer[] = [];
  /** The DMARC record of each domain. */
  const policies = new Map<string, string | undefined>();
  const running = new Set<Promise<unknown>>();
  const start = (work: Promise<unknown>) => {
    const kept = work
      .catch((error) => {
        world.violations.push(`the story broke off: ${(error as Error).stack}`);
      })
      .finally(() => running.delete(kept));
    running.add(kept);
  };

  const kind = schedule.chance();
  const isOnlySilent = kind < 0.15;
  const places = 1 + below(8);
  const processes = kind > 0.6 ? 2 : 1;
  /** Whether records change, and are checked; otherwise only reports come. */
  const isMonitored = chance(0.4);

  world.publish(namesOf([]));
  start(world.boot(places));
  await schedule.until(() => running.size === 0, Number.MAX_SAFE_INTEGER);
  start(
    (async () => {
      const { machine, service } = await world.anyProcess();
      customers = await machine.run(async () => [
        await service.register(
          'alpha',
          ['alpha.example', 'alpha.test'],
          'https://hooks.alpha.example/h?key=alphahook',
        ),
        await service.register('beta', ['beta.example'], 'https://hooks.beta.example/h?key=betahook'),
      ]);
    })(),
  );
  await schedule.until(() => running.size === 0, schedule.time + HOUR);
  for (const { domains } of customers)
    for (const { domain, mailbox } of domains)
      policies.set(domain, `v=DMARC1; p=none; rua=mailto:${mailbox}`);
  const publish = () => world.publish(namesOf([...policies]));
  publish();
  if (isOnlySilent) world.silent = SILENT;
  else world.trouble = troubleOf(schedule.chance);
  world.skew = !isOnlySilent && chance(0.3) ? 10 * MINUTE : 0;
  schedule.note(`trouble ${JSON.stringify(world.trouble)}, ${processes} processes, ${places} places`);
  // Nobody waits for it: it may be killed before it has started.
  for (let n = 1; n < processes; n += 1) void world.boot(places);
  const begun = schedule.time;

  plan();
  await schedule.until(() => false, begun + TROUBLED);
  world.trouble = noTrouble;
  world.skew = 0;
  world.silent = '';
  world.disk.fill(false);
  for (const { machine } of [...world.processes]) if (machine.skew !== 0) machine.kill();
  const isDone = await settle();
  for (const process of [...world.processes]) {
    const { service, machine } = process;
    if (service === undefined) continue;
    let ended = false;
    start(
      machine
        .run(() => service.stop())
        .then(() => {
          ended = true;
        }),
    );
    stops.push(await schedule.until(() => ended, schedule.time + MINUTE));
  }
  return { world, customers, mails, seen, isOnlySilent, stops, isDone };

  /** Everything that is to happen, at times that the seed chooses. */
  function plan(): void {
    const at = (work: () => void) => schedule.after(below(TROUBLED), work);
    const domains = customers.flatMap((one) => one.domains);
    const reports: Report[] = Array.from({ length: 2 + below(5) }, (_, n) => {
      const { domain } = pick(domains);
      const day = Math.floor(START.getTime() / 86_400_000) - 1 - below(2);
      const counts = Array.from({ length: 1 + below(4) }, () => 1 + below(50));
      const reporter = `r${below(3)}.reporter.example`;
      return { id: `report-${n}`, domain, begin: day * 86_400, counts, reporter };
    });
    for (const report of reports) {
      const times = 1 + (chance(0.3) ? 1 : 0);
      for (let n = 0; n < times; n += 1) at(() => start(send(report)));
    }
    if (chance(0.4)) at(() => start(send(undefined)));
    if (isOnlySilent) at(burst);
    else if (chance(0.3)) at(() => start(send({ ...pick(reports), id: 'silent', reporter: SILENT })));
    for (let n = 0; n < 6; n += 1) {
      at(() => start(tick('gatherNotifications')));
      if (isMonitored) at(() => start(tick('sweepDueDomains')));
    }
    for (let n = 0; n < 4; n += 1) at(() => start(look()));
    for (let n = isMonitored ? 1 + below(2) : 0; n > 0; n -= 1)
      at(() => {
        const { domain, mailbox } = pick(domains);
        const policy = pick([undefined, `v=DMARC1; p=reject; rua=mailto:${mailbox}`, 'v=DMARC1; p=oops']);
        schedule.note(`${domain} publishes ${policy}`);
        policies.set(domain, policy);
        publish();
        schedule.after(HOUR + below(HOUR), () => {
          policies.set(domain, `v=DMARC1; p=none; rua=mailto:${mailbox}`);
          publish();
        });
      });
    if (!isOnlySilent && chance(0.3))
      at(() => {
        schedule.note('the disk is full');
        world.disk.fill(true);
        schedule.after(below(20 * MINUTE), () => {
          schedule.note('the disk has space');
          world.disk.fill(false);
        });
      });
  }

  /** Many mails of a sender whose DNS is silent come at once, and others between them. */
  function burst(): void {
    const { domain } = pick(customers.flatMap((one) => one.domains));
    const begin = Math.floor(START.getTime() / 86_400_000 - 1) * 86_400;
    for (let n = 0; n < SILENT_MAILS; n += 1) {
      const reporter = n % 6 === 5 ? 'r0.reporter.example' : `s${n}.${SILENT}`;
      const report = { id: `burst-${n}`, domain, begin, counts: [1], reporter };
      schedule.after(n * 200, () => start(send(report)));
    }
  }

  async function tick(name: ScheduleName): Promise<void> {
    const process = await world.anyProcess();
    await world.unlessKilled(process, () => process.service.tick(name, customers));
  }

  async function look(): Promise<void> {
    const { organization, token } = pick(customers);
    const process = await world.anyProcess();
    const name = pick(looks);
    const response = await world.unlessKilled(process, () =>
      process.service.request(name, token).catch(() => undefined),
    );
    if (response !== undefined) seen.push({ organization, body: response.body });
  }

  async function send(report: Report | undefined): Promise<void> {
    const all = customers.flatMap((one) => one.domains);
    const own = report === undefined ? pick(all) : all.find(({ domain }) => domain === report.domain);
    if (own === undefined) return;
    const others = chance(0.15) ? [pick(all).mailbox] : [];
    const reporter = report?.reporter ?? 'r0.reporter.example';
    const mail: SentMail = {
      subject: `mail ${mails.length + 1}`,
      report,
      to: [...new Set([own.mailbox, ...others])],
      from: `dmarc@${reporter}`,
      attempts: 0,
    };
    mails.push(mail);
    const bytes =
      report === undefined ? 'no report' : gzipSync(dmarcXml({ ...report, rows: rowsOf(report) }));
    const content = reportMail({
      ...{ from: mail.from, subject: mail.subject, date: START },
      attachments: [{ name: 'report.xml.gz', bytes }],
    });
    // A sender tries for days (RFC 5321 section 4.5.4.1).
    for (let pause = MINUTE; ; pause = Math.min(2 * pause, 15 * MINUTE)) {
      const process = await world.anyProcess();
      mail.attempts += 1;
      const outcome = await sendMail(schedule, process, {
        ...mail,
        content,
        address: reporter.endsWith(SILENT) ? `203.0.113.${1 + below(250)}` : SENDER_ADDRESS,
      });
      schedule.note(`${mail.subject}: ${outcome}`);
      if (outcome.startsWith('250')) {
        mail.acceptedAt ??= schedule.time;
        return;
      }
      if (outcome.startsWith('5')) {
        world.violations.push(`a mail to an existing mailbox was refused: ${outcome}`);
        return;
      }
      await schedule.pause(pause);
    }
  }

  /** Runs schedules until nothing is left to do. Returns whether that came. */
  async function settle(): Promise<boolean> {
    const end = schedule.time + LONGEST;
    const checkedUntil = schedule.time + 3 * HOUR;
    for (let round = 0; schedule.time < end; round += 1) {
      await schedule.until(() => false, schedule.time + 35 * MINUTE);
      start(tick('gatherNotifications'));
      // Where nothing changes, one check is enough to roll up what came.
      if (isMonitored || round === 0) start(tick('sweepDueDomains'));
      await schedule.until(() => running.size === 0, schedule.time + 5 * MINUTE);
      await schedule.until(() => false, schedule.time + 2 * MINUTE);
      const isIdle = world.messages().every(({ queue }) => queue.endsWith('-dead-letters'));
      const isPending = world.items().some(({ gsi1pk }) => /^PENDING#(?!plan)/.test(String(gsi1pk)));
      if (running.size === 0 && isIdle && !isPending && schedule.time >= checkedUntil) return true;
    }
    return false;
  }
}

export const rowsOf = ({ counts }: Report) =>
  counts.map((count, at) => ({ count, result: at % 2 === 0 ? ('pass' as const) : ('fail' as const) }));

/** The names of the world: reporters that are authenticated by SPF, and the domains with these DMARC records. */
function namesOf(policies: readonly (readonly [domain: string, record: string | undefined])[]): ZoneLiteral {
  const reporters = ['r0', 'r1', 'r2'].map((name): [string, ZoneNode] => [
    `${name}.reporter.example`,
    { TXT: [`v=spf1 ip4:${SENDER_ADDRESS} -all`] },
  ]);
  const domains = policies.flatMap(([domain, record]): [string, ZoneNode][] => [
    [domain, { SOA: [soaOf(domain)], MX: [[0, '.']], TXT: ['v=spf1 -all'] }],
    ...(record === undefined ? [] : [[`_dmarc.${domain}`, { TXT: [record] }] as [string, ZoneNode]]),
    [`${domain}._report._dmarc.reports.service.example`, { TXT: ['v=DMARC1'] }],
  ]);
  return Object.fromEntries([...reporters, ...domains]);
}

/** The address from which all reporters send. */
export const SENDER_ADDRESS = '198.51.100.7';

const soaOf = (domain: string) => ({
  mname: `ns.${domain}`,
  rname: `host.${domain}`,
  serial: 1,
  minimum: 300,
});
