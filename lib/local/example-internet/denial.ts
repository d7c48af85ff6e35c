/** Which NSEC records of a signed zone prove what does not exist (RFC 4035 section 3.1.3). */
import { parentName } from '../../../shared/protocol/dnssec/canonical.ts';
import { compareLabels, labelsOf } from '../../../shared/protocol/dnssec/names.ts';

/** The owner and the next name of an NSEC record. */
export interface Gap {
  readonly owner: string;
  readonly next: string;
}

/**
 * The NSEC records for `name` and, if it does not exist, for the wildcard that could answer for it. `names` are the owner
 * names of the zone, with its apex.
 */
export function gapsFor(names: Iterable<string>, zone: string, name: string): readonly Gap[] {
  const chain = [...new Set(names)].map(labelled).sort((a, b) => compareLabels(a.labels, b.labels));
  const existing = new Set([zone]);
  for (const it of chain) for (let at = it.name; at !== zone; at = parentName(at)) existing.add(at);
  let encloser = name;
  while (!existing.has(encloser)) encloser = parentName(encloser);
  const wildcard = encloser === '' ? '*' : `*.${encloser}`;
  const searched = encloser === name ? [name] : [name, wildcard];
  const positions = searched.map((it) => {
    const { labels } = labelled(it);
    return chain.findLastIndex((other) => compareLabels(other.labels, labels) <= 0);
  });
  return [...new Set(positions)].map((at) => ({
    owner: chain[at]?.name ?? zone,
    next: chain[at + 1]?.name ?? zone,
  }));
}

function labelled(name: string) {
  return { name, labels: labelsOf(name) ?? [] };
}
