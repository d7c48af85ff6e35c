import { missing } from '../../shared/api/common.ts';
import { DAY_MILLISECONDS } from '../../shared/protocol/time.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { clock } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { routes } from './routes.ts';

/** RFC 9116 section 2.5.5 recommends less than a year. */
const VALID_DAYS = 180;

export const handler = endpoint(
  routes.getSecurityTxt,
  () => ({ contact: config().SECURITY_CONTACT, hostUrl: config().HOST_URL, clock }),
  async (_request, { contact, hostUrl, clock }) => {
    if (contact === '') throw new ServiceError('not_found', missing.securityTxt);
    // At midnight, so that the file changes once a day.
    const today = Math.floor(clock.now().getTime() / DAY_MILLISECONDS);
    const expires = new Date((today + VALID_DAYS) * DAY_MILLISECONDS);
    const fields = [
      `Contact: ${contact}`,
      `Expires: ${expires.toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${hostUrl}${routes.getSecurityTxt.path}`,
    ];
    return reply(`${fields.join('\n')}\n`);
  },
);
