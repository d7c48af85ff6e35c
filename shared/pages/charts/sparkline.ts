/** A line of the size of a word, such as the score of a domain in a list. Its text equivalent has all its values. */
import { html, type Markup } from '../markup.ts';
import { short } from './scale.ts';

const WIDTH = 72;
const HEIGHT = 20;
/** The room for the stroke and the last point. */
const MARGIN = 3;

/**
 * @param label What the values are, such as `Score`.
 * @param values Oldest first, 0 to `maximum`; the last one has a point. Nothing is drawn without values.
 */
export function sparkline(label: string, values: readonly number[], maximum = 100): Markup {
  const last = values.at(-1);
  if (last === undefined) return html``;
  const x = (index: number) =>
    values.length === 1 ? WIDTH - MARGIN : MARGIN + (index * (WIDTH - 2 * MARGIN)) / (values.length - 1);
  const y = (value: number) => HEIGHT - MARGIN - (value / maximum) * (HEIGHT - 2 * MARGIN);
  const path = values.map((value, index) => `${short(x(index), 1)} ${short(y(value), 1)}`).join('L');
  const words = `${label}: ${values.join(', ')}`;
  return html`<svg class="spark" role="img" aria-label="${words}" width="${WIDTH}" height="${HEIGHT}"><path d="M${path}"/><circle cx="${short(x(values.length - 1), 1)}" cy="${short(y(last), 1)}" r="2.5"/></svg>`;
}
