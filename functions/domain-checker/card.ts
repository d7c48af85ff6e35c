import { missing } from '../../shared/api/common.ts';
import { CARD, card } from '../../shared/pages/domain-checker/card.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { existing } from '../../shared/runtime/http/errors.ts';
import { contentReply } from '../../shared/runtime/http/reply.ts';
import { computeScore } from '../../shared/score/score.ts';
import { domainCheckShareStore } from '../../shared/store/domain-checks.ts';
import { routes } from './routes.ts';

/** Sites that show the preview may embed the image. */
const CROSS_ORIGIN = { 'cross-origin-resource-policy': 'cross-origin' };

export const handler = endpoint(
  routes.getDomainCheckCard,
  () => ({ shares: domainCheckShareStore(table()), clock }),
  async ({ path: { shareId } }, { shares, clock }) => {
    const check = existing(await shares.get(shareId, clock.now()), missing.domainCheck);
    const image = card(check.domain, computeScore(check.results, check.usageType));
    return { ...contentReply(CARD.type, image), headers: CROSS_ORIGIN };
  },
);
