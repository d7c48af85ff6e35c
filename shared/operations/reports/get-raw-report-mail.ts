import { missing } from '../../api/common.ts';
import { mailKeyOf, mailPath } from '../../api/report-mails.ts';
import type { Clock } from '../../network/ports.ts';
import { covers } from '../../store/api-tokens.ts';
import type { RawMessages } from '../../store/raw-messages.ts';
import { type MailOutcomeStore, mayBeFailureReport } from '../../store/reports/mail-outcomes.ts';
import { type DomainDependencies, onDomain } from '../domains/on-domain.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

export const operation = {
  name: 'getRawReportMail',
  summary: 'Download a mail as it arrived',
  description:
    "Mails of up to 4 MB. Failure reports contain parts of people's mail: they, and mails that were not read to the end (`over-quota`, `not-read`, `too-large`, or `unreadable` as a whole), need a token with the scope `admin`.",
  scope: 'read',
  on: mailPath,
  refusals: ['not_found', 'forbidden', 'payload_too_large'],
  uses: ['organizations:read', 'domain-data:read', 'report-mail:read'],
} as const satisfies Operation;

/** In base64, it is 5.4 MB; a response of Lambda has at most 6 MB. */
const MAX_BYTES = 4 * 1024 * 1024;

const TOO_LARGE = 'The message is larger than 4 MB, the most that can be downloaded.';
const CONFIDENTIAL =
  'This mail is or may be a failure report, with parts of mail of people: it needs an API token with the scope admin.';

interface RawMailDependencies extends DomainDependencies {
  readonly mails: Pick<MailOutcomeStore, 'get'>;
  readonly raw: Pick<RawMessages, 'read'>;
  readonly clock: Clock;
}

export const getRawReportMail = (
  caller: CallerOf<typeof operation>,
  { id, mailId }: InputOf<typeof operation>,
  { domains, mails, raw, clock }: RawMailDependencies,
): Promise<OutcomeOf<typeof operation, Uint8Array>> =>
  onDomain(caller, id, { domains }, async ({ organization, domain }) => {
    const mail = await mails.get({ id, organization, domain }, mailKeyOf(mailId), clock.now());
    if (mail === undefined) return new Refused('not_found', missing.mail);
    if (mayBeFailureReport(mail) && caller.token !== null && !covers(caller.token.scope, 'admin'))
      return new Refused('forbidden', CONFIDENTIAL);
    const message = await raw.read(mail.rawKey, MAX_BYTES);
    if (message === undefined) return new Refused('not_found', missing.message);
    if (message === 'too-large') return new Refused('payload_too_large', TOO_LARGE);
    return { value: message };
  });
