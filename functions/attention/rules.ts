/** How attention items are put off, by the API and by the console. */
import type * as z from 'zod/mini';
import { MOST_DAYS_PUT_OFF, type putOffBody, readAttentionId } from '../../shared/api/attention-requests.ts';
import { missing } from '../../shared/api/common.ts';
import { textOf } from '../../shared/attention/kinds.ts';
import type { Clock } from '../../shared/network/ports.ts';
import type { Subject } from '../../shared/operations/outcome.ts';
import { daysBetween } from '../../shared/reports/day.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { isCurrent, versionAt } from '../../shared/runtime/http/entity-tag.ts';
import { invalidRequest, ServiceError } from '../../shared/runtime/http/errors.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { type AttentionStore, attentionStore } from '../../shared/store/attention.ts';
import type { AttentionItem } from '../../shared/store/attention-items.ts';
import { untilUncontended } from '../../shared/store/contention.ts';
import { type DomainStore, domainStore } from '../../shared/store/domains/domains.ts';

export interface PutOffDependencies {
  readonly domains: DomainStore;
  readonly attention: Pick<AttentionStore, 'get' | 'putOff'>;
  readonly clock: Clock;
}

export const putOffDependencies = (): PutOffDependencies => ({
  domains: domainStore(table()),
  attention: attentionStore(table()),
  clock,
});

/** The version of an item, which putting it off replaces. */
export const versionOf = ({ changedAt }: AttentionItem): string => versionAt(changedAt);

/** An item in the audit log. */
export const subjectOf = (id: string, item: AttentionItem): Subject => ({
  id,
  name: textOf(item).title,
});

/**
 * Puts an item of the organization off until a day, or takes that back.
 * @throws ServiceError `invalid_request`, `not_found`, `precondition_failed`.
 */
export async function putOff(
  organization: string,
  id: string,
  { until, note = null }: z.output<typeof putOffBody>,
  { domains, attention, clock }: PutOffDependencies,
  ifMatch?: string,
): Promise<AttentionItem> {
  const now = clock.now();
  const read = readAttentionId(organization, id);
  if (read === undefined) throw new ServiceError('not_found', missing.attention);
  if (read.domainId !== null) await requireDomain(domains, organization, read.domainId);
  // The write succeeds only if the item did not change since it was read; otherwise read it again.
  return untilUncontended(async () => {
    const before = await attention.get(read.key);
    if (before === undefined) throw new ServiceError('not_found', missing.attention);
    if (!isCurrent(versionOf(before), ifMatch)) throw new ServiceError('precondition_failed');
    if (until !== null) requireNearDay(until, now);
    return attention.putOff(read.key, before, { until, note }, now);
  });
}

function requireNearDay(until: string, now: Date): void {
  const days = daysBetween(now.toISOString().slice(0, 10), until);
  if (days > 0 && days <= MOST_DAYS_PUT_OFF) return;
  throw invalidRequest({
    path: 'body.until',
    message: `must be after today and at most ${MOST_DAYS_PUT_OFF} days ahead`,
  });
}
