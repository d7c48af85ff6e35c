/** The monitor state of each domain, written in one transaction with the alerts that it raises. */

import * as z from 'zod/mini';
import type { AlertDraft } from '../../alerts/alert.ts';
import { checkRunFacts, nothingKnown } from '../../alerts/facts.ts';
import type { MonitorState } from '../../alerts/monitor-state.ts';
import { forEachCheck } from '../../checks/checks.ts';
import { byCheck } from '../../checks/state.ts';
import { count, timestamp } from '../../protocol/schema.ts';
import type { AlertStore } from '../alerts/alerts.ts';
import { unchangedSince } from '../changes.ts';
import type { DomainReference } from '../domains/domain.ts';
import { isRegistered } from '../domains/writes.ts';
import { pack, packed } from '../item-schema.ts';
import { monitorStateKey } from '../keys.ts';
import type { Table, Write } from '../table.ts';

const { checks } = checkRunFacts.shape;

/** A check that is newer than the item has found nothing yet. */
const facts = z.extend(checkRunFacts, {
  checks: z.pipe(
    byCheck(checks.def.valueType),
    z.transform((known) => forEachCheck((name) => known[name] ?? nothingKnown)),
  ),
});

const monitorState = z.object({
  baseline: facts,
  isBelowThreshold: z.boolean(),
  pending: z.exactOptional(z.object({ facts, at: timestamp, runs: count })),
});

const stateItem = z.object({ revision: z.number(), state: packed(monitorState) });

/** `revision` counts the writes, so that a writer notices a concurrent one; it is 0 before the first check run. */
export interface StoredMonitorState {
  readonly state: MonitorState | undefined;
  readonly revision: number;
}

export type MonitorStateStore = ReturnType<typeof monitorStateStore>;

/** For what only reads monitor states. */
export function monitorStateReader(table: Table) {
  return {
    async get(domainId: string): Promise<StoredMonitorState> {
      return (await table.get(monitorStateKey(domainId), stateItem)) ?? { state: undefined, revision: 0 };
    },
  };
}

export function monitorStateStore(table: Table, alerts: Pick<AlertStore, 'writesOf'>) {
  return {
    ...monitorStateReader(table),

    /**
     * Writes the next state and raises its alerts, all or nothing. A change therefore raises one alert, however often
     * and however concurrently the checks run.
     * @returns `conflict` if another check run wrote since the state was read, `gone` if the domain was removed.
     */
    async keep(
      domain: DomainReference,
      { state, revision }: { readonly state: MonitorState; readonly revision: number },
      drafts: readonly AlertDraft[],
      now: Date,
    ): Promise<'kept' | 'conflict' | 'gone'> {
      const put: Write = {
        Put: {
          Item: { ...monitorStateKey(domain.id), revision: revision + 1, state: pack(state) },
          ...unchangedSince(revision),
        },
      };
      const writes = await alerts.writesOf(domain, drafts, now);
      const failed = await table.tryTransact([isRegistered(domain), put, ...writes]);
      if (failed.size === 0) return 'kept';
      return failed.has(0) ? 'gone' : 'conflict';
    },
  };
}
