/** The frame of every picture: its title, what it shows in words, a legend, and the figures behind it as a table. */
import { html, type Markup } from '../markup.ts';
import { type Fill, sample } from './fills.ts';

export interface Figure {
  /** Unique on the page: lowercase letters and hyphens. */
  readonly id: string;
  readonly title: string;
  /** What the picture shows, in one or two sentences; screen readers read it in place of the picture. */
  readonly summary: string;
}

/** One kind of value in a picture. */
export interface Series {
  readonly name: string;
  readonly fill: Fill;
}

export interface Figures {
  readonly head: readonly string[];
  /** The first cell of a row is its name. */
  readonly rows: readonly (readonly (string | Markup)[])[];
}

export function figure(
  { id, title, summary }: Figure,
  { picture, legend, table }: { picture: Markup; legend?: Markup; table: Figures },
): Markup {
  return html`<figure class="chart" aria-labelledby="${id}-caption">
<figcaption id="${id}-caption"><strong>${title}</strong> <span class="soft">${summary}</span></figcaption>
${picture}${legend ?? ''}
${figuresTable(id, title, table)}
</figure>`;
}

/** The names of a picture that says the same to a screen reader. */
export function svgTitle({ id, title, summary }: Figure): Markup {
  return html`<title id="${id}-title">${title}</title><desc id="${id}-desc">${summary}</desc>`;
}

/** The attributes of a picture with `svgTitle` in it. */
export function asImage({ id }: Figure): Markup {
  return html`role="img" aria-labelledby="${id}-title" aria-describedby="${id}-desc"`;
}

export function legendOf(id: string, series: readonly Series[]): Markup {
  return html`<ul class="key">${series.map(({ name, fill }) => html`<li>${sample(id, fill)}${name}</li>`)}</ul>`;
}

/** The figures behind a picture, closed at first. On narrow screens the table scrolls, also by keyboard. */
function figuresTable(id: string, title: string, { head, rows }: Figures): Markup {
  const [first = '', ...others] = head;
  return html`<details class="figures"><summary>Figures</summary>
<div class="scroll" role="region" aria-labelledby="${id}-figures" tabindex="0"><table>
<caption id="${id}-figures" class="hush">${title}: figures</caption>
<thead><tr><th scope="col">${first}</th>${others.map((name) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead>
<tbody>${rows.map(([name = '', ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div></details>`;
}
