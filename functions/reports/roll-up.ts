import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { queue } from '../../shared/runtime/workers/queue.ts';
import { worker } from '../../shared/runtime/workers/worker.ts';
import type { DomainReference } from '../../shared/store/domains/domains.ts';
import type { RollUp } from '../../shared/store/reports/day-sums.ts';
import { summaryStore } from '../../shared/store/reports/summaries.ts';
import { triggers } from '../triggers.ts';

/** A day takes a few seconds at most. When less time remains, the rest is left to another message. */
const ENOUGH_MILLISECONDS = 20_000;

export const handler = worker(
  triggers.rollUpSummaries,
  () => ({ summaries: summaryStore(table()), queue: queue('summaries'), clock }),
  async (
    { domain, ...rollUp }: RollUp & { readonly domain: DomainReference },
    { summaries, queue, clock },
    work,
  ) => {
    const hasTime = () => work.remainingMilliseconds() > ENOUGH_MILLISECONDS;
    const isDone = await summaries.rollUp(domain, rollUp, { now: clock.now(), hasTime });
    if (!isDone) await queue.send({ domain, ...rollUp });
  },
);
