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

/**
 * The test mailbox after a change. If the request also sets a usage type that receives no mail, the mailbox is dropped,
 * as at registration. Setting a mailbox alone on such a domain is refused.
 */
export function changeTestMailbox(
  before: Pick<Domain, 'usageType' | 'testEmailLocalPart'>,
  { usageType, testEmailLocalPart: wanted = before.testEmailLocalPart }: MailboxChange,
): string | null | Refused<'invalid_request'> {
  if (wanted !== null && usageType === undefined && !receivesMail(before.usageType))
    return refusedMailbox(
      `must be null, because a domain with usageType ${before.usageType} receives no mail`,
    );
  return settleTestMailbox(usageType ?? before.usageType, wanted);
}

const refusedMailbox = (message: string): Refused<'invalid_request'> =>
  invalid({ path: 'testEmailLocalPart', message });
