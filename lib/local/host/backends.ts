/** Starts the local replacements of AWS and, if there is one, the part of the internet that this machine serves. */
import { join } from 'node:path';
import { readAuthorities } from '../../../shared/runtime/dependencies/check-context.ts';
import { createLog } from '../../../shared/runtime/logging/log.ts';
import { queues } from '../../../shared/runtime/workers/trigger.ts';
import type { AwsAccess } from '../../../shared/store/aws-access.ts';
import { partitions } from '../../../shared/store/keys.ts';
import { accessTo } from '../stores/access.ts';
import { startDynamoDb } from '../stores/dynamodb/endpoint.ts';
import { TABLE_FILE } from '../stores/files.ts';
import { startKms } from '../stores/kms/endpoint.ts';
import { KEY_FILE } from '../stores/kms/key-file.ts';
import { SIGNING_KEY_FILE } from '../stores/kms/signing-key.ts';
import { HOST_ACCESS_KEY, type LoopbackServer, newSessionToken } from '../stores/loopback-server.ts';
import { startOutbox } from '../stores/outbox/endpoint.ts';
import { outboxFolder } from '../stores/outbox/folder.ts';
import { relayAddress } from '../stores/outbox/relay-setting.ts';
import type { MessageSender } from '../stores/outbox/send-message.ts';
import { type QueuesAndObjects, startQueuesAndObjects } from '../stores/queues-and-objects.ts';
import type { Addresses } from './addresses.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import type { LocalInternet, StartInternet } from './internet.ts';
import type { Plan } from './program.ts';
import type { Settings } from './settings.ts';
import { type StorageWatch, watchStorage } from './storage-watch.ts';

export interface Backends {
  readonly folder: DataFolder;
  /** Whether the data folder takes writes. */
  readonly disk: StorageWatch;
  readonly internet: LocalInternet | undefined;
  readonly storage: QueuesAndObjects;
  /** The table, queues and objects. */
  readonly servers: readonly LoopbackServer[];
  /** How clients in this process reach the stores: directly, unless a guard checks every request. */
  readonly access: AwsAccess;
  /** The session token that the embedded endpoints require. It is new at each start. */
  readonly sessionToken: string;
  /** Environment variables that point the SDK and the handlers to the backends. */
  readonly environment: Readonly<Record<string, string>> & Addresses['mail'];
}

/** A part of the host that runs until it is stopped. */
export interface Running {
  stop(): Promise<void> | void;
}

/**
 * Starts the backends and adds each one to `running` as soon as it has started, so that the caller can stop them all
 * after a failure.
 * @throws DataFolderError
 */
export async function startBackends(
  settings: Settings,
  given: Readonly<Record<string, string | undefined>>,
  plan: Pick<Plan, 'queues' | 'guard'> & { readonly internet?: StartInternet | undefined },
  running: Running[],
): Promise<Backends> {
  const keep = async <T extends Running>(starting: Promise<T> | T): Promise<T> => {
    const part = await starting;
    running.push(part);
    return part;
  };
  const folder = await keep(openDataFolder(settings.DATA_DIR));
  const log = createLog(settings.LOG_LEVEL);
  const disk = await keep(watchStorage(folder, log));
  const onFailure = disk.failed;
  const guard = plan.guard?.(settings);
  const sessionToken = newSessionToken();
  const access = { guard, sessionToken };
  const [database, storage, outbox, kms, internet] = await Promise.all([
    keep(
      startDynamoDb({
        path: join(folder.path, TABLE_FILE),
        // Each request counts.
        isFleeting: (partition) => partition.startsWith(partitions['rate-limits']),
        onFailure,
        ...access,
      }),
    ),
    keep(
      startQueuesAndObjects({
        dataFolder: folder.path,
        buckets: [settings.MAIL_BUCKET],
        // Objects are kept one day longer than the data from them, because the last day of that data is kept in full.
        objectDays: settings.RETENTION_DAYS === 0 ? 0 : settings.RETENTION_DAYS + 1,
        queues: plan.queues,
        onFailure,
        onDeadLetter: (message) => log.warn('message moved to dead letters', { ...message }),
        ...access,
      }),
    ),
    keep(senderOf(settings, folder).then((sender) => startOutbox({ sender, ...access }))),
    keep(
      startKms({
        keyFile: join(folder.path, KEY_FILE),
        signingKeyFile: join(folder.path, SIGNING_KEY_FILE),
        ...access,
      }),
    ),
    plan.internet && keep(plan.internet({ settings, given, folder: folder.path })),
  ]);
  // What failed for lack of space is handled now, and not after the visibility timeout.
  disk.onRecovery(storage.recover);
  return {
    folder,
    disk,
    internet,
    storage,
    servers: [database, storage, kms],
    access: guard === undefined ? accessTo([database, storage, kms]) : {},
    sessionToken,
    environment: {
      AWS_ENDPOINT_URL: storage.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_ENDPOINT_URL_SESV2: outbox.endpoint,
      AWS_ENDPOINT_URL_KMS: kms.endpoint,
      // In the outbox, any sender works.
      ALERT_SENDER: settings.ALERT_SENDER || 'alerts@localhost',
      MAIL_TRANSPORT: mailTransportOf(settings),
      // It can be in a file, which functions do not read.
      OIDC_CLIENT_SECRET: settings.OIDC_CLIENT_SECRET,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: HOST_ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SESSION_TOKEN: sessionToken,
      ...Object.fromEntries(
        Object.entries(queues).map(([name, { urlKey }]) => [urlKey, storage.queueUrl(name)]),
      ),
      ...internet?.environment(),
    },
  };
}

/** Where mail goes, as the setting `MAIL_TRANSPORT`. */
export const mailTransportOf = ({ SMTP_RELAY }: Settings): string =>
  SMTP_RELAY === undefined ? 'outbox' : relayAddress(SMTP_RELAY);

async function senderOf(settings: Settings, folder: DataFolder): Promise<MessageSender> {
  const { SMTP_RELAY, EXTRA_CA_FILE } = settings;
  if (SMTP_RELAY === undefined) return outboxFolder(join(folder.path, 'outbox'));
  // Loaded only if it is needed, because that takes as long as a tenth of the start.
  const { smtpRelay } = await import('../stores/outbox/relay.ts');
  return smtpRelay(SMTP_RELAY, EXTRA_CA_FILE === '' ? undefined : readAuthorities('EXTRA_CA_FILE', settings));
}
