/** The address `/metrics`, in the text format of Prometheus: what log lines count, and the state of this machine. */
import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { systemClock } from '../../../shared/network/clock.ts';
import { isSameSecret } from '../../../shared/protocol/same-secret.ts';
import type { ObserveLine } from '../../../shared/runtime/logging/metric.ts';
import { scheduleStore } from '../../../shared/store/domains/schedule.ts';
import { DUE_SHARDS } from '../../../shared/store/keys.ts';
import type { Table } from '../../../shared/store/table.ts';
import { deadLettersOf, type QueueDefinition } from '../stores/queues/queue-store.ts';
import type { QueuesAndObjects } from '../stores/queues-and-objects.ts';
import type { ServedCertificate } from './certificate.ts';
import { dataFileNames } from './data-files.ts';
import type { LocalEndpoint } from './gateway/server.ts';
import { type HealthChecks, healthRows } from './health.ts';
import { countLines, PREFIX } from './line-metrics.ts';

export const METRICS_PATH = '/metrics';

/** What is read at each request. */
export interface Measured {
  /** Of the data folder. */
  readonly folder: string;
  readonly table: Table;
  readonly queues: readonly QueueDefinition[];
  readonly storage: Pick<QueuesAndObjects, 'queueCounts'>;
  /** By how much the threads of public tools are late, in milliseconds. */
  readonly delayOfThreads: () => number;
  readonly certificate: Pick<ServedCertificate, 'validTo'> | undefined;
  readonly health: HealthChecks;
}

export interface Metrics {
  /** Counts a line that was logged. */
  readonly observe: ObserveLine;
  /** The endpoint for programs on this machine, and with the token, unless it is empty, for others. */
  endpoint(measured: Measured, token: string): LocalEndpoint;
}

export function startMetrics(): Metrics {
  const register = new Registry();
  // Of Node.js: memory, CPU time, file descriptors, and the delay of the event loop.
  collectDefaultMetrics({ register });
  return {
    observe: countLines(register),
    endpoint(measured, token) {
      addGauges(register, measured);
      return async ({ method, isLocal, authorization = '' }) => {
        if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: { message: 'Use GET.' } };
        if (!isLocal && !(token !== '' && isSameSecret(authorization, `Bearer ${token}`)))
          return {
            status: 403,
            body: { message: 'Read metrics from this machine, or send METRICS_TOKEN as a bearer token.' },
          };
        return { status: 200, body: await register.metrics(), type: register.contentType };
      };
    },
  };
}

/** A value and the labels that it has. */
type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** Domains that are due are counted up to this number in each shard. */
const MOST_DUE = 100;

function addGauges(register: Registry, measured: Measured): void {
  const { folder, table, queues, storage, delayOfThreads, certificate, health } = measured;
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => readonly Sample[] | Promise<readonly Sample[]>,
  ): void => {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames,
      registers: [register],
      async collect() {
        const samples = await read();
        this.reset();
        for (const [value, labels = {}] of samples) this.set(labels, value);
      },
    });
  };

  gauge('queue_messages', 'Messages by queue and state', ['queue', 'state'], () =>
    queues.flatMap(({ name }): Sample[] => {
      const { ready, inFlight, delayed } = storage.queueCounts(name);
      const dead = storage.queueCounts(deadLettersOf(name));
      return [
        [ready, { queue: name, state: 'ready' }],
        [inFlight, { queue: name, state: 'in-flight' }],
        [delayed, { queue: name, state: 'delayed' }],
        [dead.ready + dead.inFlight + dead.delayed, { queue: name, state: 'dead' }],
      ];
    }),
  );
  gauge('queue_wait_seconds', 'How long the oldest ready message has been waiting', ['queue'], () =>
    queues.map(({ name }) => [storage.queueCounts(name).waitMilliseconds / 1000, { queue: name }]),
  );
  const due = async () => {
    const now = systemClock.now();
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => shard);
    const found = await Promise.all(shards.map((shard) => scheduleStore(table).due(shard, now, MOST_DUE)));
    const times = found.flat().map(({ dueAt }) => now.getTime() - Date.parse(dueAt));
    return { count: times.length, lag: Math.max(0, ...times) / 1000 };
  };
  gauge(
    'check_runs_due',
    `Domains whose check run is due and not queued yet, counted up to ${MOST_DUE * DUE_SHARDS}`,
    [],
    async () => [[(await due()).count]],
  );
  gauge('check_runs_due_seconds', 'How long the first of them has been due', [], async () => [
    [(await due()).lag],
  ]);
  gauge('store_bytes', 'Size of each database with its write-ahead log', ['store'], () =>
    dataFileNames.map((file) => [
      sizeOf(join(folder, file)) + sizeOf(join(folder, `${file}-wal`)),
      { store: file.replace('.sqlite', '') },
    ]),
  );
  gauge('disk_free_bytes', 'Free space of the file system with the data folder', [], () => {
    const { bavail, bsize } = statfsSync(folder);
    return [[bavail * bsize]];
  });
  gauge('thread_delay_seconds', 'By how much the event loop of the thread of lookups is late', [], () => [
    [delayOfThreads() / 1000],
  ]);
  gauge('health', 'Whether each check of /healthz is without a failure', ['check'], async () =>
    (await healthRows(health)).map(({ name, status }) => [Number(status !== 'failing'), { check: name }]),
  );
  if (certificate !== undefined)
    gauge('certificate_expiry_timestamp_seconds', 'When the served certificate expires', [], () => [
      [certificate.validTo().getTime() / 1000],
    ]);
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
