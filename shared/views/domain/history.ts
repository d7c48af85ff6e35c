/** The changes of the check results of a domain. */
import type { ChecksEntry, HistoryStore } from '../../store/check-runs/history.ts';
import type { Domain } from '../../store/domains/domains.ts';

const CHANGES_PER_PAGE = 10;

export interface HistoryView {
  /** Newest first. */
  readonly entries: readonly ChecksEntry[];
  readonly page: number;
  readonly hasMore: boolean;
}

export async function historyOf(
  { id }: Pick<Domain, 'id'>,
  { page }: { readonly page: number },
  { history }: { readonly history: Pick<HistoryStore, 'checks'> },
  now: Date,
): Promise<HistoryView> {
  return { ...(await history.checks(id, { page, limit: CHANGES_PER_PAGE }, now)), page };
}
