/**
 * The complete service on one machine: the backends, the gateway, the SMTP listener, the queue pollers and the
 * scheduler.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { systemClock } from '../../../shared/network/clock.ts';
import { describeMailTransport } from '../../../shared/notify/mail-transport.ts';
import { ConfigError } from '../../../shared/runtime/config/config.ts';
import { createIpData } from '../../../shared/runtime/dependencies/ip-data.ts';
import { signInLinkPath } from '../../../shared/runtime/http/session-cookie.ts';
import { createLog, type Log } from '../../../shared/runtime/logging/log.ts';
import { observeLines } from '../../../shared/runtime/logging/metric.ts';
import { awsAccess, reachAwsBy } from '../../../shared/store/aws-access.ts';
import { layoutProblem } from '../../../shared/store/migrations/layout.ts';
import { sessionStore } from '../../../shared/store/sessions.ts';
import { openTable } from '../../../shared/store/table.ts';
import { DataFolderError } from '../stores/files.ts';
import { STOP_MILLISECONDS } from '../stores/http-stop.ts';
import { LOOPBACK_ADDRESS } from '../stores/loopback.ts';
import { keepAddresses } from './addresses.ts';
import { type Backends, type Running, startBackends } from './backends.ts';
import { type ServedCertificate, serveCertificate } from './certificate.ts';
import { watchClock } from './clock-watch.ts';
import { type DefaultToken, defaultToken } from './default-token.ts';
import { watchDescriptors } from './descriptor-watch.ts';
import { startGateway } from './gateway/server.ts';
import { HEALTH_PATH, healthChecks, healthEndpoint } from './health.ts';
import type { StartInternet } from './internet.ts';
import { watchLoad } from './load-watch.ts';
import { METRICS_PATH, startMetrics } from './metrics.ts';
import { startPoller } from './poller.ts';
import type { Plan, Program } from './program.ts';
import { type Scheduler, startScheduler } from './scheduler.ts';
import { readSettings, type Settings } from './settings.ts';
import { startInboundMail } from './smtp/index.ts';
import { ensureTable } from './tables.ts';

export interface Service {
  readonly url: string;
  /** `address:port` of the SMTP listener. */
  readonly smtp: string;
  /** `address:port` of HTTPS, if there is a certificate. */
  readonly https: string | undefined;
  readonly reportsDomain: string;
  readonly testerDomain: string;
  /** How mail leaves, in a sentence. */
  readonly mailTransport: string;
  readonly folder: string;
  readonly token: DefaultToken;
  /** Creates a link that signs in to the console once. */
  signInLink(): Promise<string>;
  /** Takes no more work, gives the work in progress ten seconds, and stops everything. */
  stop(): Promise<void>;
}

/**
 * Starts everything that the plan says, and a part of the internet if one is given. The handlers read their configuration
 * from `process.env`, as in Lambda, so a process can run only one service.
 * @throws ConfigError (also if a port is in use), DataFolderError, or another listening error; each has
 * a one-line message.
 */
export async function startService(
  given: Readonly<Record<string, string | undefined>>,
  plan: Plan,
  internet?: StartInternet,
): Promise<Service> {
  const settings = readSettings({ ...plan.settings, ...given });
  // The handlers read the files when they need them; damage shows now.
  createIpData(settings);
  const log = createLog(settings.LOG_LEVEL);
  const parts: Parts = { needed: [], taking: [] };
  const { needed, taking } = parts;
  try {
    const backends = await startBackends(settings, given, { ...plan, internet }, needed);
    Object.assign(process.env, given, backends.environment);
    const { ALERT_SENDER, MAIL_TRANSPORT } = backends.environment;
    // The credentials of a real account must not take precedence over those of the embedded endpoints.
    delete process.env.AWS_PROFILE;
    reachAwsBy(backends.access);

    const client = new DynamoDBClient(awsAccess());
    await ensureTable(client, settings.TABLE_NAME);
    const table = openTable(settings.TABLE_NAME);
    const problem = await layoutProblem(table);
    if (problem !== undefined)
      throw new DataFolderError(`DATA_DIR ${backends.folder.path} cannot be used: ${problem}`);
    const token = await defaultToken(table, {
      folder: backends.folder.path,
      given: settings.API_TOKEN,
      serviceLabel: settings.SERVICE_LABEL,
      retentionDays: settings.RETENTION_DAYS,
    });

    const { queueUrl } = backends.storage;
    const metrics = startMetrics();
    const { observe } = metrics;
    observeLines(observe);
    const program = plan.program({ settings, servers: backends.servers, observe, queueUrl });
    needed.push(program);
    const delayOfThreads = () => program.delay?.() ?? 0;
    const load = watchLoad(delayOfThreads, log);
    const descriptors = watchDescriptors(log);
    const { folder, disk, storage } = backends;
    const isFull = () => disk.problem() !== undefined;
    needed.push(
      load,
      descriptors,
      watchClock(log, (milliseconds) => storage.clockSetBack(milliseconds)),
    );
    folder.check.ended.then((damage) => damage && log.error('the data is damaged', { ...damage }));
    const certificate = settings.TLS_CERT_FILE === '' ? undefined : certificateOf(settings, log);
    if (certificate !== undefined) needed.push(certificate);
    // Beside HTTPS, only programs on this machine use it.
    const httpAddress = certificate === undefined ? settings.LISTEN_ADDRESS : LOOPBACK_ADDRESS;
    let scheduler: Scheduler | undefined;
    const health = healthChecks({
      ...{ load, descriptors, folder, disk, table, certificate },
      overdue: () => scheduler?.overdue() ?? [],
      countMessages() {
        for (const { name } of plan.queues) storage.queueCounts(name);
      },
    });
    const hostUrl = () => process.env.HOST_URL;
    const gateway = await listening(
      settings,
      startGateway({
        routes: program.routes,
        fallback: program.fallback,
        address: httpAddress,
        port: settings.PORT,
        https: certificate && {
          address: settings.LISTEN_ADDRESS,
          port: settings.HTTPS_PORT,
          certificate,
        },
        log,
        isTooBusy: load.isTooBusy,
        isFull,
        hostUrl,
        trustedProxies: settings.TRUSTED_PROXIES,
        local: {
          ...backends.internet?.endpoints(hostUrl),
          [HEALTH_PATH]: healthEndpoint(health),
          [METRICS_PATH]: metrics.endpoint(
            {
              ...{ folder: folder.path, table, storage, delayOfThreads, certificate, health },
              queues: plan.queues,
            },
            settings.METRICS_TOKEN,
          ),
        },
      }),
    );
    taking.push(gateway);
    process.env.HOST_URL ||= `http://localhost:${gateway.port}`;
    const smtp = await listening(
      settings,
      startInboundMail(settings, program.inbound, { table, queueUrl, log, certificate, isFull }),
    );
    scheduler = startScheduler(program.schedules, log, isFull);
    taking.push(smtp, ...startPollers(program, backends, log, isFull), scheduler);
    taking.push(
      keepAddresses(backends.folder.path, {
        http: { host: httpAddress, port: gateway.port },
        smtp: { host: settings.LISTEN_ADDRESS, port: smtp.port },
        mail: { ALERT_SENDER, MAIL_TRANSPORT },
        internet: backends.internet?.environment() ?? {},
      }),
    );
    return {
      url: process.env.HOST_URL,
      smtp: `${settings.LISTEN_ADDRESS}:${smtp.port}`,
      https: certificate && `${settings.LISTEN_ADDRESS}:${gateway.httpsPort}`,
      reportsDomain: settings.REPORTS_DOMAIN,
      testerDomain: settings.TESTER_DOMAIN,
      mailTransport: describeMailTransport({ ALERT_SENDER, MAIL_TRANSPORT }),
      folder: backends.folder.path,
      token,
      async signInLink() {
        const link = await sessionStore(table).createLink(token.info, systemClock.now());
        return `${process.env.HOST_URL}${signInLinkPath(link)}`;
      },
      stop: () => stopAll(parts),
    };
  } catch (error) {
    await stopAll(parts);
    throw error;
  }
}

/** The parts of a service that run. */
interface Parts {
  /** What work needs, in the order of the start. */
  readonly needed: Running[];
  /** What takes work from clients, queues and schedules. */
  readonly taking: Running[];
}

const PORTS = ['PORT', 'HTTPS_PORT', 'SMTP_PORT'] as const;

/** Reports the setting of a port that is in use. */
async function listening<T>(settings: Settings, starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
    const key = PORTS.find((one) => settings[one] === port);
    if (code !== 'EADDRINUSE' || key === undefined) throw error;
    throw new ConfigError(`${key} ${port} is in use by another process; 0 selects any free port`);
  }
}

const certificateOf = ({ TLS_CERT_FILE, TLS_KEY_FILE }: Settings, log: Log): ServedCertificate =>
  serveCertificate({ certFile: TLS_CERT_FILE, keyFile: TLS_KEY_FILE }, log);

function startPollers(
  program: Program,
  { storage, sessionToken }: Backends,
  log: Log,
  isPaused: () => boolean,
): Running[] {
  return program.consumers.map(({ queue, accessKeyId, ...consumer }) =>
    startPoller({
      client: new SQSClient(
        accessKeyId === undefined
          ? awsAccess()
          : { credentials: { accessKeyId, secretAccessKey: 'local', sessionToken } },
      ),
      queueUrl: storage.queueUrl(queue),
      isPaused,
      log,
      ...consumer,
    }),
  );
}

/**
 * Stops what takes work, all at once and in bounded time: work in progress that takes longer is interrupted, as by a crash.
 * Then stops what the work needs, in reverse order, because later parts use earlier ones.
 */
async function stopAll({ taking, needed }: Parts): Promise<void> {
  await inTime(taking, STOP_MILLISECONDS + 1000);
  for (const part of needed.toReversed()) await inTime([part], PART_MILLISECONDS);
}

/** How long a part that work needs may take to stop. */
const PART_MILLISECONDS = 2000;

/** Stops parts at the same time. Waits no longer, and not for one that fails. */
async function inTime(parts: readonly Running[], milliseconds: number): Promise<void> {
  const stopped = Promise.allSettled(parts.map(async (part) => part.stop()));
  await Promise.race([stopped, sleep(milliseconds, undefined, { ref: false })]);
}
