/** Stacked bars, such as messages per day by result. */
import { formatNumber } from '../../protocol/quantity.ts';
import { html, type Markup } from '../markup.ts';
import { asImage, type Figure, figure, legendOf, type Series, svgTitle } from './figure.ts';
import { fillDefinitions, filled } from './fills.ts';
import { axisEnd, short, sum } from './scale.ts';

export interface Bar {
  readonly label: string;
  /** One value of each series, in its order; not negative. */
  readonly values: readonly number[];
}

interface StackedBars extends Figure {
  /** What a bar shows, such as `Day`. */
  readonly unit: string;
  /** From bottom to top. */
  readonly series: readonly Series[];
  readonly bars: readonly Bar[];
}

/** The share of its place that a bar takes. */
const BAR_WIDTH = 0.82;

export function stackedBars(input: StackedBars): Markup {
  const { id, unit, series, bars } = input;
  const end = axisEnd(Math.max(0, ...bars.map(({ values }) => sum(values))));
  const picture = html`<svg class="plot" width="100%" height="176" ${asImage(input)}>${svgTitle(input)}
${fillDefinitions(id, series)}
${gridLines}
<svg y="16" width="100%" height="150">${series.map(({ fill }, index) => layer(input, { index, end }, fill))}${bars.map(
    (bar, index) =>
      html`<rect class="hit" x="${short((100 * index) / bars.length)}%" width="${short(100 / bars.length)}%" height="100%"><title>${inWords(bar, series)}</title></rect>`,
  )}</svg>${gridLabels(formatNumber(end), end % 2 === 0 ? formatNumber(end / 2) : '')}</svg>
${ends(bars.map(({ label }) => label))}`;
  const table = {
    head: [unit, ...series.map(({ name }) => name), 'Total'],
    rows: bars.map(({ label, values }) => [label, ...values.map(formatNumber), formatNumber(sum(values))]),
  };
  return figure(input, { picture, legend: legendOf(id, series), table });
}

/** All parts of one series: a filled area that is clipped to them, so that its pattern has the same size everywhere. */
function layer(
  { id, bars }: StackedBars,
  { index, end }: { index: number; end: number },
  fill: Series['fill'],
): Markup {
  const width = 1 / bars.length;
  const parts = bars.map(({ values }, place) => {
    const height = (values[index] ?? 0) / end;
    if (height === 0) return '';
    const top = 1 - sum(values.slice(0, index + 1)) / end;
    const left = (place + (1 - BAR_WIDTH) / 2) * width;
    return `M${short(left, 4)} ${short(top, 4)}h${short(BAR_WIDTH * width, 4)}v${short(height, 4)}H${short(left, 4)}z`;
  });
  return html`<clipPath id="${id}-bars${index}" clipPathUnits="objectBoundingBox"><path d="${parts.join('')}"/></clipPath><rect width="100%" height="100%" clip-path="url(#${id}-bars${index})" ${filled(id, fill)}/>`;
}

/** The lines at the top, in the middle and at the bottom. */
export const gridLines: Markup = html`<g class="grid" aria-hidden="true"><line x2="100%" y1="16" y2="16"/><line x2="100%" y1="91" y2="91"/><line x2="100%" y1="166" y2="166"/></g>`;

/** The values of the lines at the top and in the middle. */
export function gridLabels(top: string, middle: string): Markup {
  return html`<g class="grid" aria-hidden="true"><text y="12">${top}</text>${middle === '' ? '' : html`<text y="87">${middle}</text>`}</g>`;
}

/** The labels of the first and the last place, under the picture. */
export function ends(labels: readonly string[]): Markup {
  const [first = '', last = ''] = [labels[0], labels.length > 1 ? labels.at(-1) : ''];
  return html`<div class="ends" aria-hidden="true"><span>${first}</span><span>${last}</span></div>`;
}

function inWords({ label, values }: Bar, series: readonly Series[]): string {
  const parts = series.flatMap(({ name }, index) =>
    (values[index] ?? 0) > 0 ? [`${name} ${formatNumber(values[index] ?? 0)}`] : [],
  );
  return `${label}: ${parts.join(', ') || 'nothing'}`;
}
