import { auditCsv, auditLines } from '../../shared/api/audit.ts';
import { windowOf } from '../../shared/api/report-queries.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { inPieces } from '../../shared/runtime/http/body.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { pageTokens } from '../../shared/runtime/http/page-tokens.ts';
import { contentReply, csvReply, page } from '../../shared/runtime/http/reply.ts';
import { answerTooLarge } from '../../shared/runtime/http/too-large.ts';
import { auditStore } from '../../shared/store/audit.ts';
import { routes } from './routes.ts';

/** Entries of one export, about 5 MB of JSON. */
const MOST_EXPORTED = 10_000;

const SHORTER = 'a shorter period (since and until)';

export const handler = endpoint(
  routes.listAudit,
  () => ({ audit: auditStore(table()), tokens: pageTokens(table()), clock }),
  async (request, { audit, tokens, clock }) => {
    const { organization, query } = request;
    const { startDate = query.since, endDate = query.until } = query;
    if (request.accepts.format !== undefined) {
      const all = { page: 1, limit: MOST_EXPORTED };
      const period = windowOf({ startDate, endDate });
      const { entries, hasMore } = await audit.list(organization, period, all, clock.now());
      if (hasMore) throw answerTooLarge(request.accepts, { lessBy: [SHORTER] });
      const isCsv = request.accepts.format === 'text/csv';
      return isCsv
        ? csvReply(auditCsv(entries), 'audit.csv')
        : contentReply('application/jsonl; charset=utf-8', inPieces(auditLines(entries)), 'audit.jsonl');
    }
    const place = await tokens.placeOf(routes.listAudit, request);
    const found = await audit.list(organization, windowOf({ startDate, endDate }), place, clock.now());
    return page([...found.entries], await tokens.paginationOf(place, found));
  },
);
