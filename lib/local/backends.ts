/** What AWS and the internet are to a deployed service: the embedded stores and the example internet. */
import { join } from 'node:path';
import { queues, triggers } from '../../functions/triggers.ts';
import { openDataFolder } from './data-folder.ts';
import { startDynamoDb } from './dynamodb/endpoint.ts';
import { resolversOf, withExampleInternet } from './example-environment.ts';
import { type ExampleInternet, startExampleInternet } from './example-internet/index.ts';
import { type QueuesAndObjects, startQueuesAndObjects } from './queues-and-objects.ts';
import type { Settings } from './settings.ts';

export interface Backends {
  readonly folder: string;
  readonly internet: ExampleInternet;
  readonly storage: QueuesAndObjects;
  /** The variables through which the SDK and the handlers find all this. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Something that runs until it is stopped. */
export interface Running {
  stop(): Promise<void> | void;
}

/**
 * Starts the backends; each goes into `running` as soon as it does, so that a failure half-way leaves nothing.
 * @throws DataFolderError
 */
export async function startBackends(
  settings: Settings,
  given: Readonly<Record<string, string | undefined>>,
  running: Running[],
): Promise<Backends> {
  const keep = async <T extends Running>(starting: Promise<T> | T): Promise<T> => {
    const part = await starting;
    running.push(part);
    return part;
  };
  const folder = await keep(openDataFolder(settings.DATA_DIR));
  const [database, storage, internet] = await Promise.all([
    keep(startDynamoDb({ path: join(folder.path, 'table.sqlite') })),
    keep(
      startQueuesAndObjects({
        dataFolder: folder.path,
        buckets: [settings.MAIL_BUCKET],
        // As long as what was read from them, whose last day is kept whole.
        objectDays: settings.RETENTION_DAYS === 0 ? 0 : settings.RETENTION_DAYS + 1,
        queues: queuesToMake(),
      }),
    ),
    keep(startExampleInternet({ forwardTo: resolversOf(settings) })),
  ]);
  return {
    folder: folder.path,
    internet,
    storage,
    environment: {
      AWS_ENDPOINT_URL: storage.endpoint,
      AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      ...Object.fromEntries(
        Object.entries(queues).map(([name, { urlKey }]) => [urlKey, storage.queueUrl(name)]),
      ),
      ...withExampleInternet(settings, given.DIAL_MAP, internet, folder.path),
    },
  };
}

function queuesToMake() {
  return Object.values(triggers).flatMap(({ source, timeoutSeconds }) =>
    source.kind === 'queue'
      ? [
          {
            name: source.queue,
            maxReceiveCount: source.maxReceiveCount,
            // AWS asks for six times the function's time, so that a message is not handed out twice at once.
            visibilityTimeoutSeconds: timeoutSeconds * 6,
          },
        ]
      : [],
  );
}
