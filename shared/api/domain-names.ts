/** What is told of a name that is none. */
import type { DomainNameProblem } from '../protocol/domain-name.ts';

export const domainNameProblem: Readonly<Record<DomainNameProblem, string>> = {
  empty: 'must not be empty',
  'ip-address': 'must be a domain name, not an IP address',
  'numeric-top-level': 'must not end in a number, since no top-level domain is one',
  'label-too-long': 'must not have a label of more than 63 characters',
  'name-too-long': 'must not be longer than 253 characters',
  'invalid-character': 'must consist of letters, digits and hyphens between single dots',
  'single-label': 'must have at least two labels, such as example.org',
  'public-suffix': 'must be a domain below a public suffix, not the suffix itself',
};
