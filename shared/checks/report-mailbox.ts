/** Whether the report addresses in a record are the report mailbox that this service assigned to the domain. */
import { canonicalName } from '../protocol/domain-name.ts';
import { domainOf, localPartOf } from '../protocol/mail-address.ts';
import { mailtoAddress } from '../protocol/mailto.ts';

export interface ReportMailboxOption {
  /** The email address at which the service receives reports for the domain. Without one, there are no such findings. */
  readonly mailbox?: string | undefined;
}

interface MailboxUse {
  readonly isNamed: boolean;
  /** The URIs of other mailboxes at the same host, where reports for the domain are not counted. */
  readonly mistaken: readonly string[];
}

export function mailboxUse(uris: readonly string[], mailbox: string): MailboxUse {
  const own = comparable(mailbox);
  const named = uris.map((uri) => ({ uri, address: comparable(mailtoAddress(uri) ?? '') }));
  const isOther = (address: string) => address !== own && domainOf(address) === domainOf(own);
  return {
    isNamed: named.some(({ address }) => address === own),
    mistaken: named.filter(({ address }) => isOther(address)).map(({ uri }) => uri),
  };
}

/** The service treats local parts as case-insensitive. */
function comparable(address: string): string {
  return `${localPartOf(address).toLowerCase()}@${canonicalName(domainOf(address))}`;
}
