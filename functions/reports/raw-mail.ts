import { missing } from '../../shared/api/common.ts';
import { mailKeyOf } from '../../shared/api/report-mails.ts';
import { config } from '../../shared/runtime/config/config.ts';
import { rawMessageStore } from '../../shared/runtime/dependencies/raw-messages.ts';
import { clock, table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { ServiceError } from '../../shared/runtime/http/errors.ts';
import { contentReply } from '../../shared/runtime/http/reply.ts';
import { requireDomain } from '../../shared/runtime/http/require-domain.ts';
import { covers } from '../../shared/store/api-tokens.ts';
import { domainStore } from '../../shared/store/domains/domains.ts';
import { mailOutcomeStore, mayBeFailureReport } from '../../shared/store/reports/mail-outcomes.ts';
import { routes } from './routes.ts';

/** In base64, it is 5.4 MB; a response of Lambda has at most 6 MB. */
const MAX_BYTES = 4 * 1024 * 1024;

const TOO_LARGE = 'The message is larger than 4 MB, the most that can be downloaded.';
const CONFIDENTIAL =
  'This mail is or may be a failure report, with parts of mail of people: it needs an API token with the scope admin.';

export const handler = endpoint(
  routes.getRawReportMail,
  () => ({
    domains: domainStore(table()),
    mails: mailOutcomeStore(table(), { retentionDays: config().RETENTION_DAYS }),
    raw: rawMessageStore(),
    clock,
  }),
  async ({ organization, path, token }, { domains, mails, raw, clock }) => {
    const { id, domain } = await requireDomain(domains, organization, path.id);
    const mail = await mails.get({ id, organization, domain }, mailKeyOf(path.mailId), clock.now());
    if (mail === undefined) throw new ServiceError('not_found', missing.mail);
    if (mayBeFailureReport(mail) && !covers(token.scope, 'admin'))
      throw new ServiceError('forbidden', CONFIDENTIAL);
    const message = await raw.read(mail.rawKey, MAX_BYTES);
    if (message === undefined) throw new ServiceError('not_found', missing.message);
    if (message === 'too-large') throw new ServiceError('payload_too_large', TOO_LARGE);
    return contentReply('message/rfc822', message, `${path.mailId}.eml`);
  },
);
