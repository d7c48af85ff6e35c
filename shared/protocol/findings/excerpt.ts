/** Quotes foreign text in messages: short, on one line, and without characters that could mislead a reader. */
import { escaped } from '../printable.ts';

/** Maximum number of list items to show. */
const MAX_ITEMS = 10;

/** The first `limit` characters of `text`. Characters outside printable ASCII are written as `\u{...}`. */
export function excerpt(text: string, limit = 80): string {
  const shown = text.slice(0, limit).replace(/[^\x20-\x7e]+/g, escaped);
  return text.length > limit ? `${shown}...` : shown;
}

/** Excerpts of the first items of a list, and the number of remaining items. */
export function excerpts(texts: readonly string[], limit = 80): string[] {
  const shown = texts.slice(0, MAX_ITEMS).map((text) => excerpt(text, limit));
  return texts.length > MAX_ITEMS ? [...shown, `${texts.length - MAX_ITEMS} more`] : shown;
}
