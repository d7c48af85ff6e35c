import { readTypedName } from '../../shared/api/domain-names.ts';
import { usageTypes } from '../../shared/checks/state.ts';
import { checkPath } from '../../shared/pages/check-form.ts';
import { homePage, waitingPage } from '../../shared/pages/domain-checker/form.ts';
import { spfPage } from '../../shared/pages/spf/page.ts';
import { parseDomainName, parseLookupName } from '../../shared/protocol/domain-name.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { Redirect } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { pages } from '../domain-checker/presentation.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.home,
  () => ({ url: `${config().HOST_URL}/`, isPublic: config().PUBLIC_CHECKS === 'on' }),
  async ({ query: { domain: typed = '', usageType } }, { url, isPublic }) => {
    const usage = usageType ?? usageTypes[0];
    if (typed.trim() === '') {
      // Without the domain checker, the form of the other tool takes its place.
      return reply(
        isPublic
          ? homePage({ domain: '' }, usage, url)
          : spfPage({ domain: '' }, { url, hasDomainChecker: false }),
      );
    }
    const parsed = readTypedName(typed, parseDomainName);
    // This was the page of the SPF checker, which accepts more names: links with them lead there.
    const isSpfLink = !parsed.ok && usageType === undefined && readTypedName(typed, parseLookupName).ok;
    if (!isPublic || isSpfLink) throw new Redirect(checkPath('/spf', typed));
    return parsed.ok
      ? reply(waitingPage(parsed.name, usage))
      : { ...reply(homePage({ domain: typed, problem: parsed.problem }, usage, url)), status: 400 };
  },
  pages,
);
