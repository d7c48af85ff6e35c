import { checkPage, homePage } from '../../shared/pages/home.ts';
import { pages } from '../../shared/pages/presentation.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { checkNow, readName } from '../spf-checker/rules.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.home,
  () => ({ dns: dns(), url: `${config().HOST_URL}/`, clock }),
  async ({ query: { domain: typed = '' } }, { dns, url, clock }) => {
    if (typed.trim() === '') return reply(homePage({ domain: '' }, url));
    const parsed = readName(typed);
    return parsed.ok
      ? reply(checkPage(await checkNow(parsed.name, dns, clock)))
      : { ...reply(homePage({ domain: typed, problem: parsed.problem }, url)), status: 400 };
  },
  pages,
);
