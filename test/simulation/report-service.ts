/**
 * What raises alerts and keeps attention items: the handlers of report mail, roll-ups and check runs, with their stores on an
 * embedded table, in the order of a simulated clock.
 */

import { gzipSync } from 'node:zlib';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { handler as checkHandler } from '../../functions/monitoring/check-domain.ts';
import { handler as mailHandler } from '../../functions/reports/receive.ts';
import { handler as rollUpHandler } from '../../functions/reports/roll-up.ts';
import type { DomainKind } from '../../shared/alerts/attention-kind.ts';
import { nextPolicyOf } from '../../shared/enforcement/next-policy.ts';
import { smtpOff } from '../../shared/network/smtp-off.ts';
import type { Dns } from '../../shared/protocol/dns.ts';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config/config.ts';
import { reportStores } from '../../shared/runtime/dependencies/report-stores.ts';
import type { Queue } from '../../shared/runtime/workers/queue.ts';
import { digestPlanStore } from '../../shared/store/alerts/digest-plans.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { blocklistingStore } from '../../shared/store/check-runs/blocklistings.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { evidenceStore } from '../../shared/store/check-runs/evidence.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { monitorStateStore } from '../../shared/store/check-runs/monitor-states.ts';
import { registrationStore } from '../../shared/store/check-runs/registrations.ts';
import { sharedKeyStore } from '../../shared/store/check-runs/shared-keys.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import type { DomainReference } from '../../shared/store/domains/domain.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { ownershipStore } from '../../shared/store/domains/ownership.ts';
import { reportAddress } from '../../shared/store/domains/report-address.ts';
import { scheduleStore } from '../../shared/store/domains/schedule.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { domainSumsStore } from '../../shared/store/reports/domain-sums.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { changesOn } from '../kit/attention.ts';
import { reportMail } from '../kit/report-mails.ts';
import { registerDomain } from '../kit/reports.ts';
import { emptyTable } from '../kit/table.ts';
import { fakeWeb } from '../kit/web.ts';
import { type ZoneLiteral, zone } from '../kit/zone.ts';

const kept = { retentionDays: 400 };
const CHECK_INTERVAL_SECONDS = 86_400;
const SECOND = 1000;
/** The time from a report to its roll-up. */
const ROLL_UP_SECONDS = 60;
/** The address from which all reporters send. */
const SENDER_ADDRESS = '192.0.2.7';
const settings = readEnvironment(environmentSchema, {});
const naming = {
  hostUrl: 'https://m.example',
  serviceLabel: 'svc',
  reportsDomain: settings.REPORTS_DOMAIN,
  formerReportsDomains: [],
};

/** The domain of a message to the queue `summaries`. */
const rollUpMessage = z.object({
  domain: z.object({ organization: z.string(), id: z.string(), domain: z.string() }),
});

interface ArrivedReport {
  /** The authenticated domain of the mail. */
  readonly reporter: string;
  /** Of the message. */
  readonly id: string;
  readonly report: string;
  /** The name of the attachment, which is compressed. */
  readonly file?: string;
  /** Whether the mail comes from where the reporter's domain sends none. */
  readonly isForged?: boolean;
}

/** An attention item, and when it was opened and closed. */
interface ItemSeen {
  readonly domain: string;
  readonly kind: DomainKind;
  readonly openedAt: Date;
  closedAt?: Date;
}

/**
 * @param published What the domains have in DNS at the current time.
 * @param makeTable Makes the empty table.
 */
export async function startReportService(start: Date, published: () => ZoneLiteral, makeTable = emptyTable) {
  let now = start;
  const clock = { now: () => now };
  const table = await makeTable(clock);
  const { id: organization } = await organizationStore(table).create('An organization', start);
  const agenda: { readonly at: Date; readonly work: () => Promise<unknown> }[] = [];
  const items: ItemSeen[] = [];
  const ofReporters = new Map<string, ZoneLiteral[string]>();
  let mail = '';

  let answers = zone({});
  const dns: Dns = { lookup: (name, type) => answers.lookup(name, type) };
  const checkContext = { network: { dns, web: fakeWeb({}), smtp: smtpOff, clock }, trustAnchors: [] };
  const stores = reportStores(table, kept, async (domain, due) =>
    inSeconds(ROLL_UP_SECONDS, () => handle(rollUp, { domain, ...due }, domain)),
  );
  const { alerts, selectors } = stores;
  const [domains, decisions, summaries] = [domainStore(table), decisionStore(table), summaryStore(table)];
  const [checks, history] = [checkStore(table), historyStore(table, kept)];
  const [nextPolicies, notifications] = [nextPolicyStore(table), notificationSettingsStore(table)];
  const attention = changesOn(table);

  const rollUpQueue: Queue = {
    send: async (message) => {
      const { domain } = rollUpMessage.parse(message);
      inSeconds(0, () => handle(rollUp, message, domain));
    },
    sendBatch: async () => [],
    size: async () => 0,
  };

  const receive = mailHandler.with({
    ...{ domains, stores, dns, clock, settings, record: () => {} },
    raw: { read: async () => Buffer.from(mail), remove: async () => {} },
    postpone: async () => {},
  });
  const rollUp = rollUpHandler.with({
    ...{ summaries, sums: domainSumsStore(table, kept), decisions, alerts, domains, clock },
    queue: rollUpQueue,
    enforcement: { checks, history, selectors, nextPolicies, attention },
  });
  const check = checkHandler.with({
    ...{
      domains,
      schedule: scheduleStore(table),
      naming,
      clock,
      checkContext,
      freshCheckContext: () => checkContext,
    },
    blocklists: { zones: new Map(), stored: blocklistingStore(table), summaries, decisions, attention },
    registration: { registrations: undefined, stored: registrationStore(table), attention },
    deps: {
      evidence: evidenceStore(table, kept),
      ...{ checks, history, selectors, monitorStates: monitorStateStore(table, alerts), attention },
      sharedKeys: sharedKeyStore(table),
      compliance: complianceSettingsStore(table),
      summaries,
      ...{ organizations: organizationStore(table), notifications, digestPlans: digestPlanStore(table) },
      isReady: async (domain, results, at) =>
        (await nextPolicyOf(domain, results, { nextPolicies, decisions }, at)) !== null,
      settings: {
        ...{ scoreThreshold: 70, confirmAfterSeconds: 60 },
        ...{ reportsDomain: naming.reportsDomain, formerReportsDomains: [] },
      },
      scheduleConfirmation: async (domain, seenAt, seconds) => {
        const { organization: owner, id } = domain;
        inSeconds(seconds, () => handle(check, { organization: owner, id, seenAt }, domain));
      },
      onCheckRun: () => {},
    },
    proof: { ownership: ownershipStore(table), notifications, intervalSeconds: CHECK_INTERVAL_SECONDS },
    watch: { summaries, decisions, history, alerts, attention },
    summaries: rollUpQueue,
  });

  function inSeconds(seconds: number, work: () => Promise<unknown>): void {
    agenda.push({ at: new Date(now.getTime() + seconds * SECOND), work });
  }

  async function handle(
    handler: (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>,
    message: object,
    domain: DomainReference,
  ): Promise<void> {
    answers = zone({ ...published(), ...Object.fromEntries(ofReporters) });
    const attributes = { ApproximateReceiveCount: '1', SentTimestamp: String(now.getTime()) };
    const Records = [{ messageId: 'm', body: JSON.stringify(message), attributes }];
    const context = { getRemainingTimeInMillis: () => 60_000 };
    const { batchItemFailures } = await handler(
      { Records } as unknown as SQSEvent,
      context as unknown as Context,
    );
    if (batchItemFailures.length > 0) throw new Error(`failed: ${JSON.stringify(message)}`);
    if (handler !== receive) await noteItems(domain);
  }

  async function noteItems({ id, domain }: DomainReference): Promise<void> {
    const open = new Set((await attention.open(id)).map(({ kind }) => kind));
    for (const item of items.filter((one) => one.domain === domain && one.closedAt === undefined))
      if (!open.delete(item.kind)) item.closedAt = now;
    for (const kind of open) items.push({ domain, kind, openedAt: now });
  }

  return {
    decisions,
    async register(name: string): Promise<Domain> {
      const registered = await registerDomain(table, organization, name, now, { usageType: 'sends-only' });
      const verified = await domains.markVerified(registered, now);
      if (verified === undefined) throw new Error('the domain is gone');
      return verified;
    },
    mailboxOf: (domain: Domain) => reportAddress(domain, naming.reportsDomain),
    /** The scheduled check run of a day. */
    check: (domain: Domain) => {
      const { organization: owner, id } = domain;
      return handle(check, { organization: owner, id, dueAt: now.toISOString() }, domain);
    },
    /** Receives a mail with a report. */
    receive(
      domain: Domain,
      { reporter, id, report, file = 'report.xml.gz', isForged = false }: ArrivedReport,
    ): Promise<void> {
      ofReporters.set(reporter, { TXT: [isForged ? 'v=spf1 -all' : `v=spf1 ip4:${SENDER_ADDRESS} -all`] });
      const attachments = [{ name: file, bytes: gzipSync(report) }];
      mail = `Return-Path: <a@${reporter}>\r\nReceived: from mx.${reporter} (unknown [${SENDER_ADDRESS}])\r\n by inbound-smtp.us-east-1.amazonaws.com with SMTP id ${id}\r\n for x;\r\n date\r\n${reportMail({ from: `dmarc@${reporter}`, attachments })}`;
      const recipients = [reportAddress(domain, naming.reportsDomain)];
      const arrived = { messageId: id, receivedAt: now, recipients, rawKey: `reports/${id}`, verdicts: null };
      return handle(receive, arrived, domain);
    },
    /** Plans work at a time. */
    plan: (at: Date, work: () => Promise<unknown>): void => {
      agenda.push({ at, work });
    },
    /** Does everything that is planned until then, and what that leads to, in the order of time. */
    async runUntil(end: Date): Promise<void> {
      for (;;) {
        const [next] = agenda.sort((a, b) => a.at.getTime() - b.at.getTime());
        if (next === undefined || next.at >= end) break;
        agenda.shift();
        now = next.at;
        await next.work();
      }
      now = end;
    },
    /** The attention items so far. */
    items: (): readonly ItemSeen[] => items,
    /** The alerts from `since` on. */
    async alerts(since: Date) {
      const period = { since: since.toISOString(), until: now.toISOString() };
      return (await alerts.inPeriod(organization, period, now)).alerts;
    },
    table,
    organization,
    stop: () => table.stop(),
  };
}
