/** Runs the function that rolls up summaries, on a table and with a clock of its own. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { handler } from '../../functions/reports/roll-up.ts';
import { alertStore } from '../../shared/store/alerts/alerts.ts';
import { checkStore } from '../../shared/store/check-runs/checks.ts';
import { historyStore } from '../../shared/store/check-runs/history.ts';
import { seenSelectorStore } from '../../shared/store/check-runs/seen-selectors.ts';
import { type Domain, domainStore } from '../../shared/store/domains/domains.ts';
import { decisionStore } from '../../shared/store/enforcement/decisions.ts';
import { nextPolicyStore } from '../../shared/store/enforcement/next-policies.ts';
import type { RollUp } from '../../shared/store/reports/days.ts';
import { domainSumsStore } from '../../shared/store/reports/domain-sums.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import type { Table } from '../../shared/store/table.ts';
import { changesOn } from './attention.ts';

interface Run {
  readonly now: Date;
  readonly retentionDays?: number;
  /** In milliseconds; by default, enough for everything. */
  readonly remaining?: number;
  /** Gets what is left to another message. */
  readonly left?: object[];
}

/** Handles one message of the queue. */
export function handleRollUp(
  table: Table,
  { id, organization, domain }: Domain,
  rollUp: RollUp,
  { now, retentionDays = 0, remaining = 60_000, left }: Run,
): Promise<SQSBatchResponse> {
  const deps = {
    ...{ summaries: summaryStore(table), decisions: decisionStore(table), domains: domainStore(table) },
    sums: domainSumsStore(table, { retentionDays }),
    alerts: alertStore(table, { retentionDays }),
    queue: {
      async send(message: object) {
        if (left === undefined) throw new Error('has time enough');
        left.push(message);
      },
    },
    enforcement: {
      checks: checkStore(table),
      history: historyStore(table, { retentionDays }),
      selectors: seenSelectorStore(table),
      nextPolicies: nextPolicyStore(table),
      attention: changesOn(table),
    },
    clock: { now: () => now },
  };
  const Records = [
    { messageId: 'm', body: JSON.stringify({ domain: { id, organization, domain }, ...rollUp }) },
  ];
  const context = { getRemainingTimeInMillis: () => remaining } as Context;
  const run = handler.with(deps as unknown as Parameters<typeof handler.with>[0]);
  return run({ Records } as SQSEvent, context);
}
