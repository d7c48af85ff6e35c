/** Finds the table that an operator's command is about: that of a deployment, else the one in the data folder. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { systemClock } from '../../shared/network/clock.ts';
import { createResolver, systemServers } from '../../shared/network/resolver.ts';
import { reportStores } from '../../shared/runtime/report-stores.ts';
import { deliveryStore } from '../../shared/store/alerts/deliveries.ts';
import { notificationSettingsStore } from '../../shared/store/alerts/notification-settings.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { organizationStore } from '../../shared/store/organizations.ts';
import { type RawMessages, rawMessages } from '../../shared/store/raw-messages.ts';
import { openTable, type Table } from '../../shared/store/table.ts';
import { CommandError } from '../local/command-line.ts';
import { DataFolderError, TABLE_FILE } from '../local/data-folder.ts';
import { startDynamoDb } from '../local/dynamodb/endpoint.ts';
import { newSessionToken } from '../local/loopback-server.ts';
import { type ObjectStore, openObjectStore } from '../local/objects/object-store.ts';
import { readSettings, type Settings } from '../local/settings.ts';
import { ensureTable } from '../local/tables.ts';
import { type AdminParts, parseAdminArguments } from './commands.ts';
import { type Deployment, deploymentOf, type Setting } from './deployment.ts';
import { progressOn } from './progress.ts';

export interface OpenedParts {
  readonly parts: AdminParts;
  close(): Promise<void>;
}

/**
 * @throws CommandError for arguments that cannot be read, ConfigError for a malformed environment, DataFolderError where
 * there is no service.
 */
export async function openAdminParts(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenedParts> {
  const deployment = await deploymentOf(parseAdminArguments(args).values, environment);
  const settings = readSettings(environment);
  return deployment === undefined ? openLocal(settings) : openDeployed(deployment, settings);
}

function openDeployed({ table, bucket, region, setting }: Deployment, settings: Settings): OpenedParts {
  const where = region === undefined ? {} : { region };
  const client = new DynamoDBClient(where);
  const raw = () => {
    if (bucket === undefined)
      throw new CommandError('--bucket is missing: it names the bucket of received mail');
    return rawMessages(bucket, new S3Client(where));
  };
  return {
    // No deployment dials addresses that are not public.
    parts: partsOf(openTable(table, client), raw, setting, { ...settings, PRIVATE_ADDRESSES: 'deny' }),
    close: async () => client.destroy(),
  };
}

async function openLocal(settings: Settings): Promise<OpenedParts> {
  const { DATA_DIR, TABLE_NAME, MAIL_BUCKET } = settings;
  const path = join(DATA_DIR, TABLE_FILE);
  if (!existsSync(path)) {
    throw new DataFolderError(
      `DATA_DIR ${resolve(DATA_DIR)} holds no service: "npm start" makes one, --outputs names a deployed one`,
    );
  }
  // The running service and this command may have the same database open; SQLite keeps them apart.
  const sessionToken = newSessionToken();
  const database = await startDynamoDb({ path, sessionToken });
  const client = new DynamoDBClient({
    endpoint: database.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local', sessionToken },
  });
  await ensureTable(client, TABLE_NAME);
  let objects: ObjectStore | undefined;
  const raw = (): RawMessages => {
    objects ??= openObjectStore(join(DATA_DIR, 'objects.sqlite'), [MAIL_BUCKET]);
    return rawMessagesIn(objects, MAIL_BUCKET);
  };
  return {
    parts: partsOf(openTable(TABLE_NAME, client), raw, (key) => settings[key], settings),
    async close() {
      objects?.close();
      await database.stop();
    },
  };
}

/** `setting` is the service's; resolvers are this machine's own. */
function partsOf(
  table: Table,
  raw: () => RawMessages,
  setting: Setting,
  { DNS_SERVERS, PRIVATE_ADDRESSES }: Pick<Settings, 'DNS_SERVERS' | 'PRIVATE_ADDRESSES'>,
): AdminParts {
  const clock = systemClock;
  return {
    organizations: organizationStore(table),
    domains: domainStore(table),
    notifications: notificationSettingsStore(table),
    deliveries: deliveryStore(table),
    allowPrivateAddresses: PRIVATE_ADDRESSES === 'allow',
    clock,
    progress: progressOn(process.stderr),
    serviceLabel: () => setting('SERVICE_LABEL'),
    ownDomains: () => [setting('REPORTS_DOMAIN'), setting('TESTER_DOMAIN')],
    stores: () => reportStores(table, { retentionDays: setting('RETENTION_DAYS') }),
    unauthenticated: () => setting('UNAUTHENTICATED_REPORTS'),
    raw,
    dns: () => createResolver({ servers: DNS_SERVERS.length > 0 ? DNS_SERVERS : systemServers(), clock }),
  };
}

/** The bucket of the service on this machine, which may have its file open at the same time. */
function rawMessagesIn(objects: ObjectStore, bucket: string): RawMessages {
  return {
    async read(key, limit) {
      const facts = objects.head(bucket, key);
      if (facts !== undefined && facts.size > limit) return 'too-large';
      return objects.get(bucket, key)?.content;
    },
    remove: async (key) => objects.delete(bucket, key),
  };
}
