import { missing } from '../../shared/api/common.ts';
import { domainCheckPath } from '../../shared/api/domain-checker.ts';
import { canonicalJson } from '../../shared/evidence/canonical.ts';
import { getSharedEvidence } from '../../shared/operations/evidence/get-shared-evidence.ts';
import { sharedPage } from '../../shared/pages/domain-checker/result.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { signingDependencies } from '../../shared/runtime/dependencies/evidence.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { existing } from '../../shared/runtime/http/errors.ts';
import { answer, contentReply, reply } from '../../shared/runtime/http/reply.ts';
import { domainCheckShareStore } from '../../shared/store/domain-checks.ts';
import { assess } from '../../shared/views/assessed-check.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';

/** A saved result never changes, but a new release may change the page. */
const CACHE = { 'cache-control': 'public, max-age=300' };

export const handler = endpoint(
  routes.getDomainCheckShare,
  () => ({
    shares: domainCheckShareStore(table()),
    hostUrl: config().HOST_URL,
    signed: signingDependencies,
    clock,
  }),
  async ({ path: { shareId }, query }, { shares, hostUrl, clock, signed }) => {
    if (query.as === 'evidence') {
      const { data } = answer(await getSharedEvidence(shareId, { ...signed(), shares }));
      return contentReply('application/json; charset=utf-8', canonicalJson(data), 'evidence.json');
    }
    const check = existing(await shares.visit(shareId, clock.now()), missing.domainCheck);
    return reply(
      sharedPage(await assess({ check, owner: null }), `${hostUrl}${domainCheckPath(shareId)}`),
      CACHE,
    );
  },
  pages,
);
