/** Foreign text inside our sentences: short, on one line, and without characters that could mislead a reader. */

/** How many items of a list are worth showing. */
const MAX_ITEMS = 10;

/** The first `limit` characters of `text`; everything but printable ASCII is written as `\u{...}`. */
export function excerpt(text: string, limit = 80): string {
  const points = [...text.slice(0, limit)].map((point) =>
    /^[\x20-\x7e]$/.test(point) ? point : `\\u{${point.codePointAt(0)?.toString(16)}}`,
  );
  return points.join('') + (text.length > limit ? '...' : '');
}

/** Excerpts of the first items of a list, and how many more there are. */
export function excerpts(texts: readonly string[], limit = 80): string[] {
  const shown = texts.slice(0, MAX_ITEMS).map((text) => excerpt(text, limit));
  return texts.length > MAX_ITEMS ? [...shown, `${texts.length - MAX_ITEMS} more`] : shown;
}
