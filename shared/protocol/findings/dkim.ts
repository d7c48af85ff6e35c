/** The rules of the DKIM check: RFC 6376 with RFC 8301 (key sizes, hashes) and RFC 8463 (Ed25519). */
import { ifRegistered, type Rules, rule } from './finding.ts';

const KEY_RECORD = 'RFC 6376 section 3.6.1';
const TAG_LIST = 'RFC 6376 section 3.2';

const listed = (items: readonly string[]) => items.join(', ');

type Of = { readonly selector: string };
type Bits = { readonly selector: string; readonly bits: number };
type Listed = { readonly selector: string; readonly tags: readonly string[] };

export const dkimRules = {
  'dkim-malformed-tags': rule<Listed>({
    severity: 'error',
    says: ({ selector, tags }) =>
      `The DKIM record of selector ${selector} contains invalid tags: ${listed(tags)}.`,
    cites: TAG_LIST,
    fix: 'Publish the record again exactly as the sending service provides it.',
    subject: 'selector',
  }),
  'dkim-duplicate-tags': rule<Listed>({
    severity: 'error',
    says: ({ selector, tags }) =>
      `Duplicate tags make the DKIM record of selector ${selector} invalid: ${listed(tags)}.`,
    cites: TAG_LIST,
    fix: 'Keep only one of each tag.',
    subject: 'selector',
  }),
  'dkim-empty-tags': rule<Of>({
    severity: 'warning',
    says: ({ selector }) =>
      `The DKIM record of selector ${selector} contains an empty tag: a semicolon with no tag before it.`,
    cites: TAG_LIST,
    fix: 'Remove the extra semicolon.',
    subject: 'selector',
  }),
  'dkim-multiple-records': rule<{ selector: string; count: number }>({
    severity: 'error',
    says: ({ selector, count }) =>
      `Selector ${selector} has ${count} TXT records; verifiers may use any of them.`,
    cites: 'RFC 6376 section 3.6.2.2',
    fix: ({ selector }, { domain }) => `Keep exactly one TXT record at ${selector}._domainkey.${domain}.`,
    subject: 'selector',
  }),
  'dkim-missing-version': rule<Of>({
    severity: 'notice',
    says: ({ selector }) =>
      `The DKIM record of selector ${selector} has no v=DKIM1 tag, which is recommended.`,
    cites: KEY_RECORD,
    fix: 'Start the record with "v=DKIM1;".',
    subject: 'selector',
  }),
  'dkim-invalid-version': rule<{ selector: string; version: string }>({
    severity: 'error',
    says: ({ selector, version }) =>
      `The DKIM record of selector ${selector} has the version "${version}" instead of DKIM1, so verifiers discard the key.`,
    cites: KEY_RECORD,
    fix: 'Start the record with exactly "v=DKIM1;", without backslashes or quotes.',
    subject: 'selector',
  }),
  'dkim-next-version': rule<Of>({
    severity: 'notice',
    state: 'not-applicable',
    says: ({ selector }) =>
      `The record of selector ${selector} is a key of DKIM2, the successor of DKIM that is being written. Verifiers of DKIM ignore it, and it does not count as a key of DKIM.`,
    cites: KEY_RECORD,
    fix: ({ selector }) =>
      `No action needed if only DKIM2 signatures name selector ${selector}. DKIM signatures need a key with v=DKIM1 at another selector.`,
    subject: 'selector',
  }),
  'dkim-next-key-type': rule<{ selector: string; type: string }>({
    severity: 'notice',
    state: 'not-applicable',
    says: ({ selector, type }) =>
      `The key of selector ${selector} is of the type ${type} (ML-DSA, FIPS 204), which withstands quantum computers and which few verifiers know yet. The others ignore it.`,
    cites: KEY_RECORD,
    fix: 'No action needed as long as the same mail is also signed with an rsa key of 2048 bits at another selector.',
    subject: 'selector',
  }),
  'dkim-version-not-first': rule<Of>({
    severity: 'error',
    says: ({ selector }) => `The v tag is not the first tag in the DKIM record of selector ${selector}.`,
    cites: KEY_RECORD,
    fix: 'Start the record with "v=DKIM1;".',
    subject: 'selector',
  }),
  'dkim-unknown-key-type': rule<{ selector: string; type: string }>({
    severity: 'error',
    says: ({ selector, type }) =>
      `The key of selector ${selector} has the unknown type "${type}" (k tag), so verifiers ignore it.`,
    cites: KEY_RECORD,
    fix: 'Publish an rsa or ed25519 key.',
    subject: 'selector',
  }),
  'dkim-missing-key': rule<Of>({
    severity: 'error',
    says: ({ selector }) =>
      `The DKIM record of selector ${selector} has no p tag and therefore no public key.`,
    cites: KEY_RECORD,
    fix: ({ selector }, { domain }) =>
      `Publish the public key in the p tag of the record at ${selector}._domainkey.${domain}.`,
    subject: 'selector',
  }),
  'dkim-revoked': rule<Of>({
    severity: 'notice',
    state: 'not-applicable',
    says: ({ selector }) => `The key of selector ${selector} is revoked (empty p tag).`,
    cites: KEY_RECORD,
    fix: 'No action needed. Delete the record when no mail signed with the key is in transit.',
    subject: 'selector',
  }),
  'dkim-malformed-base64': rule<Of>({
    severity: 'error',
    says: ({ selector }) =>
      `The public key of selector ${selector} is not valid base64, so verifiers cannot use it.`,
    cites: KEY_RECORD,
    fix: 'Publish the key again. Check for quotes, spaces or truncated parts where a long value was split.',
    subject: 'selector',
  }),
  'dkim-malformed-key': rule<{ selector: string; type: string }>({
    severity: 'error',
    says: ({ selector, type }) =>
      `The public key of selector ${selector} is not a valid ${type} key, or it is truncated.`,
    cites: KEY_RECORD,
    fix: 'Publish the complete key: a SubjectPublicKeyInfo structure for rsa, or only the 32 bytes of the key for ed25519.',
    subject: 'selector',
  }),
  'dkim-key-too-short': rule<Bits>({
    severity: 'error',
    says: ({ selector, bits }) =>
      `The RSA key of selector ${selector} has ${bits} bits; verifiers reject keys shorter than 1024 bits.`,
    cites: 'RFC 8301 section 3.2',
    fix: 'Replace the key with a 2048-bit key.',
    subject: 'selector',
  }),
  'dkim-key-short': rule<Bits>({
    severity: 'warning',
    says: ({ selector, bits }) =>
      `The RSA key of selector ${selector} has ${bits} bits; at least 2048 bits are recommended.`,
    cites: 'RFC 8301 section 3.2',
    fix: 'Replace the key with a 2048-bit key.',
    subject: 'selector',
  }),
  'dkim-key-long': rule<Bits>({
    severity: 'warning',
    says: ({ selector, bits }) =>
      `The RSA key of selector ${selector} has ${bits} bits; verifiers do not have to support more than 4096 bits.`,
    cites: 'RFC 8301 section 3.2',
    fix: 'Use a key of 2048 to 4096 bits.',
    subject: 'selector',
  }),
  'dkim-no-usable-hash': rule<{ selector: string; hashes: readonly string[] }>({
    severity: 'error',
    says: ({ selector, hashes }) =>
      `The h tag of selector ${selector} allows only ${listed(hashes)}, but DKIM signatures must use sha256.`,
    cites: 'RFC 8301 section 3.1',
    fix: 'Remove the h tag, or set it to h=sha256.',
    subject: 'selector',
  }),
  'dkim-not-for-email': rule<{ selector: string; services: readonly string[] }>({
    severity: 'error',
    says: ({ selector, services }) =>
      `The s tag of selector ${selector} limits the key to ${listed(services)}, so it cannot be used for email.`,
    cites: KEY_RECORD,
    fix: 'Remove the s tag, or set it to s=email.',
    subject: 'selector',
  }),
  'dkim-testing': rule<Of>({
    severity: 'warning',
    says: ({ selector }) =>
      `t=y puts the key of selector ${selector} in test mode: verifiers must treat mail signed with it as unsigned, but not all do.`,
    cites: KEY_RECORD,
    fix: 'Remove the y flag when the test is over.',
    subject: 'selector',
  }),
  'dkim-selector-unavailable': rule<{ selector: string; reason: string }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ selector, reason }) => `The DNS lookup for selector ${selector} failed (${reason}).`,
    cites: 'RFC 6376 section 6.1.2',
    fix: "No action needed unless it keeps failing. In that case, check the domain's authoritative name servers.",
    subject: 'selector',
  }),
  'dkim-selector-gone': rule<Of>({
    severity: 'notice',
    says: ({ selector }) => `Selector ${selector} was seen before but no longer has a key.`,
    cites: 'RFC 6376 section 3.6.1',
    fix: 'No action needed if the key was rotated. If mail is still signed with it, publish the key again.',
    subject: 'selector',
  }),
  'dkim-selector-missing': rule<Of>({
    severity: 'warning',
    says: ({ selector }) =>
      `You named the selector ${selector}, but it has no key, so signatures with it cannot be verified.`,
    cites: 'RFC 6376 section 6.1.2',
    fix: ({ selector }, { domain }) =>
      `Publish the key at ${selector}._domainkey.${domain}. If no mail is signed with this selector, remove it from the named selectors.`,
    subject: 'selector',
  }),
  'dkim-dangling-alias': rule<{ selector: string; target: string }>({
    severity: 'warning',
    says: ({ selector, target }) =>
      `Selector ${selector} is an alias (CNAME) of ${target}, which does not exist.`,
    cites: 'RFC 6376 section 6.1.2',
    fix: ({ selector, target }, owner) =>
      `Remove the CNAME record at ${selector}._domainkey.${owner.domain}, or have the service behind it publish the key.${ifRegistered(target, owner, 'sign mail')}`,
    subject: 'selector',
  }),
  'dkim-none-found': rule<{ tried: number }>({
    severity: 'notice',
    state: 'absent',
    says: ({ tried }) =>
      `No DKIM key was found at ${tried} common selectors. Selectors cannot be listed through DNS, so the domain may use a different one.`,
    cites: 'RFC 6376 section 3.1',
    fix: "Name the selectors of your mail (dkimSelectors), or send a DKIM-signed message to a mail tester address, and run the checks again. Selectors whose signatures verify there, and selectors in DMARC reports to the domain's report mailbox, are checked from then on.",
  }),
  'dkim-incomplete': rule<{ unavailable: number; tried: number }>({
    severity: 'notice',
    failedLookup: 'check',
    says: ({ unavailable, tried }) =>
      `DNS lookups failed for ${unavailable === tried ? `all ${tried}` : `${unavailable} of ${tried}`} selectors.`,
    cites: 'RFC 6376 section 6.1.2',
    fix: 'No action needed; the next check retries them.',
  }),
  'dkim-ed25519-only': rule({
    severity: 'notice',
    says: () => 'All keys found are Ed25519 keys, which many receivers cannot verify yet.',
    cites: 'RFC 8463 section 6',
    fix: 'Also sign with a 2048-bit RSA key.',
  }),
  'dkim-wildcard': rule<{ domain: string }>({
    severity: 'notice',
    says: ({ domain }) =>
      `A wildcard record answers for every name under _domainkey.${domain}; its content does not count as a key.`,
    cites: 'RFC 6376 section 6.1.2',
    fix: 'No action needed if the wildcard revokes all keys (empty p tag). Otherwise, restrict it so that names without a key do not exist.',
  }),
} satisfies Rules;
