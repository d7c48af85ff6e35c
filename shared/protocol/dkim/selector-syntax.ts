/** The syntax of DKIM selectors, apart from the lists of selectors. */
import { isLookupName } from '../domain-name.ts';

/** Whether a text in lower case can be a selector: the name of a subdomain of `_domainkey` (RFC 6376 section 3.1). */
export function isSelector(text: string): boolean {
  return isLookupName(text) && /^[a-z0-9._-]+$/.test(text);
}
