/** The mailbox that the delivery check uses, which a domain that receives mail must have. */
import { receivesMail, type UsageType } from '../../checks/state.ts';
import type { Domain } from '../../store/domains/domains.ts';
import { invalid, type Refused } from '../outcome.ts';

/** The test mailbox for a usage type: required if the domain receives mail, otherwise null. */
export function settleTestMailbox(
  usage: UsageType,
  localPart: string | null,
): string | null | Refused<'invalid_request'> {
  if (!receivesMail(usage)) return null;
  return localPart ?? refusedMailbox('is required for a domain that receives mail');
}

interface MailboxChange {
  readonly usageType?: UsageType | undefined;
  readonly testEmailLocalPart?: string | null | undefined;
}

/** The test mailbox after a change: as at registration, that of a domain that receives no mail is ignored. */
export const changeTestMailbox = (
  before: Pick<Domain, 'usageType' | 'testEmailLocalPart'>,
  { usageType = before.usageType, testEmailLocalPart = before.testEmailLocalPart }: MailboxChange,
): string | null | Refused<'invalid_request'> => settleTestMailbox(usageType, testEmailLocalPart);

const refusedMailbox = (message: string): Refused<'invalid_request'> =>
  invalid({ path: 'testEmailLocalPart', message });
