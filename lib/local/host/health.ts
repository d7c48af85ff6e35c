/** The address `/healthz`: whether the service works, for programs that watch it. */
import { organizationStore } from '../../../shared/store/organizations.ts';
import type { Table } from '../../../shared/store/table.ts';
import type { ServedCertificate } from './certificate.ts';
import type { DataFolder } from './data-folder.ts';
import { ORGANIZATION } from './default-token.ts';
import type { DescriptorWatch } from './descriptor-watch.ts';
import type { LocalEndpoint } from './gateway/server.ts';
import type { LoadWatch } from './load-watch.ts';
import type { StorageWatch } from './storage-watch.ts';

export const HEALTH_PATH = '/healthz';

/** The state of one thing. A check that is still running is no failure. */
interface Health {
  readonly status: 'ok' | 'running' | 'failing';
  /** What is wrong. */
  readonly detail?: string;
}

export type HealthChecks = Readonly<Record<string, HealthCheck>>;

/** Determines the state of one thing; if it throws, the thing fails. */
type HealthCheck = () => Health | Promise<Health>;

const working: Health = { status: 'ok' };

const failing = (detail: string): Health => ({ status: 'failing', detail });

/** A response of 200 if nothing fails, otherwise of 503, with a row for each check. */
export function healthEndpoint(checks: HealthChecks): LocalEndpoint {
  return async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, body: { message: 'Use GET.' } };
    const rows = await healthRows(checks);
    const isFailing = rows.some(({ status }) => status === 'failing');
    return { status: isFailing ? 503 : 200, body: { status: isFailing ? 'failing' : 'ok', checks: rows } };
  };
}

/** The state of each thing. */
export const healthRows = (checks: HealthChecks) =>
  Promise.all(Object.entries(checks).map(async ([name, check]) => ({ name, ...(await healthOf(check)) })));

async function healthOf(check: HealthCheck): Promise<Health> {
  try {
    return await check();
  } catch (error) {
    return failing((error as Error).message);
  }
}

export interface Parts {
  readonly load: Pick<LoadWatch, 'isTooBusy'>;
  readonly descriptors: Pick<DescriptorWatch, 'isOut'>;
  readonly folder: Pick<DataFolder, 'check' | 'requireFiles'>;
  readonly disk: Pick<StorageWatch, 'problem'>;
  readonly table: Table;
  /** Reads how many messages wait in each queue. */
  readonly countMessages: () => void;
  /** Undefined without TLS. */
  readonly certificate: Pick<ServedCertificate, 'problem'> | undefined;
  /** The scheduled functions that are overdue. */
  readonly overdue: () => readonly string[];
}

/** The rows of the service. A process that is busy is not failing: a restart would not help it. */
export function healthChecks(parts: Parts) {
  const { load, descriptors, folder, disk, table, countMessages, certificate, overdue } = parts;
  return {
    process() {
      if (descriptors.isOut()) return failing('it has no file descriptors');
      return load.isTooBusy() ? { ...working, detail: 'it is busy and refuses public tools' } : working;
    },
    async stores() {
      folder.requireFiles();
      const problem = disk.problem();
      if (problem !== undefined) return failing(`nothing can be written: ${problem}`);
      await organizationStore(table).get(ORGANIZATION);
      return working;
    },
    queues() {
      countMessages();
      return working;
    },
    schedule() {
      const names = overdue();
      return names.length === 0 ? working : failing(`overdue: ${names.join(', ')}`);
    },
    ...(certificate && {
      certificate() {
        const problem = certificate.problem();
        return problem === undefined ? working : failing(problem);
      },
    }),
    data() {
      const state = folder.check.state();
      return state.status === 'failing' ? failing(`${state.file} ${state.problem}`) : state;
    },
  } satisfies HealthChecks;
}
