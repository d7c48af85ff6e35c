import { Refused } from '../../shared/operations/outcome.ts';
import { checkSpf } from '../../shared/operations/spf-checker/check-spf.ts';
import { spfPage, spfResultPage } from '../../shared/pages/spf/page.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, itemStore } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, reply } from '../../shared/runtime/http/reply.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.showSpfChecker,
  () => ({
    dns: dns(),
    place: { url: `${config().HOST_URL}/spf`, hasDomainChecker: config().PUBLIC_CHECKS === 'on' },
    limits: rateStore(itemStore()),
    clock,
  }),
  async ({ query: { domain: typed = '' } }, { place, ...deps }) => {
    if (typed.trim() === '') return reply(spfPage({ domain: '' }, place));
    const outcome = await checkSpf({ domain: typed }, deps);
    const problem = outcome instanceof Refused ? outcome.problems?.[0].message : undefined;
    return problem === undefined
      ? answer(outcome, spfResultPage)
      : { ...reply(spfPage({ domain: typed, problem }, place)), status: 400 };
  },
  pages,
);
