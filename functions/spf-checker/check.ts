import { showSpfCheck } from '../../shared/api/spf-checker.ts';
import { saveResult } from '../../shared/operations/limits/save-result.ts';
import { checkSpf } from '../../shared/operations/spf-checker/check-spf.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { dns } from '../../shared/runtime/dependencies/dns.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer, reply } from '../../shared/runtime/http/reply.ts';
import { rateStore } from '../../shared/store/rates/rates.ts';
import { spfShareStore } from '../../shared/store/spf-shares.ts';
import { routes } from './routes.ts';

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
    const { data: check } = answer(await checkSpf(body, deps));
    const id = body.save ? answer(await saveResult(check, clientAddress, deps)).data : null;
    return reply(showSpfCheck(check, id === null ? null : { id, hostUrl }));
  },
);
