import { missing } from '../../shared/api/common.ts';
import { sharePath } from '../../shared/api/spf-checker.ts';
import { sharePage } from '../../shared/pages/spf/share.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { existing } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { spfShareStore } from '../../shared/store/spf-shares.ts';
import { pages } from './presentation.ts';
import { routes } from './routes.ts';

/** A saved result never changes, but a new release may change the page. */
const CACHE = { 'cache-control': 'public, max-age=300' };

export const handler = endpoint(
  routes.getSpfShare,
  () => ({ shares: spfShareStore(table()), hostUrl: config().HOST_URL, clock }),
  async ({ path: { shareId } }, { shares, hostUrl, clock }) => {
    const check = existing(await shares.visit(shareId, clock.now()), missing.spfResult);
    return reply(sharePage(check, `${hostUrl}${sharePath(shareId)}`), CACHE);
  },
  pages,
);
