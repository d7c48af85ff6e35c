/** The rules of the DKIM check: RFC 6376 with RFC 8301 (key sizes, hashes) and RFC 8463 (Ed25519). */
import { type Rules, rule } from './finding.ts';

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
      `The record of selector ${selector} holds what is not a tag: ${listed(tags)}.`,
    cites: TAG_LIST,
    fix: 'Publish the record again as the sending service shows it, without changes.',
    subject: 'selector',
  }),
  'dkim-duplicate-tags': rule<Listed>({
    severity: 'error',
    says: ({ selector, tags }) =>
      `Tags occur more than once in the record of selector ${selector}: ${listed(tags)}.`,
    cites: TAG_LIST,
    fix: 'Keep each tag once.',
    subject: 'selector',
  }),
  'dkim-empty-tags': rule<Of>({
    severity: 'warning',
    says: ({ selector }) => `The record of selector ${selector} holds a semicolon with no tag before it.`,
    cites: TAG_LIST,
    fix: 'Remove the surplus semicolon.',
    subject: 'selector',
  }),
  'dkim-multiple-records': rule<{ selector: string; count: number }>({
    severity: 'error',
    says: ({ selector, count }) =>
      `Selector ${selector} has ${count} TXT records; verifiers may take any of them.`,
    cites: 'RFC 6376 section 3.6.2.2',
    fix: 'Keep one TXT record at this name.',
    subject: 'selector',
  }),
  'dkim-missing-version': rule<Of>({
    severity: 'notice',
    says: ({ selector }) => `The record of selector ${selector} does not say v=DKIM1, which is recommended.`,
    cites: KEY_RECORD,
    fix: 'Begin the record with "v=DKIM1;".',
    subject: 'selector',
  }),
  'dkim-invalid-version': rule<{ selector: string; version: string }>({
    severity: 'error',
    says: ({ selector, version }) =>
      `The version of selector ${selector} is "${version}", not DKIM1; verifiers discard the key.`,
    cites: KEY_RECORD,
    fix: 'Begin the record with exactly "v=DKIM1;", without backslashes or quotes.',
    subject: 'selector',
  }),
  'dkim-version-not-first': rule<Of>({
    severity: 'error',
    says: ({ selector }) => `The v tag of selector ${selector} is not the first tag of the record.`,
    cites: KEY_RECORD,
    fix: 'Begin the record with "v=DKIM1;".',
    subject: 'selector',
  }),
  'dkim-unknown-key-type': rule<{ selector: string; type: string }>({
    severity: 'error',
    says: ({ selector, type }) => `Selector ${selector} has a key of type "${type}", which verifiers ignore.`,
    cites: KEY_RECORD,
    fix: 'Publish a key of type rsa or ed25519.',
    subject: 'selector',
  }),
  'dkim-missing-key': rule<Of>({
    severity: 'error',
    says: ({ selector }) => `The record of selector ${selector} has no p tag and so no public key.`,
    cites: KEY_RECORD,
    fix: 'Publish the public key in the p tag.',
    subject: 'selector',
  }),
  'dkim-revoked': rule<Of>({
    severity: 'notice',
    says: ({ selector }) => `The key of selector ${selector} is revoked.`,
    cites: KEY_RECORD,
    fix: 'Nothing needs doing; the record can go once no mail signed with the key is on its way.',
    subject: 'selector',
  }),
  'dkim-malformed-base64': rule<Of>({
    severity: 'error',
    says: ({ selector }) => `The public key of selector ${selector} is not base64.`,
    cites: KEY_RECORD,
    fix: 'Publish the key again; look for quotes, spaces or cut-off parts where long values were split.',
    subject: 'selector',
  }),
  'dkim-malformed-key': rule<{ selector: string; type: string }>({
    severity: 'error',
    says: ({ selector, type }) =>
      `The public key of selector ${selector} is not a key of type ${type}, or it was cut off.`,
    cites: KEY_RECORD,
    fix: 'Publish the whole key: SubjectPublicKeyInfo for rsa, the 32 octets of the key alone for ed25519.',
    subject: 'selector',
  }),
  'dkim-key-too-short': rule<Bits>({
    severity: 'error',
    says: ({ selector, bits }) =>
      `The RSA key of selector ${selector} has ${bits} bits; verifiers refuse keys under 1024.`,
    cites: 'RFC 8301 section 3.2',
    fix: 'Replace the key by one of 2048 bits.',
    subject: 'selector',
  }),
  'dkim-key-short': rule<Bits>({
    severity: 'warning',
    says: ({ selector, bits }) =>
      `The RSA key of selector ${selector} has ${bits} bits; 2048 are recommended.`,
    cites: 'RFC 8301 section 3.2',
    fix: 'Replace the key by one of 2048 bits.',
    subject: 'selector',
  }),
  'dkim-key-long': rule<Bits>({
    severity: 'warning',
    says: ({ selector, bits }) =>
      `The RSA key of selector ${selector} has ${bits} bits; verifiers need not handle more than 4096.`,
    cites: 'RFC 8301 section 3.2',
    fix: 'Use a key of 2048 to 4096 bits.',
    subject: 'selector',
  }),
  'dkim-no-usable-hash': rule<{ selector: string; hashes: readonly string[] }>({
    severity: 'error',
    says: ({ selector, hashes }) =>
      `Selector ${selector} allows only ${listed(hashes)}, but signatures must use sha256.`,
    cites: 'RFC 8301 section 3.1',
    fix: 'Remove the h tag, or let it say sha256.',
    subject: 'selector',
  }),
  'dkim-not-for-email': rule<{ selector: string; services: readonly string[] }>({
    severity: 'error',
    says: ({ selector, services }) =>
      `The key of selector ${selector} is for ${listed(services)}, not for email.`,
    cites: KEY_RECORD,
    fix: 'Remove the s tag, or let it say email.',
    subject: 'selector',
  }),
  'dkim-testing': rule<Of>({
    severity: 'warning',
    says: ({ selector }) =>
      `t=y marks selector ${selector} as a test: verifiers are to treat its mail as if it were not signed, though not all do.`,
    cites: KEY_RECORD,
    fix: 'Remove the y flag when the test is over.',
    subject: 'selector',
  }),
  'dkim-selector-unavailable': rule<{ selector: string; reason: string }>({
    severity: 'notice',
    says: ({ selector, reason }) => `Selector ${selector} could not be asked (${reason}).`,
    cites: 'RFC 6376 section 6.1.2',
    fix: 'Nothing needs doing unless it lasts; then look at the name servers of the domain.',
    subject: 'selector',
  }),
  'dkim-selector-gone': rule<Of>({
    severity: 'notice',
    says: ({ selector }) => `Selector ${selector}, which was seen before, has no key any more.`,
    cites: 'RFC 6376 section 3.6.1',
    fix: 'Nothing needs doing if the key was rotated; if mail is still signed with it, publish the key again.',
    subject: 'selector',
  }),
  'dkim-none-found': rule<{ tried: number }>({
    severity: 'notice',
    says: ({ tried }) =>
      `No key was found under ${tried} usual selectors. The DNS cannot list selectors, so this is no proof that there is none.`,
    cites: 'RFC 6376 section 3.1',
    fix: 'Send a message, signed as usual, to a test address of the inbound mail tester and run the checks again: selectors whose signatures verify there are looked at from then on, as are those in DMARC reports to the mailbox of the domain.',
  }),
  'dkim-incomplete': rule<{ unavailable: number; tried: number }>({
    severity: 'notice',
    says: ({ unavailable, tried }) => `${unavailable} of ${tried} selectors could not be asked.`,
    cites: 'RFC 6376 section 6.1.2',
    fix: 'Nothing needs doing; they are asked again with the next check.',
  }),
  'dkim-ed25519-only': rule({
    severity: 'notice',
    says: () => 'All keys found are of type ed25519, which many receivers cannot verify yet.',
    cites: 'RFC 8463 section 6',
    fix: 'Sign with an RSA key of 2048 bits as well.',
  }),
  'dkim-wildcard': rule<{ domain: string }>({
    severity: 'notice',
    says: ({ domain }) =>
      `A wildcard answers for every name below _domainkey.${domain}; what it says is not counted as a key.`,
    cites: 'RFC 6376 section 6.1.2',
    fix: 'Nothing needs doing where the wildcard revokes all keys (p is empty); otherwise restrict it, so that names without a key do not exist.',
  }),
} satisfies Rules;
