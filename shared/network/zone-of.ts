/** Groups names whose servers probably are the same: by registrable domain, and reverse names by network. */
import { organizationalDomain } from '../protocol/domain-name.ts';

export function zoneOf(name: string): string {
  const labels = name.split('.');
  if (labels.at(-1) !== 'arpa') return organizationalDomain(name);
  return labels.slice(labels.at(-2) === 'ip6' ? -10 : -4).join('.');
}
