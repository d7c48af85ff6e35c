/**
 * Opens the stores that an operator command uses: those of a deployment, or those in the data folder.
 *
 * Longer than 350 lines: what commands need is listed once, for a deployment and for this machine.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { keepSums } from '../../shared/enforcement/organization-sums.ts';
import { systemClock } from '../../shared/network/clock.ts';
import { createDialer } from '../../shared/network/dialer.ts';
import { createResolver, systemServers } from '../../shared/network/resolver.ts';
import { describeMailTransport } from '../../shared/notify/mail-transport.ts';
import { dayAt } from '../../shared/protocol/time.ts';
import { daysBefore } from '../../shared/reports/day.ts';
import { ownDomains } from '../../shared/runtime/config/config.ts';
import { reportStores } from '../../shared/runtime/dependencies/report-stores.ts';
import { messageBody } from '../../shared/runtime/workers/message.ts';
import type { QueueName } from '../../shared/runtime/workers/trigger.ts';
import { queues as queueTable } from '../../shared/runtime/workers/trigger.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { channelStore } from '../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { attentionChanges } from '../../shared/store/attention-changes.ts';
import { recordAudit } from '../../shared/store/audit.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { evidenceStore } from '../../shared/store/check-runs/evidence.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { domainCheckShareStore } from '../../shared/store/domain-checks.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import { fetchedMailboxStore, mailboxSecretStore } from '../../shared/store/fetched-mailboxes.ts';
import { memberStore } from '../../shared/store/members.ts';
import { layoutProblem } from '../../shared/store/migrations/layout.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { exactRateStore } from '../../shared/store/rates/exact-rates.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { rawMessages, type WritableRawMessages } from '../../shared/store/raw-messages.ts';
import type { RollUpMessage } from '../../shared/store/reports/days.ts';
import { dmarcReportStore } from '../../shared/store/reports/dmarc-reports.ts';
import { domainSumsStore, summedWindow } from '../../shared/store/reports/domain-sums.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { cipherOnDemand } from '../../shared/store/secrets.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { spfShareStore } from '../../shared/store/spf-shares.ts';
import { openTable } from '../../shared/store/table.ts';
import { readAddresses } from '../local/host/addresses.ts';
import { requireFiles } from '../local/host/data-folder.ts';
import { startCommand } from '../local/host/release.ts';
import { readSettings, type Settings } from '../local/host/settings.ts';
import { ensureTable } from '../local/host/tables.ts';
import { accessTo } from '../local/stores/access.ts';
import { startDynamoDb } from '../local/stores/dynamodb/endpoint.ts';
import { DataFolderError, OBJECTS_FILE, QUEUES_FILE, TABLE_FILE } from '../local/stores/files.ts';
import { KEY_FILE, openKeyFile } from '../local/stores/kms/key-file.ts';
import { localCipher } from '../local/stores/kms/local-cipher.ts';
import { newSessionToken } from '../local/stores/loopback-server.ts';
import { contentFacts, type ObjectStore, openObjectStore } from '../local/stores/objects/object-store.ts';
import { type Queues, startQueues } from '../local/stores/queues/endpoint.ts';
import { deadLettersOf } from '../local/stores/queues/queue-store.ts';
import { CommandError, UsageError } from '../terminal/command-line.ts';
import type { AdminDependencies, QueueAccess, StoredObject } from './command.ts';
import { type Deployment, deploymentOf, type Place, type Setting } from './deployment.ts';
import { localService, localUrl } from './local-service.ts';
import { progressOn } from './progress.ts';

export interface OpenedDependencies {
  readonly deps: Omit<AdminDependencies, 'setExitCode'>;
  close(): Promise<void>;
}

/**
 * @throws CommandError for invalid arguments or a table of another layout, ConfigError for a malformed environment, DataFolderError if the data
 * folder contains no service.
 */
export async function openAdminDependencies(
  place: Place,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenedDependencies> {
  const deployment = await deploymentOf(place, environment);
  const opened =
    deployment === undefined
      ? await openLocal(environment)
      : openDeployed(deployment, readSettings(environment));
  const problem = await layoutProblem(opened.deps.table);
  if (problem === undefined) return opened;
  await opened.close();
  throw new CommandError(problem);
}

function openDeployed(
  { table, bucket, secretsKey, region, setting, mailTransport, hostUrl, queueUrls }: Deployment,
  settings: Settings,
): OpenedDependencies {
  const where = region === undefined ? {} : { region };
  const client = new DynamoDBClient(where);
  const mailBucket = () => {
    if (bucket === undefined) throw new UsageError('--bucket is required: the bucket of received mail');
    return { bucket, client: new S3Client(where) };
  };
  const raw = () => {
    const { bucket, client } = mailBucket();
    return rawMessages(bucket, client);
  };
  async function objectsSince(Prefix: string, since: Date): Promise<readonly StoredObject[]> {
    const { bucket, client } = mailBucket();
    const found: StoredObject[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix }))
      for (const { Key: key = '', LastModified: storedAt = since } of Contents)
        if (storedAt >= since) found.push({ key, storedAt });
    return found;
  }
  const cipher = cipherOnDemand(async () => {
    if (secretsKey === undefined)
      throw new CommandError('the key of the secrets is unknown: use --outputs, or set SECRETS_KEY');
    const { KMSClient } = await import('@aws-sdk/client-kms');
    const { kmsCipher } = await import('../../shared/store/kms-cipher.ts');
    return kmsCipher(secretsKey, new KMSClient(where));
  });
  let sqs: SQSClient | undefined;
  const queues = async () => {
    sqs ??= new SQSClient(where);
    return { client: sqs, urlsOf: queueUrls };
  };
  const on = (name: string): OpenedDependencies['deps'] => {
    const table = openTable(name, client);
    const deployment = () => ({ client, on, objectsSince });
    const stores = {
      table,
      cipher,
      raw,
      queues,
      hostUrl,
      mailTransport,
      service: noLocalService,
      deployment,
    };
    return dependenciesOf(
      { ...stores, shownUrl: hostUrl },
      setting,
      // No deployment dials addresses that are not public.
      { ...settings, PRIVATE_ADDRESSES: 'deny' },
    );
  };
  return {
    deps: on(table),
    async close() {
      client.destroy();
      sqs?.destroy();
    },
  };
}

async function openLocal(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenedDependencies> {
  const { DATA_DIR } = readSettings(environment);
  // Names are looked up as the running service does it, which may serve some of them itself.
  const settings = readSettings({ ...environment, ...readAddresses(DATA_DIR)?.internet });
  const { TABLE_NAME, MAIL_BUCKET } = settings;
  const path = join(DATA_DIR, TABLE_FILE);
  if (!existsSync(path)) {
    throw new DataFolderError(
      `DATA_DIR ${resolve(DATA_DIR)} contains no service: create one with "${startCommand()}", or select a deployment with --outputs`,
    );
  }
  requireFiles(resolve(DATA_DIR));
  // The running service can have the same database open; SQLite handles the locking.
  const sessionToken = newSessionToken();
  const database = await startDynamoDb({ path, sessionToken });
  const anyone = {
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local', sessionToken },
  };
  const client = new DynamoDBClient({ ...anyone, endpoint: database.endpoint, ...accessTo([database]) });
  await ensureTable(client, TABLE_NAME);
  let objects: ObjectStore | undefined;
  const raw = (): WritableRawMessages => {
    objects ??= openObjectStore(join(DATA_DIR, OBJECTS_FILE), [MAIL_BUCKET]);
    return rawMessagesIn(objects, MAIL_BUCKET);
  };
  let opened: Queues | undefined;
  const queues = async (): Promise<QueueAccess> => {
    opened ??= await startQueues(join(DATA_DIR, QUEUES_FILE), deadLetterQueues, sessionToken);
    const { endpoint, queueUrl } = opened;
    return {
      client: new SQSClient({ ...anyone, endpoint }),
      urlsOf: (queue) => ({ queue: queueUrl(queue), deadLetters: queueUrl(deadLettersOf(queue)) }),
    };
  };
  const hostUrl = () => environment.HOST_URL || localUrl(settings);
  return {
    deps: dependenciesOf(
      {
        table: openTable(TABLE_NAME, client),
        cipher: cipherOnDemand(async () => localCipher(openKeyFile(join(DATA_DIR, KEY_FILE)))),
        raw,
        queues,
        hostUrl,
        shownUrl: () => (readAddresses(DATA_DIR) === undefined ? settings.HOST_URL : hostUrl()),
        mailTransport() {
          const mail = readAddresses(DATA_DIR)?.mail;
          return mail && describeMailTransport(mail);
        },
        service: () => localService(settings),
        deployment: noDeployment,
      },
      (key) => settings[key],
      settings,
    ),
    async close() {
      objects?.close();
      await opened?.stop();
      await database.stop();
    },
  };
}

function noLocalService(): never {
  throw new UsageError('this command needs the service on this machine: leave out --outputs and --table');
}

function noDeployment(): never {
  throw new UsageError('this command needs a deployment: select one with --outputs');
}

/** Commands receive from dead letters only, whose messages go no further however often that is. */
const deadLetterQueues = Object.keys(queueTable).map((name) => ({
  name,
  maxReceiveCount: Number.POSITIVE_INFINITY,
  visibilityTimeoutSeconds: 0,
}));

interface Stores
  extends Pick<
    AdminDependencies,
    'table' | 'cipher' | 'raw' | 'queues' | 'service' | 'hostUrl' | 'mailTransport' | 'deployment'
  > {
  /** The base URL of the service in what is shown; also known if the service is not running. */
  readonly shownUrl: () => string;
}

/** `setting` is the service's; resolvers are this machine's own. */
function dependenciesOf(
  { shownUrl, ...stores }: Stores,
  setting: Setting,
  own: Settings,
): OpenedDependencies['deps'] {
  const { table, cipher, queues } = stores;
  const { DNS_SERVERS, PRIVATE_ADDRESSES, DIAL_MAP, EXTRA_CA_FILE } = own;
  const clock = systemClock;
  const dns = () =>
    createResolver({ servers: DNS_SERVERS.length > 0 ? DNS_SERVERS : systemServers(), clock });
  /** Sends a message to a queue of the service. */
  async function sendTo(name: QueueName, message: object, delaySeconds = 0): Promise<void> {
    const { client, urlsOf } = await queues();
    const to = { QueueUrl: urlsOf(name).queue, DelaySeconds: delaySeconds };
    await client.send(new SendMessageCommand({ ...to, MessageBody: messageBody(message) }));
  }
  const receivingDomains = () =>
    ownDomains({
      REPORTS_DOMAIN: setting('REPORTS_DOMAIN'),
      FORMER_REPORTS_DOMAINS: setting('FORMER_REPORTS_DOMAINS', []),
      TESTER_DOMAIN: setting('TESTER_DOMAIN'),
      FORMER_TESTER_DOMAINS: setting('FORMER_TESTER_DOMAINS', []),
    });
  const retention = () => ({ retentionDays: setting('RETENTION_DAYS') });
  return {
    ...stores,
    organizations: organizationStore(table),
    members: memberStore(table),
    domains: domainStore(table),
    notifications: channelStore(table, cipher),
    deliveries: deliveryStore(table),
    mailboxes: fetchedMailboxStore(table),
    mailboxSecrets: mailboxSecretStore(table, cipher),
    mailboxRuns: { send: (message) => sendTo('mailboxes', message) },
    attention: attentionChanges(table, notificationSettingsStore(table)),
    async mailboxConnections() {
      const { connectionsOver } = await import('../../shared/mailboxes/connections.ts');
      const dialer = createDialer({ dns: dns(), privateAddresses: PRIVATE_ADDRESSES, dialMap: DIAL_MAP });
      const extraCa = EXTRA_CA_FILE && readFileSync(EXTRA_CA_FILE, 'utf8');
      return connectionsOver(dialer, extraCa, clock);
    },
    rates: rateStore(table),
    sessions: sessionStore(table),
    shares: { spf: spfShareStore(table), check: domainCheckShareStore(table) },
    allowPrivateAddresses: PRIVATE_ADDRESSES === 'allow',
    clock,
    progress: progressOn(process.stderr),
    setting,
    ownDomains: receivingDomains,
    stores: () =>
      reportStores(table, retention(), async (domain, rollUp) => {
        const how = { now: clock.now(), hasTime: () => true };
        await summaryStore(table).rollUp(domain, { ...rollUp, earlier: false }, how);
      }),
    async rollUpAll({ id, organization, domain }) {
      const tomorrow = daysBefore(dayAt(clock.now()), -1);
      const rollUp = { kind: 'DMARC', day: tomorrow, earlier: true } as const;
      await sendTo('summaries', { domain: { id, organization, domain }, ...rollUp } satisfies RollUpMessage);
    },
    async sumReports(domain) {
      const now = clock.now();
      const days = await summaryStore(table).readSummaries(domain.id, summedWindow(now), now);
      await keepSums(domain, days, domainSumsStore(table, retention()), now);
    },
    // Kept for good if nobody says for how long.
    audit: (organization, entries) => recordAudit(table, organization, entries, setting('RETENTION_DAYS', 0)),
    enforcement: () => ({
      domains: domainStore(table),
      dns: dns(),
      rollUps: { send: async (message) => sendTo('summaries', message) },
      reportsDomain: setting('REPORTS_DOMAIN'),
      clock,
      summaries: summaryStore(table),
      decisions: decisionStore(table),
      checks: checkStore(table),
      history: historyStore(table, retention()),
      selectors: seenSelectorStore(table),
    }),
    alerts: () => alertStore(table, retention()),
    naming: () => ({
      hostUrl: shownUrl(),
      serviceLabel: setting('SERVICE_LABEL'),
      reportsDomain: setting('REPORTS_DOMAIN'),
    }),
    registration: () => ({
      domains: domainStore(table),
      ownDomains: receivingDomains(),
      defaultLimit: setting('DOMAIN_LIMIT'),
      clock,
    }),
    async checks() {
      const settings = {
        SCORE_THRESHOLD: setting('SCORE_THRESHOLD'),
        CHECK_INTERVAL_SECONDS: setting('CHECK_INTERVAL_SECONDS'),
        RETENTION_DAYS: setting('RETENTION_DAYS'),
        REPORTS_DOMAIN: setting('REPORTS_DOMAIN'),
        FORMER_REPORTS_DOMAINS: setting('FORMER_REPORTS_DOMAINS', []),
      };
      // Fails before anything is checked if nobody says where the queue is that confirms changes.
      (await queues()).urlsOf('checks');
      // Checks take longer to load than most commands to run.
      const { checkRunOn } = await import('../../shared/runtime/dependencies/check-run-dependencies.ts');
      const { createCheckContext } = await import('../../shared/runtime/dependencies/check-context.ts');
      return {
        domains: domainStore(table),
        rates: exactRateStore(table),
        limits: rateStore(table),
        checkContext: createCheckContext({ ...own, HOST_URL: shownUrl() }),
        clock,
        run: checkRunOn(table, settings, {
          send: (message, { delaySeconds } = {}) => sendTo('checks', message, delaySeconds),
        }),
      };
    },
    fixes: () => ({
      evidence: evidenceStore(table, retention()),
      checks: checkStore(table),
      nextPolicies: nextPolicyStore(table),
      decisions: decisionStore(table),
      reports: dmarcReportStore(table, retention()),
      summaries: summaryStore(table),
      reportsDomain: setting('REPORTS_DOMAIN'),
    }),
    dns,
  };
}

/** The mail bucket of the local service, which can have the file open at the same time. */
function rawMessagesIn(objects: ObjectStore, bucket: string): WritableRawMessages {
  return {
    async read(key, limit) {
      const facts = objects.head(bucket, key);
      if (facts !== undefined && facts.size > limit) return 'too-large';
      return objects.get(bucket, key)?.content;
    },
    store: async (key, content) =>
      objects.put(bucket, { key, content, ...contentFacts(content), modified: new Date(), headers: {} }),
    remove: async (key) => objects.delete(bucket, key),
  };
}
