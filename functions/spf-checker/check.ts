import { showSpfCheck } from '../../shared/api/spf-checker.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { invalidRequest } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { spfShareStore } from '../../shared/store/spf-shares.ts';
import { routes } from './routes.ts';
import { checkNow, readName, save } from './rules.ts';

export const handler = endpoint(
  routes.checkSpf,
  () => ({
    dns: dns(),
    shares: spfShareStore(table()),
    limits: rateStore(table()),
    hostUrl: config().HOST_URL,
    clock,
  }),
  async ({ body, clientAddress }, { hostUrl, ...deps }) => {
    const parsed = readName(body.domain);
    if (!parsed.ok) throw invalidRequest({ path: 'body.domain', message: parsed.problem });
    const check = await checkNow(parsed.name, deps);
    const share = body.save ? { id: await save(check, clientAddress, deps), hostUrl } : null;
    return reply(showSpfCheck(check, share));
  },
);
