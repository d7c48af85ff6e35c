/** Domain names that people type, and messages for invalid ones. */
import { type DomainNameProblem, nameInside, type ParsedDomainName } from '../protocol/domain-name.ts';

export const domainNameProblem: Readonly<Record<DomainNameProblem, string>> = {
  empty: 'must not be empty',
  'ip-address': 'must be a domain name, not an IP address',
  'numeric-top-level': 'must not end with a number, because no top-level domain is numeric',
  'label-too-long': 'must not have a label longer than 63 characters',
  'name-too-long': 'must not be longer than 253 characters',
  'invalid-character': 'must consist of letters, digits, and hyphens, separated by single dots',
  'single-label': 'must have at least two labels, such as example.org',
  'public-suffix': 'must be a registrable domain, not a public suffix',
};

type TypedName =
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly problem: string };

/** The name in what was typed: the name itself, or that in a URL or an email address; or why it is invalid. */
export function readTypedName(typed: string, parse: (name: string) => ParsedDomainName): TypedName {
  const parsed = parse(nameInside(typed));
  return parsed.ok ? parsed : { ok: false, problem: domainNameProblem[parsed.problem] };
}
