/** Email addresses from user input, in the plain form that every mail system accepts (RFC 5321 section 4.1.2). */
import { parseLookupName } from './domain-name.ts';

interface MailAddress {
  /** The address to send to. The local part is unchanged, because only its own host may interpret it. */
  readonly address: string;
  /** In lowercase A-labels. */
  readonly domain: string;
}

/** The domain of an address of any form, unchanged: the text after the last @, or all of it if there is none. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** The local part of an address of any form, unchanged; empty if there is none. */
export const localPartOf = (address: string): string =>
  address.slice(0, Math.max(address.lastIndexOf('@'), 0));

/** RFC 5321 section 4.1.2 Dot-string, at most 64 octets (section 4.5.3.1.1). */
const LOCAL_PART = /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;

/** RFC 5321 section 4.5.3.1.3: a path has at most 256 octets, including its two angle brackets. */
const MAX_ADDRESS = 254;

/** Parses an address. Undefined for all but one plain address: lists, names, quotes, comments, address literals. */
export function parseMailAddress(text: string): MailAddress | undefined {
  const localPart = localPartOf(text);
  const domain = parseLookupName(domainOf(text));
  if (!LOCAL_PART.test(localPart) || !domain.ok || /[\s_]|\.$/.test(domainOf(text))) return undefined;
  const address = `${localPart}@${domain.name}`;
  return address.length > MAX_ADDRESS ? undefined : { address, domain: domain.name };
}
