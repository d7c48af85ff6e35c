/** What the endpoints about senders and enforcement share. */
import { page, type Reply } from '../../shared/runtime/http/reply.ts';

/** One page of a list that is completely in memory. */
export function pageOf<T>(all: readonly T[], query: { page: number; limit: number }): Reply<T[]> {
  const end = query.page * query.limit;
  const { page: number, limit } = query;
  return page(all.slice(end - limit, end), { page: number, limit, hasMore: all.length > end });
}
