/** The fills of pictures: each has a pattern of its own, so that pictures are readable without colour. */
import { html, type Markup, raw } from '../markup.ts';

/** The meanings of the parts of a picture, from best to worst; `other` takes no side. */
export type Fill = 'good' | 'stripes' | 'dots' | 'other' | 'warn' | 'bad';

/** The pattern of each fill in a square of 8 pixels; `good` and `other` are plain. */
const patterns: Readonly<Partial<Record<Fill, string>>> = {
  stripes: '<path d="M-2 2l4-4M0 8l8-8M6 10l4-4"/>',
  dots: '<circle cx="2" cy="2" r="1.5"/><circle cx="6" cy="6" r="1.5"/>',
  warn: '<path d="M0 2h8M0 6h8"/>',
  bad: '<path d="M0 0l8 8M8 0l-8 8"/>',
};

/** The `<defs>` of the fills of one picture. `id` is unique on the page. */
export function fillDefinitions(id: string, series: readonly { readonly fill: Fill }[]): Markup {
  return html`<defs>${series.map(({ fill }) => {
    const pattern = patterns[fill];
    if (pattern === undefined) return '';
    return html`<pattern id="${id}-${fill}" class="fill ${fill}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8"/>${raw(pattern)}</pattern>`;
  })}</defs>`;
}

/** The attributes of an element with this fill. */
export function filled(id: string, fill: Fill): Markup {
  return patterns[fill] === undefined
    ? html`class="plain ${fill}"`
    : html`class="patterned" fill="url(#${id}-${fill})"`;
}

/** The sample of a fill in a legend. */
export function sample(id: string, fill: Fill): Markup {
  return html`<svg class="sample" width="16" height="16" aria-hidden="true"><rect width="16" height="16" ${filled(id, fill)}/></svg>`;
}
