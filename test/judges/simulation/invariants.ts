/** What holds in the end of every simulated world, whatever went wrong in it. */
import { gunzipSync } from 'node:zlib';
import { organizationalDomain } from '../../../shared/protocol/domain-name.ts';
import type { Customer } from './process.ts';
import type { SentMail, Story } from './scenario.ts';
import { SILENT } from './scenario.ts';

type Item = Readonly<Record<string, unknown>>;

/** Longer than any healthy mail waits while others wait for a silent peer, in milliseconds. */
const MOST_DELAYED = 8_000;

/** Returns what does not hold. */
export function violationsOf(story: Story): string[] {
  const { world, isDone, stops } = story;
  const items = world.items();
  return [
    ...world.violations,
    ...(isDone ? [] : ['something was left to do']),
    ...(stops.every(Boolean) ? [] : ['a stop did not end']),
    ...story.customers.flatMap((customer) => [
      ...mailsOf(story, customer, items),
      ...sumsOf(customer, items),
      ...alertsOf(story, customer, items),
      ...attentionOf(story, customer, items),
      ...mixedWith(story, customer),
      ...secretsOf(story, customer),
    ]),
    ...(story.isOnlySilent ? delaysOf(story) : []),
  ];
}

const partition = (items: readonly Item[], pk: string, prefix: string): Item[] =>
  items.filter((item) => item.pk === pk && String(item.sk).startsWith(prefix));

/** Every accepted mail has exactly one outcome, or waits for the operator as a dead letter. */
function mailsOf({ world, mails }: Story, { domains }: Customer, items: readonly Item[]): string[] {
  const problems: string[] = [];
  const objects = world.objects();
  const dead = world
    .messages()
    .filter(({ queue }) => queue.endsWith('-dead-letters'))
    .map(({ body }) => body);
  for (const { id, domain, mailbox } of domains) {
    const stored = partition(items, `DOMAIN#${id}`, 'MAIL#');
    for (const { rawKey, outcomes } of stored) {
      const count = Array.isArray(outcomes) ? outcomes.length : 0;
      if (count !== 1) problems.push(`${domain}: a mail has ${count} outcomes`);
      if (!objects.has(String(rawKey))) problems.push(`${domain}: the message of a mail is gone`);
    }
    for (const mail of mails.filter(({ to }) => to.includes(mailbox))) {
      const found = stored.filter(({ rawKey }) => isContent(objects.get(String(rawKey)), mail));
      const letters = [...objects].filter(
        ([key, content]) => isContent(content, mail) && dead.some((body) => body.includes(key)),
      );
      if (mail.acceptedAt !== undefined && found.length + letters.length === 0)
        problems.push(`${domain}: ${mail.subject} was accepted and has no outcome`);
      if (found.length > mail.attempts)
        problems.push(
          `${domain}: ${mail.subject} has ${found.length} outcomes after ${mail.attempts} attempts`,
        );
      if (found.length > 0 && letters.length === 0)
        for (const { outcomes } of found)
          if (JSON.stringify(outcomes).includes('"not-read"'))
            problems.push(`${domain}: ${mail.subject} was not read, and is no dead letter`);
    }
  }
  return problems;
}

const isContent = (content: string | undefined, { subject }: SentMail): boolean =>
  content?.includes(`Subject: ${subject}\r\n`) === true;

/** Each accepted report is stored once, as it was sent, and sums of days, roll-ups and organizations equal the reports. */
function sumsOf({ organization, domains }: Customer, items: readonly Item[]): string[] {
  const problems: string[] = [];
  for (const { id, domain } of domains) {
    const own = `DOMAIN#${id}`;
    const reports = partition(items, own, 'DMARC#');
    const days = partition(items, own, 'DMARCDAY#');
    const rollUps = partition(items, own, 'DMARCROLLUP#');
    const accepted = new Set(
      partition(items, own, 'MAIL#').flatMap(({ outcomes }) =>
        (outcomes as { kind: string; report: { id: string } | null }[]).flatMap(({ kind, report }) =>
          /^(accepted|duplicate)/.test(kind) && report !== null ? [report.id] : [],
        ),
      ),
    );
    const stored = new Set(reports.map(({ sk }) => String(sk).split('#')[2] ?? ''));
    for (const report of accepted)
      if (!stored.has(report))
        problems.push(`${domain}: the report ${report} was accepted and is not stored`);
    if (stored.size !== reports.length) problems.push(`${domain}: a report is stored twice`);
    for (const day of new Set(
      [...reports, ...days].map(({ sk }) => String(sk).split('#')[1]?.slice(0, 10) ?? ''),
    )) {
      const ofDay = reports.filter(({ sk }) => String(sk).startsWith(`DMARC#${day}`));
      const sums = days.find(({ sk }) => sk === `DMARCDAY#${day}`);
      const rolled = rollUps.find(({ sk }) => sk === `DMARCROLLUP#${day}`);
      const waiting = Object.entries(sums ?? {}).filter(([name]) => /^T.*#/.test(name));
      const parts = Object.values((rolled?.parts ?? {}) as Record<string, number[]>);
      const equal = (what: string, found: number, expected: number) => {
        if (found !== expected) problems.push(`${domain} ${day}: ${what}: ${found} and not ${expected}`);
      };
      equal('reports', Number(sums?.reports), ofDay.length);
      for (const name of ['passed', 'failed'] as const) equal(name, Number(sums?.[name]), total(ofDay, name));
      equal('rolled up or waiting', added(parts, 0) + waiting.length, ofDay.length);
      const sumsWaiting = waiting.map(([, counts]) => [1, ...(counts as number[])]);
      equal('passed, rolled up', added([...parts, ...sumsWaiting], 1), total(ofDay, 'passed'));
      equal('failed, rolled up', added([...parts, ...sumsWaiting], 2), total(ofDay, 'failed'));
    }
    const kept = partition(items, `SUMS#${organization}`, `DOMAIN#${id}`)[0];
    const summed = summedMessages(kept);
    const sent = total(reports, 'passed') + total(reports, 'failed');
    if (kept !== undefined && summed !== sent)
      problems.push(`${domain}: the organization has ${summed} messages and not ${sent}`);
    if (kept === undefined && sent > 0) problems.push(`${domain}: the organization has no sums`);
  }
  return problems;
}

/** The sums of a domain are packed, as `shared/store/reports/domain-sums.ts` stores them. */
function summedMessages(kept: Item | undefined): number {
  if (kept === undefined) return 0;
  const sums: { days: { messages: number }[] } = JSON.parse(
    gunzipSync(Buffer.from(String(kept.sums), 'base64')).toString(),
  );
  return sums.days.reduce((sum, { messages }) => sum + messages, 0);
}

const total = (items: readonly Item[], name: string): number =>
  items.reduce((sum, item) => sum + Number(item[name]), 0);

const added = (parts: readonly (readonly number[])[], at: number): number =>
  parts.reduce((sum, part) => sum + (part[at] ?? 0), 0);

interface PostedBody {
  readonly id: string;
  readonly organization: string;
  readonly alerts: readonly { readonly id: string }[];
  readonly events?: readonly PostedEvent[];
}

interface PostedEvent {
  readonly id: string;
  readonly type: string;
  readonly attentionId: string;
  readonly createdAt: string;
}

/** What a customer's webhook got. What came again with the same ID counts once. */
function postedTo({ world }: Story, { organization }: Customer): PostedBody[] {
  const bodies = world.posts
    .filter(({ url }) => new URL(url).hostname === `hooks.${organization}.example`)
    .map(({ body }): PostedBody => JSON.parse(body));
  return [...new Map(bodies.map((body) => [body.id, body])).values()];
}

/** An alert is raised once for one reason, and is in exactly one delivery. */
function alertsOf(story: Story, customer: Customer, items: readonly Item[]): string[] {
  const problems: string[] = [];
  const posted = postedTo(story, customer).flatMap(({ alerts }) => alerts.map(({ id }) => id));
  for (const { id, domain } of customer.domains) {
    const alerts = partition(items, `DOMAIN#${id}`, 'ALERT#');
    for (const alert of alerts) {
      const times = posted.filter((one) => one === alert.id).length;
      if (times !== 1) problems.push(`${domain}: the alert "${alert.title}" is in ${times} deliveries`);
    }
    const reasons = alerts
      .filter(({ type }) => type === 'new_report' || type === 'report_failure')
      .map(({ type, metadata }) => {
        const { reporter, reporterDomain, day } = metadata as Record<string, string | null | undefined>;
        // Anyone can state the name of a reporter, so that names and authenticated domains are kept apart.
        const who = reporterDomain ? organizationalDomain(reporterDomain) : `name ${reporter}`;
        return type === 'new_report' ? `${type} ${who}` : `${type} ${day}`;
      });
    for (const reason of new Set(reasons)) {
      const times = reasons.filter((one) => one === reason).length;
      if (times !== 1) problems.push(`${domain}: ${times} alerts for the reason ${reason}`);
    }
    const changes = alerts.filter(({ type }) => type === 'dns_change').map(changeOf);
    const repeated = changes.find((change, at) => at > 0 && changes[at - 1] === change);
    if (repeated !== undefined) problems.push(`${domain}: the same change is alerted twice: ${repeated}`);
  }
  return problems;
}

const changeOf = ({ title, message }: Item): string =>
  `${title}: ${/^Removed.*?Added: \S+ \S+/s.exec(String(message))?.[0] ?? message}`;

/** An attention item opens and closes once, and what is open in the end was opened. */
function attentionOf(story: Story, customer: Customer, items: readonly Item[]): string[] {
  const problems: string[] = [];
  const events = postedTo(story, customer).flatMap(({ events: some = [] }) => some);
  const ids = events.map(({ id }) => id);
  if (new Set(ids).size !== ids.length)
    problems.push(`${customer.organization}: an event is in two deliveries`);
  const pks = [`ORG#${customer.organization}`, ...customer.domains.map(({ id }) => `DOMAIN#${id}`)];
  const open = items.filter(({ pk, sk }) => pks.includes(String(pk)) && String(sk).startsWith('ATTENTION#'));
  const names = new Set(events.map(({ attentionId }) => attentionId));
  let stillOpen = 0;
  for (const name of names) {
    const of = (type: string) => events.filter((one) => one.attentionId === name && one.type === type).length;
    const [opened, closed] = [of('attention.opened'), of('attention.closed')];
    if (opened !== closed && opened !== closed + 1)
      problems.push(
        `${customer.organization}: ${name} was opened ${opened} times and closed ${closed} times`,
      );
    stillOpen += opened - closed;
  }
  if (stillOpen !== open.length)
    problems.push(
      `${customer.organization}: ${open.length} items are open, and ${stillOpen} by their events`,
    );
  return problems;
}

/** Nothing of an organization is shown to another one. */
function mixedWith(story: Story, customer: Customer): string[] {
  const others = story.customers.filter((one) => one !== customer);
  const foreign = others.flatMap(({ organization, domains }) => [
    `"${organization}"`,
    ...domains.flatMap(({ id, domain, mailbox }) => [id, domain, mailbox]),
  ]);
  const { organization } = customer;
  const shown = [
    ...story.seen.filter((one) => one.organization === organization).map(({ body }) => body),
    ...story.world.posts.filter(({ url }) => url.includes(`hooks.${organization}.`)).map(({ body }) => body),
    ...story.world.mails
      .filter(({ to }) => to === `owner@${organization}.example`)
      .map(({ subject, text, html }) => `${subject} ${text} ${html}`),
  ];
  return foreign
    .filter((name) => shown.some((text) => text.includes(name)))
    .map((name) => `${organization} was shown ${name}`);
}

/** No secret is in any log. */
function secretsOf({ world }: Story, { organization, token, webhookSecret }: Customer): string[] {
  const secrets = { token, webhookSecret, 'URL of the webhook': `key=${organization}hook` };
  const logs = world.machines.map(({ output }) => output.join(''));
  return Object.entries(secrets).flatMap(([name, secret]) =>
    secret === '' || logs.some((log) => log.includes(secret))
      ? [`a log has the ${name} of ${organization}`]
      : [],
  );
}

/** One silent peer never delays another: mails of others are read as soon as they come. */
function delaysOf({ world, mails }: Story): string[] {
  const kept = new Map(
    world.machines
      .flatMap(({ output }) => output)
      .filter((line) => line.includes('"message":"mail"'))
      .map((line): { messageId: string; time: string } => JSON.parse(line))
      .map(({ messageId, time }) => [`reports/${messageId}`, Date.parse(time)]),
  );
  return mails
    .filter(({ from }) => !from.endsWith(SILENT))
    .flatMap((mail) => {
      const [key] = [...world.objects()].find(([, content]) => isContent(content, mail)) ?? [];
      const readAt = kept.get(key ?? '') ?? Number.POSITIVE_INFINITY;
      const late = readAt - (mail.acceptedAt ?? 0);
      return late > MOST_DELAYED ? [`${mail.subject} waited ${late} ms for others`] : [];
    });
}
