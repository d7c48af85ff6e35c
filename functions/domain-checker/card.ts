import { missing } from '../../shared/api/common.ts';
import { badgeHeaders } from '../../shared/pages/badge.ts';
import { card } from '../../shared/pages/check/card.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { computeScore } from '../../shared/score/score.ts';
import { domainCheckShareStore } from '../../shared/store/domain-checks.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getDomainCheckCard,
  () => ({ shares: domainCheckShareStore(table()) }),
  async ({ path: { shareId } }, { shares }) => {
    const check = await shares.get(shareId);
    if (check === undefined) throw new ServiceError('not_found', missing.domainCheck);
    return reply(card(check.domain, computeScore(check.results, check.usageType)), badgeHeaders);
  },
);
