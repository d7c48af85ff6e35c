/**
 * The complete service on one machine: the backends, the gateway, the SMTP listener, the queue pollers and the
 * scheduler.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '../../shared/network/clock.ts';
import { ConfigError } from '../../shared/runtime/config/config.ts';
import { signInLinkPath } from '../../shared/runtime/http/session-cookie.ts';
import { createLog, type Log } from '../../shared/runtime/logging/log.ts';
import { hashToken } from '../../shared/store/api-tokens.ts';
import { awsAccess, reachAwsBy } from '../../shared/store/aws-access.ts';
import { sessionStore } from '../../shared/store/sessions.ts';
import { openTable } from '../../shared/store/table.ts';
import { keepAddresses } from './addresses.ts';
import { type Backends, type Running, startBackends } from './backends.ts';
import { watchClock } from './clock-watch.ts';
import { type DefaultToken, defaultToken } from './default-token.ts';
import { watchDescriptors } from './descriptor-watch.ts';
import { startGateway } from './gateway/server.ts';
import { HEALTH_PATH, healthChecks, healthEndpoint } from './health.ts';
import { watchLoad } from './load-watch.ts';
import { startPoller } from './poller.ts';
import { type Plan, type Program, sourcePlan } from './program.ts';
import { PUBLISH_PATH, publishEndpoint } from './publish-endpoint.ts';
import { type Scheduler, startScheduler } from './scheduler.ts';
import { readSettings, type Settings } from './settings.ts';
import { startInboundMail } from './smtp/index.ts';
import { ensureTable } from './tables.ts';

export interface Service {
  readonly url: string;
  /** `address:port` of the SMTP listener. */
  readonly smtp: string;
  readonly reportsDomain: string;
  readonly testerDomain: string;
  readonly folder: string;
  readonly token: DefaultToken;
  /** Signs in to the console once. */
  readonly signInLink: string;
  /** Completes the work in progress, then stops everything. */
  stop(): Promise<void>;
}

/**
 * Starts everything that the plan says, by default from the source files. The handlers read their configuration from `process.env`, as in Lambda, so a process can run only
 * one service.
 * @throws ConfigError (also if a port is in use), DataFolderError, or another listening error; each has
 * a one-line message.
 */
export async function startService(
  given: Readonly<Record<string, string | undefined>>,
  plan: Plan = sourcePlan,
): Promise<Service> {
  const settings = readSettings({ ...plan.settings, ...given });
  const log = createLog(settings.LOG_LEVEL);
  const running: Running[] = [];
  try {
    const backends = await startBackends(settings, given, plan, running);
    Object.assign(process.env, given, backends.environment);
    // The credentials of a real account must not take precedence over those of the embedded endpoints.
    delete process.env.AWS_PROFILE;
    reachAwsBy(backends.access);

    const client = new DynamoDBClient(awsAccess());
    await ensureTable(client, settings.TABLE_NAME);
    const table = openTable(settings.TABLE_NAME, client);
    const token = await defaultToken(table, {
      folder: backends.folder.path,
      given: settings.API_TOKEN,
      serviceLabel: settings.SERVICE_LABEL,
    });

    const usable = hashToken(token.token ?? settings.API_TOKEN);
    const link = await sessionStore(table).createLink(usable, systemClock.now());

    const { queueUrl } = backends.storage;
    const program = plan.program({ settings, servers: backends.servers, queueUrl });
    running.push(program);
    const load = watchLoad(() => program.delay?.() ?? 0, log);
    const descriptors = watchDescriptors(log);
    running.push(load, descriptors);
    const { folder, storage } = backends;
    folder.check.ended.then((damage) => damage && log.error('the data is damaged', { ...damage }));
    running.push(watchClock(log, (milliseconds) => storage.clockSetBack(milliseconds)));
    let scheduler: Scheduler | undefined;
    const gateway = await listening(
      'PORT',
      settings,
      startGateway({
        routes: program.routes,
        fallback: program.fallback,
        address: settings.LISTEN_ADDRESS,
        port: settings.PORT,
        log,
        isTooBusy: load.isTooBusy,
        local: {
          [PUBLISH_PATH]: publishEndpoint(backends.internet, () => process.env.HOST_URL),
          [HEALTH_PATH]: healthEndpoint(
            healthChecks({ load, descriptors, folder, table, overdue: () => scheduler?.overdue() ?? [] }),
          ),
        },
      }),
    );
    running.push(gateway);
    process.env.HOST_URL ||= `http://localhost:${gateway.port}`;
    const smtp = await listening(
      'SMTP_PORT',
      settings,
      startInboundMail(settings, program.inbound, { table, queueUrl, log }),
    );
    scheduler = startScheduler(program.schedules, log);
    running.push(smtp, ...startPollers(program, backends, log), scheduler);
    running.push(
      keepAddresses(backends.folder.path, {
        listenAddress: settings.LISTEN_ADDRESS,
        port: gateway.port,
        smtpPort: smtp.port,
      }),
    );
    return {
      url: process.env.HOST_URL,
      smtp: `${settings.LISTEN_ADDRESS}:${smtp.port}`,
      reportsDomain: settings.REPORTS_DOMAIN,
      testerDomain: settings.TESTER_DOMAIN,
      folder: backends.folder.path,
      token,
      signInLink: `${process.env.HOST_URL}${signInLinkPath(link)}`,
      stop: () => stopAll(running),
    };
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

/** Reports the setting of a port that is in use. */
async function listening<T>(key: 'PORT' | 'SMTP_PORT', settings: Settings, starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new ConfigError(`${key} ${settings[key]} is in use by another process; 0 selects any free port`);
  }
}

function startPollers(program: Program, { storage, sessionToken }: Backends, log: Log): Running[] {
  return program.consumers.map(({ queue, accessKeyId, ...consumer }) =>
    startPoller({
      client: new SQSClient(
        accessKeyId === undefined
          ? awsAccess()
          : { credentials: { accessKeyId, secretAccessKey: 'local', sessionToken } },
      ),
      queueUrl: storage.queueUrl(queue),
      log,
      ...consumer,
    }),
  );
}

/** Stops the parts in reverse order, because later ones use earlier ones. */
async function stopAll(running: readonly Running[]): Promise<void> {
  for (const part of running.toReversed()) await part.stop();
}
