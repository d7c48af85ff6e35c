/** Domain names: from user input to the canonical form for storage and comparison (RFC 1035, RFC 5891). */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { parse } from 'tldts';

export type DomainNameProblem =
  | 'empty'
  | 'ip-address'
  | 'numeric-top-level'
  | 'label-too-long'
  | 'name-too-long'
  | 'invalid-character'
  | 'single-label'
  | 'public-suffix';

export type ParsedDomainName =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly problem: DomainNameProblem };

/** RFC 1035 section 2.3.4: 63 octets in a label; 255 octets in a name on the wire, which are 253 characters of text. */
const MAX_LABEL = 63;
const MAX_NAME = 253;

/**
 * Parses a domain name from user input into its stored form: lowercase A-labels without trailing dot. Rejects what
 * cannot be the mail domain of an organization: addresses, public suffixes, single labels, and labels with underscores,
 * which are not host names (RFC 1123 section 2.1).
 */
export function parseDomainName(input: string): ParsedDomainName {
  const parsed = parseLookupName(input);
  if (!parsed.ok) return parsed;
  if (parsed.name.includes('_')) return { ok: false, problem: 'invalid-character' };
  const { publicSuffix } = parse(parsed.name, { allowPrivateDomains: true, extractHostname: false });
  return publicSuffix === parsed.name ? { ok: false, problem: 'public-suffix' } : parsed;
}

/** The same for any name that can have records, such as `_spf.example.org`. Public suffixes can have records too. */
export function parseLookupName(input: string): ParsedDomainName {
  const typed = input.trim().replace(/[.。]$/u, '');
  if (typed === '') return { ok: false, problem: 'empty' };
  if (isIP(typed.replace(/^\[(.*)\]$/, '$1')) !== 0) return { ok: false, problem: 'ip-address' };
  // The WHATWG conversion accepts more than names (percent escapes, numeric addresses), so it gets only names whose
  // ASCII characters are valid.
  if (/[^\p{L}\p{N}\p{M}.\-_·。]/u.test(typed)) return { ok: false, problem: 'invalid-character' };
  const name = /[^\x20-\x7e]/.test(typed) ? domainToASCII(typed) : typed.toLowerCase();
  if (name === '') return { ok: false, problem: 'invalid-character' };
  const problem = hostNameProblem(name);
  if (problem !== undefined) return { ok: false, problem };
  // No top-level domain is numeric (RFC 3696 section 2), and programs would read such a name as an address.
  if (/^\d+$/.test(name.slice(name.lastIndexOf('.') + 1))) return { ok: false, problem: 'numeric-top-level' };
  if (!name.includes('.')) return { ok: false, problem: 'single-label' };
  return { ok: true, name };
}

function hostNameProblem(name: string): DomainNameProblem | undefined {
  if (name.length > MAX_NAME) return 'name-too-long';
  for (const label of name.split('.')) {
    if (label === '') return 'invalid-character';
    if (label.length > MAX_LABEL) return 'label-too-long';
    if (!/^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/.test(label)) return 'invalid-character';
  }
  return undefined;
}

/** The domain name in pasted text: in a URL, in an email address, or the name itself. */
export function nameInside(typed: string): string {
  const match = /^(?:mailto:|[a-z]{2,10}:\/\/)?(?:[^@/\s]*@)?([^/?#]*)/i.exec(typed.trim());
  return (match?.[1] ?? '').replace(/^([^:]*):\d{1,5}$/, '$1');
}

/**
 * The mail domain that somebody means who pasted a URL, a mail address or the name of a web site: without `www.`, which has
 * no mail of its own. What is no name stays as it is typed, for what is wrong with it.
 */
export function mailDomainIn(typed: string): string {
  const inside = nameInside(typed);
  const parsed = parseDomainName(inside);
  return withoutWww(inside) ?? (parsed.ok ? parsed.name : typed.trim());
}

/** The domain of a web site whose name begins with `www.`; undefined for another name. */
export function withoutWww(name: string): string | undefined {
  const parsed = /^www\./i.test(name) ? parseDomainName(name.slice('www.'.length)) : undefined;
  return parsed?.ok ? parsed.name : undefined;
}

/** Whether a name can be looked up in DNS at all: labels of 1 to 63 octets, 253 characters in total. */
export function isLookupName(name: string): boolean {
  return (
    name.length <= MAX_NAME && name.split('.').every((label) => label.length > 0 && label.length <= MAX_LABEL)
  );
}

/** The name in lowercase, without trailing dot: the form in which names from DNS answers are compared. */
export function canonicalName(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

/** Whether `name` is `ancestor` or a subdomain of it. */
export function isWithin(name: string, ancestor: string): boolean {
  return name === ancestor || name.endsWith(`.${ancestor}`);
}

/** Suffixes of providers below which customers choose the names, and get those that others gave up. */
const CHOSEN_BELOW: readonly string[] = [
  ...['azurewebsites.net', 'blogspot.com', 'firebaseapp.com', 'github.io', 'gitlab.io', 'herokuapp.com'],
  ...['netlify.app', 'pages.dev', 'trafficmanager.net', 'vercel.app', 'web.app', 'workers.dev'],
];

/** Labels of suffixes below which only some can register: governments, schools, and the infrastructure of DNS. */
const CLOSED: readonly string[] = ['ac', 'arpa', 'edu', 'gob', 'gouv', 'gov', 'int', 'mil'];

/** Whether anybody can register a name directly below the public suffix of `name`. */
export function isOpenToAll(name: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parse(name, {
    allowPrivateDomains: true,
    extractHostname: false,
  });
  // No list has the suffixes for tests and examples, such as those of the example internet (RFC 6761 sections 6.2 and 6.5).
  if (publicSuffix === 'test' || publicSuffix === 'example') return true;
  if (publicSuffix === null) return false;
  if (isPrivate === true) return CHOSEN_BELOW.includes(publicSuffix);
  return isIcann === true && !publicSuffix.split('.').some((label) => CLOSED.includes(label));
}

/** The organizational domain by the public suffix list; the name itself if it has none. For display and grouping. */
export function organizationalDomain(name: string): string {
  return parse(name, { allowPrivateDomains: true, extractHostname: false }).domain ?? name;
}
