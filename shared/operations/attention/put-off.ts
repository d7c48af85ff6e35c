import {
  attentionPath,
  MOST_DAYS_PUT_OFF,
  putOffBody,
  readAttentionId,
} from '../../api/attention-requests.ts';
import { missing } from '../../api/common.ts';
import { textOf } from '../../attention/kinds.ts';
import type { Clock } from '../../network/ports.ts';
import { dayAt } from '../../protocol/time.ts';
import { daysBetween } from '../../reports/day.ts';
import type { AttentionStore } from '../../store/attention.ts';
import type { AttentionItem } from '../../store/attention-items.ts';
import { untilUncontended } from '../../store/contention.ts';
import { changesBetween } from '../changes.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';
import { versionAt } from '../version.ts';

export const operation = {
  name: 'putOffAttention',
  summary: 'Put an attention item off until a day, with a note',
  description: 'Replaces the day and the note. The item is still closed when its condition ends.',
  scope: 'write',
  on: attentionPath,
  input: putOffBody,
  refusals: ['invalid_request', 'not_found', 'precondition_failed'],
  uses: ['organizations:write', 'domain-data:write'],
} as const satisfies Operation;

export interface PutOffDependencies extends DomainDependencies {
  readonly attention: Pick<AttentionStore, 'get' | 'putOff'>;
  readonly clock: Clock;
}

/** Puts an item of the organization off until a day, or takes that back; returns the item. */
export async function putOff(
  caller: CallerOf<typeof operation>,
  { id, until, note = null }: InputOf<typeof operation>,
  { domains, attention, clock }: PutOffDependencies,
): Promise<OutcomeOf<typeof operation, AttentionItem>> {
  const now = clock.now();
  const place = readAttentionId(caller.organization, id);
  if (place === undefined) return noSuchItem();
  // The write succeeds only if the item did not change since it was read; otherwise read it again.
  const change = () =>
    untilUncontended(async (): Promise<OutcomeOf<typeof operation, AttentionItem> | undefined> => {
      const before = await attention.get(place.key);
      if (before === undefined) return noSuchItem();
      if (!caller.isCurrent(versionAt(before.changedAt))) return new Refused('precondition_failed');
      if (until !== null && !isNear(until, now))
        return invalid({
          path: 'until',
          message: `must be after today and at most ${MOST_DAYS_PUT_OFF} days ahead`,
        });
      const item = await attention.putOff(place.key, before, { until, note }, now);
      return (
        item && {
          value: item,
          version: versionAt(item.changedAt),
          subjects: [
            {
              ...{ id, name: textOf(item).title },
              changes: changesBetween(
                { until: before.putOffUntil, note: before.note },
                { until: item.putOffUntil, note: item.note },
              ),
            },
          ],
        }
      );
    });
  return place.domainId === null ? change() : onDomain(caller, place.domainId, { domains }, change);
}

const noSuchItem = (): Refused<'not_found'> => new Refused('not_found', missing.attention);

function isNear(day: string, now: Date): boolean {
  const days = daysBetween(dayAt(now), day);
  return days > 0 && days <= MOST_DAYS_PUT_OFF;
}
