/** The whole service on one machine: the backends, and before them the gateway, the queue pollers and the scheduler. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { fallbackHandler, routes } from '../../functions/routes.ts';
import { triggers } from '../../functions/triggers.ts';
import { createLog, type Log } from '../../shared/runtime/log.ts';
import type { Trigger, TriggerSource } from '../../shared/runtime/trigger.ts';
import { openTable } from '../../shared/store/table.ts';
import { type Backends, type Running, startBackends } from './backends.ts';
import { defaultToken } from './default-token.ts';
import { startGateway } from './gateway/server.ts';
import { startPoller } from './poller.ts';
import { PUBLISH_PATH, publishEndpoint } from './publish-endpoint.ts';
import { startScheduler } from './scheduler.ts';
import { readSettings, type Settings } from './settings.ts';
import { startInboundMail } from './smtp/index.ts';
import { ensureTable } from './tables.ts';

export interface Service {
  readonly url: string;
  /** `address:port` of the SMTP listener. */
  readonly smtp: string;
  readonly reportsDomain: string;
  readonly folder: string;
  readonly token: string;
  /** Answers what is under way, then ends everything. */
  stop(): Promise<void>;
}

/**
 * Starts everything. The handlers read their configuration from `process.env`, as they do in Lambda, so one process
 * holds one service.
 * @throws ConfigError, DataFolderError, or the listening error of a port; each with a message of one line.
 */
export async function startService(given: Readonly<Record<string, string | undefined>>): Promise<Service> {
  const settings = readSettings(given);
  const log = createLog(settings.LOG_LEVEL);
  const running: Running[] = [];
  try {
    const backends = await startBackends(settings, given, running);
    Object.assign(process.env, given, backends.environment);
    // Credentials of a real account must not win over the embedded endpoints' own.
    for (const key of ['AWS_PROFILE', 'AWS_SESSION_TOKEN']) delete process.env[key];

    const client = new DynamoDBClient({});
    await ensureTable(client, settings.TABLE_NAME);
    const table = openTable(settings.TABLE_NAME, client);
    const token = await defaultToken(table, {
      folder: backends.folder,
      given: settings.API_TOKEN,
      serviceLabel: settings.SERVICE_LABEL,
    });

    const gateway = await startGateway({
      routes: Object.values(routes),
      fallbackHandler,
      address: settings.LISTEN_ADDRESS,
      port: settings.PORT,
      log,
      local: { [PUBLISH_PATH]: publishEndpoint(backends.internet) },
    });
    running.push(gateway);
    process.env.HOST_URL ||= `http://localhost:${gateway.port}`;
    const { queueUrl } = backends.storage;
    const smtp = await startInboundMail(settings, { table, queueUrl, log });
    running.push(smtp, ...startTriggers(backends, settings, log));
    return {
      url: process.env.HOST_URL,
      smtp: `${settings.LISTEN_ADDRESS}:${smtp.port}`,
      reportsDomain: settings.REPORTS_DOMAIN,
      folder: backends.folder,
      token,
      stop: () => stopAll(running),
    };
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

function startTriggers({ storage }: Backends, settings: Settings, log: Log): Running[] {
  const client = new SQSClient({});
  const rows: readonly Trigger[] = Object.values(triggers);
  const pollers = rows.flatMap((row) =>
    row.source.kind === 'queue'
      ? [
          startPoller({
            client,
            queueUrl: storage.queueUrl(row.source.queue),
            row,
            batchSize: row.source.batchSize,
            log,
          }),
        ]
      : [],
  );
  const scheduled = rows.flatMap((row) =>
    row.source.kind === 'schedule' ? [{ ...row, everySeconds: rhythmOf(row.source, settings) }] : [],
  );
  return [...pollers, startScheduler(scheduled, log)];
}

function rhythmOf(
  { everySeconds, keepsUpWith }: Extract<TriggerSource, { kind: 'schedule' }>,
  settings: Settings,
): number {
  return keepsUpWith === undefined ? everySeconds : Math.min(everySeconds, settings[keepsUpWith]);
}

/** What was started last is what uses the others, so it ends first. */
async function stopAll(running: readonly Running[]): Promise<void> {
  for (const part of running.toReversed()) await part.stop();
}
