/**
 * The service as one process: its stores, SMTP listener, queue pollers and functions, composed as on one machine. It is
 * bundled, and evaluated once per simulated process, so that each has modules, a clock, timers and chance of its own.
 */
import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { handler as listAlerts } from '../../../functions/alerts/list.ts';
import { handler as listAttention } from '../../../functions/attention/list.ts';
import { handler as listDomains } from '../../../functions/domains/list.ts';
import { handler as queueReceivedMail } from '../../../functions/inbound-mail/queue.ts';
import { handler as drainDeletedDomain } from '../../../functions/maintenance/drain-deleted-domain.ts';
import { handler as resumeDeletions } from '../../../functions/maintenance/resume-deletions.ts';
import { handler as checkDomain } from '../../../functions/monitoring/check-domain.ts';
import { handler as sweepDueDomains } from '../../../functions/monitoring/sweep.ts';
import { handler as deliverNotification } from '../../../functions/notifications/deliver.ts';
import { handler as gatherNotifications } from '../../../functions/notifications/gather.ts';
import { handler as receiveReportMail } from '../../../functions/reports/receive.ts';
import { handler as rollUpSummaries } from '../../../functions/reports/roll-up.ts';
import { inboundMail, triggers } from '../../../functions/triggers.ts';
import { inTime, type LambdaHandler, type LocalFunction } from '../../../lib/local/host/invoke.ts';
import { lambdaContext } from '../../../lib/local/host/lambda-context.ts';
import { startPoller } from '../../../lib/local/host/poller.ts';
import { queueDefinitions } from '../../../lib/local/host/queue-definitions.ts';
import { readSettings } from '../../../lib/local/host/settings.ts';
import { startInboundMail } from '../../../lib/local/host/smtp/index.ts';
import { watchStorage } from '../../../lib/local/host/storage-watch.ts';
import { ensureTable } from '../../../lib/local/host/tables.ts';
import { accessTo } from '../../../lib/local/stores/access.ts';
import { startDynamoDb } from '../../../lib/local/stores/dynamodb/endpoint.ts';
import { startKms } from '../../../lib/local/stores/kms/endpoint.ts';
import { startQueuesAndObjects } from '../../../lib/local/stores/queues-and-objects.ts';
import { whileWanted } from '../../../shared/network/abandon.ts';
import { systemClock } from '../../../shared/network/clock.ts';
import { changeNotifications } from '../../../shared/operations/notifications/change-notifications.ts';
import { operatorFor } from '../../../shared/operations/operation.ts';
import { Refused } from '../../../shared/operations/outcome.ts';
import { createToken } from '../../../shared/operations/tokens/create-token.ts';
import { changeDependencies } from '../../../shared/runtime/dependencies/notifications.ts';
import { createLog } from '../../../shared/runtime/logging/log.ts';
import { queues } from '../../../shared/runtime/workers/trigger.ts';
import { notificationSettingsStore } from '../../../shared/store/alerts/notification-settings.ts';
import { awsAccess, reachAwsBy } from '../../../shared/store/aws-access.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { reportAddress } from '../../../shared/store/domains/report-address.ts';
import { NOTIFICATION_SHARDS, notificationShardOf } from '../../../shared/store/keys.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { openTable } from '../../../shared/store/table.ts';
import { reachPeersBy } from './peers.ts';
import type { ProcessPorts } from './ports.ts';

/** What runs without a request: queues by their names, and schedules. */
const workers = {
  ...{ drainDeletedDomain, resumeDeletions, queueReceivedMail, receiveReportMail, rollUpSummaries },
  ...{ sweepDueDomains, checkDomain, gatherNotifications, deliverNotification },
} as const;
const endpoints = { listAlerts, listAttention, listDomains } as const;

export type ScheduleName = 'resumeDeletions' | 'sweepDueDomains' | 'gatherNotifications';
export type EndpointName = keyof typeof endpoints;

/** An organization that uses the service, and what only it may see. */
export interface Customer {
  readonly organization: string;
  readonly token: string;
  readonly webhookSecret: string;
  readonly domains: readonly { readonly id: string; readonly domain: string; readonly mailbox: string }[];
}

export type SimulatedProcess = Awaited<ReturnType<typeof start>>;

const EVENTS = ['attention.opened', 'attention.closed'] as const;

/** Starts on what the stores of the world hold. */
export async function start(ports: ProcessPorts) {
  reachPeersBy(ports);
  const settings = readSettings(process.env);
  const log = createLog(settings.LOG_LEVEL);
  const disk = watchStorage({ path: '/data', requireFiles: () => {} }, log);
  const onFailure = disk.failed;
  const database = await startDynamoDb({ path: '/data/table.sqlite', onFailure });
  const storage = await startQueuesAndObjects({
    ...{ dataFolder: '/data', buckets: [settings.MAIL_BUCKET] },
    ...{ queues: queueDefinitions(Object.values(triggers)), onFailure },
    onDeadLetter: (message) => ports.deadLetter(message),
  });
  const kms = await startKms({ keyFile: '/data/secrets.key', signingKeyFile: '/data/signing.key' });
  disk.onRecovery(storage.recover);
  const isFull = () => disk.problem() !== undefined;
  Object.assign(process.env, {
    ...{ AWS_ENDPOINT_URL: storage.endpoint, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint },
    ...{ AWS_ENDPOINT_URL_KMS: kms.endpoint, AWS_REGION: 'us-east-1' },
    ...{ AWS_ACCESS_KEY_ID: 'simulation', AWS_SECRET_ACCESS_KEY: 'simulation' },
    ...Object.fromEntries(
      Object.entries(queues).map(([name, { urlKey }]) => [urlKey, storage.queueUrl(name)]),
    ),
  });
  // Here, requests fail on their way, which the SDK takes care of.
  reachAwsBy({ ...accessTo([database, storage, kms].map(ports.store)), documents: undefined });
  const client = new DynamoDBClient(awsAccess());
  await ensureTable(client, settings.TABLE_NAME);
  const table = openTable(settings.TABLE_NAME, client);
  const queueUrl = storage.queueUrl;
  const smtp = await startInboundMail(settings, Object.values(inboundMail), {
    ...{ table, queueUrl, log, certificate: undefined, isFull },
  });
  const pollers = Object.entries(workers).flatMap(([name, handler]) => {
    const { source } = handler.trigger;
    if (source.kind !== 'queue') return [];
    const { queue, batchSize, places } = source;
    return startPoller({
      ...{ client: new SQSClient(awsAccess()), queueUrl: queueUrl(queue), isPaused: isFull, log },
      ...{ batchSize, places: Math.min(places, ports.places), reportsFailures: true },
      handler: functionOf(name, handler as unknown as LambdaHandler, handler.trigger),
    });
  });
  const domains = domainStore(table);
  const organizations = organizationStore(table);

  return {
    /** Runs a schedule once. What notifies these organizations does nothing for others. */
    async tick(name: ScheduleName, customers: readonly Customer[]): Promise<void> {
      if (isFull()) return;
      const handler = workers[name];
      const run = functionOf(name, handler as unknown as LambdaHandler, handler.trigger);
      const parts = new Set(customers.map(({ organization }) => notificationShardOf(organization)));
      const events =
        name === 'gatherNotifications'
          ? [...parts].map((part) => ({ part, parts: NOTIFICATION_SHARDS }))
          : [{}];
      for (const event of events)
        await run.invoke(event).catch((error) => log.error('handler failed', { function: name, error }));
    },

    /** Sends a request to an endpoint; returns its response. */
    async request(name: EndpointName, token: string): Promise<{ statusCode: number; body: string }> {
      const run = functionOf(name, endpoints[name] as unknown as LambdaHandler, {
        ...{ timeoutSeconds: 30, memoryMegabytes: 256 },
      });
      return (await run.invoke(eventOf(token))) as { statusCode: number; body: string };
    },

    async register(id: string, names: readonly string[], webhookUrl: string): Promise<Customer> {
      const now = systemClock.now();
      await organizations.create(id, now, id);
      const caller = operatorFor(id);
      const issued = await createToken(
        caller,
        { name: 'simulation', scope: 'admin' },
        {
          ...{ organizations, notifications: notificationSettingsStore(table), clock: systemClock },
          label: settings.SERVICE_LABEL,
        },
      );
      if (issued instanceof Refused) throw new Error(issued.message);
      const mail = { address: `owner@${id}.example`, threshold: 'info', digest: 'off' } as const;
      const changed = await changeNotifications(
        caller,
        { mail, webhook: { url: webhookUrl, threshold: 'info', format: 'json', events: [...EVENTS] } },
        changeDependencies(),
      );
      if (changed instanceof Refused) throw new Error(`${changed.code}: ${changed.message}`);
      const registered = [];
      for (const domain of names) {
        const given = { domain, usageType: 'sends-only', testEmailLocalPart: null } as const;
        const outcome = await domains.register(id, given, 10, now);
        if (outcome.status !== 'registered') throw new Error(outcome.status);
        const verified = await domains.markVerified(outcome.domain, now);
        if (verified === undefined) throw new Error('the domain is gone');
        const mailbox = reportAddress(verified, settings.REPORTS_DOMAIN);
        registered.push({ id: verified.id, domain, mailbox });
      }
      return {
        organization: id,
        token: issued.value.token,
        webhookSecret: changed.value.newSecret ?? '',
        domains: registered,
      };
    },

    smtpPort: smtp.port,

    /** Ends what takes work, then what it needs. */
    async stop(): Promise<void> {
      await Promise.all([smtp.stop(), ...pollers.map((poller) => poller.stop())]);
      disk.stop();
      await kms.stop();
      await storage.stop();
      await database.stop();
    },
  };

  function functionOf(
    name: string,
    handler: LambdaHandler,
    { timeoutSeconds, memoryMegabytes }: { timeoutSeconds: number; memoryMegabytes: number },
  ): LocalFunction {
    return {
      name,
      invoke(event, signal = new AbortController().signal) {
        const endsAt = Date.now() + timeoutSeconds * 1000;
        const context = lambdaContext({ functionName: name, memoryMegabytes, endsAt });
        return inTime(
          name,
          timeoutSeconds,
          whileWanted(signal, () => handler(event, context)),
        );
      },
    };
  }
}

/** What API Gateway passes on of a GET request. */
function eventOf(token: string) {
  return {
    ...{
      version: '2.0',
      routeKey: '$default',
      rawPath: '/api/v1',
      rawQueryString: '',
      isBase64Encoded: false,
    },
    headers: { host: 'localhost', authorization: `Bearer ${token}` },
    requestContext: {
      ...{ accountId: '000000000000', apiId: 'local', domainName: 'localhost', domainPrefix: 'local' },
      http: { method: 'GET', path: '/api/v1', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' },
      ...{
        requestId: randomUUID(),
        routeKey: '$default',
        stage: '$default',
        time: '',
        timeEpoch: Date.now(),
      },
    },
  };
}
