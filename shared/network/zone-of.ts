/**
 * About the registrable domain of a name, to group names whose servers probably are the same: two labels, three below a
 * country's second level such as `co.uk`, and the network for reverse names. Without the public suffix list, which would be an
 * eighth of each function that looks up names.
 */
export function zoneOf(name: string): string {
  const labels = name.split('.');
  const [second = '', first = ''] = labels.slice(-2);
  if (first === 'arpa') return labels.slice(second === 'ip6' ? -10 : -4).join('.');
  return labels.slice(first.length === 2 && second.length <= 3 ? -3 : -2).join('.');
}
