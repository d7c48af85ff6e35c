/** Whether the addresses that a record has reports sent to are the mailbox that this service gave the domain. */
import { canonicalName } from '../protocol/domain-name.ts';
import { domainOf, localPartOf } from '../protocol/mail-address.ts';
import { mailtoAddress } from '../protocol/mailto.ts';

export interface ReportMailboxOption {
  /** The mail address at which the service takes reports on the domain; of a domain without one nothing is said. */
  readonly mailbox?: string | undefined;
}

export interface MailboxUse {
  readonly isNamed: boolean;
  /** The URIs of other mailboxes at the same host, where reports on the domain come to nothing. */
  readonly mistaken: readonly string[];
}

export function useOfMailbox(uris: readonly string[], mailbox: string): MailboxUse {
  const own = comparable(mailbox);
  const named = uris.map((uri) => ({ uri, address: comparable(mailtoAddress(uri) ?? '') }));
  const isOther = (address: string) => address !== own && domainOf(address) === domainOf(own);
  return {
    isNamed: named.some(({ address }) => address === own),
    mistaken: named.filter(({ address }) => isOther(address)).map(({ uri }) => uri),
  };
}

/** The service takes local parts in any case. */
function comparable(address: string): string {
  return `${localPartOf(address).toLowerCase()}@${canonicalName(domainOf(address))}`;
}
