/** To which addresses alerts may be mailed. */
import { isWithin } from '../protocol/domain-name.ts';
import { parseMailAddress } from '../protocol/mail-address.ts';

export type Recipient =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads an address. Refuses those below `ownDomains`, where this service receives mail itself: a report about the
 * alert would raise the next alert.
 */
export function parseRecipient(text: string, ownDomains: readonly string[]): Recipient {
  const parsed = parseMailAddress(text);
  if (parsed === undefined) return { ok: false, problem: 'it is not a plain mail address' };
  const own = ownDomains.find((domain) => isWithin(parsed.domain, domain));
  return own === undefined
    ? { ok: true, address: parsed.address }
    : { ok: false, problem: `mail to ${own} comes to this service itself` };
}
