/** Mail addresses that people type in: the plain form, which every mail system takes (RFC 5321 section 4.1.2). */
import { parseLookupName } from './domain-name.ts';

export interface MailAddress {
  /** As it is written to; the local part is left as it was typed, for only its own host may judge it. */
  readonly address: string;
  /** In lower-case A-labels. */
  readonly domain: string;
}

/** The domain of an address of any form, as it stands: what is behind the last @. A text without one is a domain. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** The local part of an address of any form, as it stands; empty where there is none. */
export const localPartOf = (address: string): string =>
  address.slice(0, Math.max(address.lastIndexOf('@'), 0));

/** RFC 5321 section 4.1.2 Dot-string, at most 64 octets (section 4.5.3.1.1). */
const LOCAL_PART = /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** RFC 5321 section 4.5.3.1.3: a path has 256 octets, two of which are its brackets. */
const MAX_ADDRESS = 254;

/** Undefined for whatever is not one plain address: lists, names, quotes, comments, address literals. */
export function parseMailAddress(text: string): MailAddress | undefined {
  const localPart = localPartOf(text);
  const domain = parseLookupName(domainOf(text));
  if (!LOCAL_PART.test(localPart) || !domain.ok || /[\s_]|\.$/.test(domainOf(text))) return undefined;
  const address = `${localPart}@${domain.name}`;
  return address.length > MAX_ADDRESS ? undefined : { address, domain: domain.name };
}
