/** Just enough DER (X.690) to walk to one extension of a certificate. */

export interface DerElement {
  /** The identifier octet, class and form included. */
  readonly tag: number;
  readonly content: Uint8Array;
}

/**
 * The elements that stand one after another in `bytes`; undefined where they are not DER: a length that is not
 * there or does not fit, or an identifier of more than one octet.
 */
export function readDer(bytes: Uint8Array): readonly DerElement[] | undefined {
  const elements: DerElement[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0;
    const first = bytes[at + 1];
    if (first === undefined || (tag & 0x1f) === 0x1f) return undefined;
    const lengthOctets = first < 0x80 ? 0 : first - 0x80;
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

/** What stands inside the element at `index` of a constructed one; undefined where there is none. */
export function childrenAt(
  elements: readonly DerElement[] | undefined,
  index: number,
): readonly DerElement[] | undefined {
  const element = elements?.[index];
  return element === undefined ? undefined : readDer(element.content);
}

/** What stands inside the first element with the tag `tag`; undefined where there is none. */
export function childrenTagged(
  elements: readonly DerElement[] | undefined,
  tag: number,
): readonly DerElement[] | undefined {
  const element = elements?.find((candidate) => candidate.tag === tag);
  return element === undefined ? undefined : readDer(element.content);
}

/** An object identifier in dots (X.690 section 8.19). */
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
