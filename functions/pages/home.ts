import { homePage, resultPage, waitingPage } from '../../shared/pages/check/page.ts';
import { spfPage } from '../../shared/pages/spf/page.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { pages } from '../domain-checker/presentation.ts';
import { assess, checkDependencies, checkNow, readDomain } from '../domain-checker/rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.home,
  () => ({ ...checkDependencies(), url: `${config().HOST_URL}/`, isPublic: config().PUBLIC_CHECKS === 'on' }),
  async ({ query: { domain: typed = '', usageType, wait } }, { url, isPublic, ...deps }) => {
    // Without the domain checker, the form of the other tool takes its place.
    if (!isPublic) return reply(spfPage({ domain: typed }, { url, hasDomainChecker: false }));
    if (typed.trim() === '') return reply(homePage({ domain: '' }, url));
    const parsed = readDomain(typed);
    if (!parsed.ok)
      return { ...reply(homePage({ domain: typed, problem: parsed.problem }, url)), status: 400 };
    const checked =
      wait === undefined
        ? await deps.checks.recent(parsed.name, null, deps.clock.now())
        : await checkNow(parsed.name, null, deps);
    return reply(
      checked === undefined
        ? waitingPage(parsed.name, usageType)
        : resultPage(await assess({ ...checked, usageType }, null)),
    );
  },
  pages,
);
