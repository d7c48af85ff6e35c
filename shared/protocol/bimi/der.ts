/** The subset of DER (X.690) that is needed to find an extension of a certificate. */

interface DerElement {
  /** The identifier octet, including class and form. */
  readonly tag: number;
  readonly content: Uint8Array;
}

/**
 * The consecutive elements in `bytes`; undefined if they are not supported DER: a missing or wrong length, or an
 * identifier of more than one octet.
 */
export function readDer(bytes: Uint8Array): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1];
    if (first === undefined || (tag & 0x1f) === 0x1f) return undefined;
    const lengthOctets = Math.max(0, first - 0x80);
    const start = at + 2 + lengthOctets;
    if (first === 0x80 || lengthOctets > 4 || start > bytes.length) return undefined;
    const length =
      lengthOctets === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, octet) => sum * 256 + octet, 0);
    if (start + length > bytes.length) return undefined;
    elements.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

/** The elements inside the element at `index`; undefined if there is none. */
export function childrenAt(
  elements: readonly DerElement[] | undefined,
  index: number,
): readonly DerElement[] | undefined {
  const element = elements?.[index];
  return element === undefined ? undefined : readDer(element.content);
}

/** The elements inside the first element with the tag `tag`; undefined if there is none. */
export function childrenTagged(
  elements: readonly DerElement[] | undefined,
  tag: number,
): readonly DerElement[] | undefined {
  const element = elements?.find((candidate) => candidate.tag === tag);
  return element === undefined ? undefined : readDer(element.content);
}

/** An object identifier in dotted form (X.690 section 8.19). */
export function readObjectIdentifier(content: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of content) {
    arc = arc * 128 + (octet & 0x7f);
    if ((octet & 0x80) !== 0) continue;
    if (arcs.length > 0) arcs.push(arc);
    else arcs.push(Math.min(Math.floor(arc / 40), 2), arc - 40 * Math.min(Math.floor(arc / 40), 2));
    arc = 0;
  }
  return arcs.join('.');
}
