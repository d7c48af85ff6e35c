/** Validates the addresses that alerts may be sent to. */
import { isWithin } from '../protocol/domain-name.ts';
import { parseMailAddress } from '../protocol/mail-address.ts';

export type Recipient =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Parses an address. Rejects addresses in `ownDomains`, where this service receives mail itself: a report about the
 * alert mail would raise the next alert.
 */
export function parseRecipient(text: string, ownDomains: readonly string[]): Recipient {
  const parsed = parseMailAddress(text);
  if (parsed === undefined) return { ok: false, problem: 'it is not a valid email address' };
  const own = ownDomains.find((domain) => isWithin(parsed.domain, domain));
  return own === undefined
    ? { ok: true, address: parsed.address }
    : { ok: false, problem: `this service itself receives the mail for ${own}` };
}
