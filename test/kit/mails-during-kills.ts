/**
 * Delivers mails and webhooks while the whole service is killed repeatedly. Every wait is for a condition. A seed
 * decides the moments of the kills, counted from the progress of the work.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthority } from './certificates.ts';
import { type Page, startHttpsHost } from './https-host.ts';
import { difference, KillableService, type Registered, untilAfterKills } from './killable-service.ts';
import { dmarcMail } from './report-mails.ts';
import { randomNumbers } from './reports.ts';
import { sendMail } from './smtp-client.ts';

/** The deliveries that the webhook received: the bodies of each, in every repetition. */
class Receiver {
  readonly deliveries = new Map<string, string[]>();

  /** Receives a delivery and responds after up to `milliseconds`, so that kills fall into it. */
  page(random: (below: number) => number, milliseconds: number): Page {
    return async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      const id = String(request.headers['x-domain-monitor-delivery']);
      this.deliveries.set(id, [...(this.deliveries.get(id) ?? []), body]);
      await sleep(random(milliseconds + 1));
      response.writeHead(204).end();
    };
  }

  /** The deliveries that contained each alert. */
  alerts(): Map<string, Set<string>> {
    const alerts = new Map<string, Set<string>>();
    for (const [delivery, bodies] of this.deliveries) {
      for (const body of bodies) {
        for (const { id } of JSON.parse(body).alerts)
          alerts.set(id, new Set([...(alerts.get(id) ?? []), delivery]));
      }
    }
    return alerts;
  }
}

interface MailsDuringKills {
  readonly mails: number;
  readonly kills: number;
  readonly seed: number;
  /** The maximum time until the webhook responds. */
  readonly webhookMilliseconds: number;
}

interface MailsOutcome {
  readonly seconds: number;
  /** Sessions that a kill cut off; their mails were sent again. */
  readonly cutOff: number;
  /** Each difference between what was sent and what is stored or was delivered to the webhook. */
  readonly wrong: readonly string[];
  readonly alerts: number;
  readonly deliveries: number;
  /** Deliveries that arrived more than once, each time with the same id. */
  readonly repeated: number;
}

/** Few enough that a domain raises an alert about each new reporter, though nothing authenticates the mails. */
const MAILS_OF_DOMAIN = 10;
const SENDERS = 4;
/** The maximum delay of a kill after a certain amount of progress. */
const MOST_DELAY_MILLISECONDS = 400;
/** How long a sender waits before it sends a mail again. */
const PAUSE_MILLISECONDS = 100;

/** Sends mails with one report each, each of which raises an alert, and kills the service meanwhile. */
export async function mailsDuringKills(plan: MailsDuringKills): Promise<MailsOutcome> {
  const started = Date.now();
  const random = randomNumbers(plan.seed);
  const folder = mkdtempSync(join(tmpdir(), 'kills-'));
  const authority = createAuthority();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, authority.cert);
  const receiver = new Receiver();
  const pages = { '/in': receiver.page(random, plan.webhookMilliseconds) };
  const host = await startHttpsHost(authority.issue(['hook.example']), pages);
  const service = await KillableService.start({
    EXTRA_CA_FILE: ca,
    DIAL_MAP: `hook.example:443=127.0.0.1:${host.port}`,
    // Schedules run as often as checks.
    CHECK_INTERVAL_SECONDS: '1',
  });
  try {
    await service.admin('notify', 'webhook', 'default', 'https://hook.example/in');
    const mails = await mailsFor(service, plan.mails);
    const senders = new Senders(service, mails);
    for (let kill = 1; kill <= plan.kills; kill += 1) {
      const enough = Math.floor((mails.length * kill) / (plan.kills + 1));
      await untilAfterKills(`taking ${enough} mails`, () => senders.taken >= enough);
      await sleep(random(MOST_DELAY_MILLISECONDS));
      await service.kill();
      await service.start();
    }
    await untilAfterKills('taking all mails', () => senders.taken === mails.length);
    const wrong = [
      ...(await whatNeverHappens(service, receiver, mails)),
      ...(await differencesInReports(service, mails)),
      ...(await differencesInAlerts(service, receiver, mails.length)),
      ...(await service.deadLetters()),
    ];
    return {
      seconds: Math.round((Date.now() - started) / 1000),
      cutOff: senders.cutOff,
      wrong,
      alerts: receiver.alerts().size,
      deliveries: receiver.deliveries.size,
      repeated: [...receiver.deliveries.values()].filter((bodies) => bodies.length > 1).length,
    };
  } finally {
    await service.remove();
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Mail {
  readonly n: number;
  readonly domain: Registered;
}

/** The number of messages in a mail's report; different for every mail. */
const messagesOf = ({ n }: Mail): number => 1_000 + n;

/** Mails to the mailboxes of several domains in turn. */
async function mailsFor(service: KillableService, count: number): Promise<Mail[]> {
  const mails: Mail[] = [];
  const domains = Math.ceil(count / MAILS_OF_DOMAIN);
  for (let first = 0; first < domains; first += 1) {
    const domain = await service.register(`d${first}.example`);
    for (let n = first; n < count; n += domains) mails.push({ n, domain });
  }
  return mails.toSorted((a, b) => a.n - b.n);
}

/** Clients that send mails until each is accepted with 250. They end with the service. */
class Senders {
  taken = 0;
  cutOff = 0;
  readonly #service: KillableService;
  readonly #waiting: Mail[];

  constructor(service: KillableService, mails: readonly Mail[]) {
    this.#service = service;
    this.#waiting = [...mails];
    for (let n = 0; n < SENDERS; n += 1) this.#send();
  }

  async #send(): Promise<void> {
    for (let mail = this.#waiting.shift(); mail !== undefined; mail = this.#waiting.shift()) {
      while (!(await this.#isTaken(mail))) {
        if (this.#service.isRemoved) return;
        await sleep(PAUSE_MILLISECONDS);
      }
      this.taken += 1;
    }
  }

  async #isTaken(mail: Mail): Promise<boolean> {
    const { domain, address } = mail.domain;
    const rows = [{ count: messagesOf(mail), result: 'pass' }] as const;
    const message = dmarcMail({ domain, id: `r${mail.n}`, reporter: `Reporter ${mail.n}`, rows });
    try {
      return (await sendMail(this.#service.smtpPort, { to: [address], message })).startsWith('250');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') this.cutOff += 1;
      return false;
    }
  }
}

/** Waits until everything is done. Returns what is missing at the end. */
async function whatNeverHappens(
  service: KillableService,
  receiver: Receiver,
  mails: readonly Mail[],
): Promise<string[]> {
  const problems: string[] = [];
  const wait = (what: string, isTrue: () => boolean | Promise<boolean>) =>
    untilAfterKills(what, isTrue).catch((error) => problems.push(error.message));
  const domains = [...new Set(mails.map(({ domain }) => domain))];
  await wait('storing all reports', async () => {
    const sums = await Promise.all(domains.map((domain) => service.sumsOf(domain)));
    return sums.reduce((sum, { totalReports }) => sum + totalReports, 0) >= mails.length;
  });
  await wait('delivering all alerts', () => receiver.alerts().size >= mails.length);
  await wait(
    'the end of all deliveries',
    async () => !(await service.admin('notify', 'show', 'default')).includes('not delivered yet'),
  );
  return problems;
}

/** Checks that every report is listed once, and that every sum matches its reports. */
async function differencesInReports(service: KillableService, mails: readonly Mail[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const [domain, own] of Map.groupBy(mails, (mail) => mail.domain)) {
    const pages = await service.pages(`/domains/${domain.id}/reports/dmarc`);
    const listed: { reportId: string; totalCount: number }[] = pages.flatMap(({ reports }) => reports);
    const shown = listed.map(({ reportId, totalCount }) => `${reportId}: ${totalCount}`).toSorted();
    const expected = own.map((mail) => `r${mail.n}: ${messagesOf(mail)}`).toSorted();
    wrong.push(...difference(`reports of ${domain.domain}`, shown, expected));
    const messages = own.reduce((sum, mail) => sum + messagesOf(mail), 0);
    const { totalReports, totalMessages } = await service.sumsOf(domain);
    const { data } = await service.api('GET', `/domains/${domain.id}/reports/dmarc/sources`);
    const sums = [totalReports, totalMessages, data.summary.messages].join(' ');
    const right = [own.length, messages, messages].join(' ');
    wrong.push(
      ...difference(`reports, messages and messages by source of ${domain.domain}`, [sums], [right]),
    );
  }
  return wrong;
}

/** Checks that each alert was raised once and is in one delivery, and that repeated deliveries are identical. */
async function differencesInAlerts(
  service: KillableService,
  receiver: Receiver,
  expected: number,
): Promise<string[]> {
  const raised: string[] = (await service.pages('/alerts')).flat().map(({ id }) => id);
  const alerts = receiver.alerts();
  return [
    ...(raised.length === expected ? [] : [`${raised.length} alerts were raised, not ${expected}`]),
    ...difference('alerts at the webhook', [...alerts.keys()].toSorted(), raised.toSorted()),
    ...[...alerts].flatMap(([id, ids]) =>
      ids.size === 1 ? [] : [`alert ${id} came in ${ids.size} deliveries`],
    ),
    ...[...receiver.deliveries].flatMap(([id, bodies]) =>
      new Set(bodies).size === 1 && bodies.every((body) => JSON.parse(body).id === id)
        ? []
        : [`delivery ${id} came with different bodies`],
    ),
  ];
}
