/** Names as sequences of labels, in the canonical order of DNSSEC (RFC 4034 section 6.1). */
import { nameToWire } from './canonical.ts';

/** The labels of a name in lowercase, the top one first; none for the root. */
export type Labels = readonly Buffer[];

/** The labels of a name in presentation form; `undefined` if it is not a name. */
export function labelsOf(name: string): Labels | undefined {
  const wire = nameToWire(name);
  if (wire === undefined) return undefined;
  const labels: Buffer[] = [];
  for (let at = 0; (wire[at] ?? 0) > 0; at += (wire[at] ?? 0) + 1) {
    labels.unshift(Buffer.from(wire.subarray(at + 1, at + 1 + (wire[at] ?? 0))));
  }
  return labels;
}

/** The wire form of a name. */
export function wireOf(labels: Labels): Buffer {
  return Buffer.concat([
    ...labels.toReversed().flatMap((label) => [Buffer.of(label.length), label]),
    Buffer.of(0),
  ]);
}

/** Negative if `a` is before `b`, zero if they are equal. */
export function compareLabels(a: Labels, b: Labels): number {
  const shared = sharedLabels(a, b);
  const [left, right] = [a[shared], b[shared]];
  return left === undefined || right === undefined ? a.length - b.length : Buffer.compare(left, right);
}

/** The number of labels that both names have in common, from the top. */
export function sharedLabels(a: Labels, b: Labels): number {
  const end = a.findIndex((label, at) => {
    const other = b[at];
    return other === undefined || !label.equals(other);
  });
  return end === -1 ? a.length : end;
}

/** Whether `name` is `ancestor` or below it. */
export function isBelow(name: Labels, ancestor: Labels): boolean {
  return sharedLabels(ancestor, name) === ancestor.length;
}

/** The wildcard below a name. */
export function wildcardOf(encloser: Labels): Labels {
  return [...encloser, Buffer.from('*')];
}
