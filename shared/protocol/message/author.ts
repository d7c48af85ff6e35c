/** The author of a message: the Author Domain of DMARC (RFC 9989 section 3.2.3). */
import { parseLookupName } from '../domain-name.ts';
import { domainOf } from '../mail-address.ts';
import { type HeaderSection, valuesOf } from './header-section.ts';

export type Author =
  | { readonly status: 'found'; readonly domain: string }
  /** `domain` is the first one; null if there is none that can be parsed. */
  | {
      readonly status: 'ambiguous';
      readonly reason: 'several-from' | 'several-authors';
      readonly domain: string | null;
    }
  | { readonly status: 'missing'; readonly reason: 'no-from' | 'no-author-domain' };

/** Longer `From` fields are not legitimate. */
const MAX_FROM = 65_536;
const MAX_AUTHORS = 100;

export function readAuthor(section: HeaderSection): Author {
  const fields = valuesOf(section, 'from');
  if (fields.length === 0) return { status: 'missing', reason: 'no-from' };
  const domains = fields.flatMap((value) => authorDomains(value));
  const [domain = null] = domains;
  if (fields.length > 1) return { status: 'ambiguous', reason: 'several-from', domain };
  if (domain === null) return { status: 'missing', reason: 'no-author-domain' };
  if (new Set(domains).size > 1) return { status: 'ambiguous', reason: 'several-authors', domain };
  return { status: 'found', domain };
}

/** The domains of the addresses in a field such as `From` (RFC 5322 section 3.4), in canonical form. */
export function authorDomains(value: string): readonly string[] {
  return addresses(value.slice(0, MAX_FROM))
    .slice(0, MAX_AUTHORS)
    .flatMap((address) => {
      // Whitespace around dots is obsolete, but must be accepted (RFC 5322 section 4.4).
      const labels = domainOf(address).split('.');
      const parsed = parseLookupName(labels.map((label) => label.trim()).join('.'));
      return parsed.ok ? [parsed.name] : [];
    });
}

/**
 * The text in angle brackets, or between commas if there are none. Quoted text and comments do not count, and neither
 * does an obsolete route (`<@a.example,@b.example:c@d.example>`, RFC 5322 section 4.4).
 */
function addresses(value: string): string[] {
  const found: string[] = [];
  let bare = '';
  let angle: string | null = null;
  let comments = 0;
  let quoted = false;
  const close = () => {
    const address = (angle ?? bare).trim();
    if (address.includes('@')) found.push(address);
    bare = '';
    angle = null;
  };
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at] ?? '';
    if (character === '\\' && (quoted || comments > 0)) at += 1;
    else if (character === '"' && comments === 0) quoted = !quoted;
    else if (quoted) continue;
    else if (character === '(') comments += 1;
    else if (character === ')') comments = Math.max(0, comments - 1);
    else if (comments > 0) continue;
    else if (character === ',' && angle?.trimStart().startsWith('@')) angle = '@';
    else if (character === ',' || character === ';') close();
    else if (character === ':' && angle === null) bare = '';
    else if (character === ':') angle = '';
    else if (character === '<') angle = '';
    else if (character === '>') {
      close();
    } else if (angle !== null) angle += character;
    else bare += character;
  }
  close();
  return found;
}
