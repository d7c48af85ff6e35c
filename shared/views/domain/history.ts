/** The changes of the check results of a domain. */
import type { ChecksEntry, HistoryStore } from '../../store/check-runs/history.ts';
import type { Domain } from '../../store/domains/domains.ts';

const CHANGES_PER_PAGE = 10;

export interface HistoryView {
  /** Newest first. */
  readonly entries: readonly ChecksEntry[];
  readonly page: number;
  readonly hasMore: boolean;
  /** The time of the first entry of the list, if it does not begin with the newest one. */
  readonly until?: string | undefined;
}

export async function historyOf(
  { id }: Pick<Domain, 'id'>,
  { page, until }: { readonly page: number; readonly until?: string | undefined },
  { history }: { readonly history: Pick<HistoryStore, 'checks'> },
  now: Date,
): Promise<HistoryView> {
  return { ...(await history.checks(id, { page, limit: CHANGES_PER_PAGE }, now, until)), page, until };
}
