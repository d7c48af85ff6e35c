/** Shares of a whole as one bar per row, such as what receivers do with mail today and after a change. */
import { formatNumber } from '../../protocol/quantity.ts';
import { html, type Markup } from '../markup.ts';
import { asImage, type Figure, figure, legendOf, type Series, svgTitle } from './figure.ts';
import { fillDefinitions, filled } from './fills.ts';
import { short, sum } from './scale.ts';

export interface Shares extends Figure {
  /** What a row shows, such as `Records`. */
  readonly unit: string;
  readonly series: readonly Series[];
  readonly rows: readonly {
    readonly label: string;
    /** One value of each series, in its order. */
    readonly values: readonly number[];
  }[];
}

/** Pixels: a row with its label, and the bar in it. */
const ROW = 48;
const BAR = 22;

export function shares(input: Shares): Markup {
  const { id, unit, series, rows } = input;
  const picture = html`<svg class="plot" width="100%" height="${rows.length * ROW}" ${asImage(input)}>${svgTitle(input)}
${fillDefinitions(id, series)}
${rows.map(
  ({ label, values }, index) =>
    html`<svg y="${index * ROW}" width="100%" height="${ROW}"><text y="14">${label}</text>${parts(input, values)}</svg>`,
)}</svg>`;
  const table = {
    head: [unit, ...series.map(({ name }) => name)],
    rows: rows.map(({ label, values }) => [label, ...values.map((value) => withShare(value, values))]),
  };
  return figure(input, { picture, legend: legendOf(id, series), table });
}

function parts({ id, series }: Shares, values: readonly number[]): Markup {
  const total = sum(values);
  if (total === 0) return html`<rect class="rest" y="20" width="100%" height="${BAR}"/>`;
  return html`${series.map(({ name, fill }, index) => {
    const value = values[index] ?? 0;
    if (value === 0) return '';
    const left = (100 * sum(values.slice(0, index))) / total;
    return html`<rect x="${short(left)}%" y="20" width="${short((100 * value) / total)}%" height="${BAR}" ${filled(id, fill)}><title>${name}: ${withShare(value, values)}</title></rect>`;
  })}`;
}

const withShare = (value: number, values: readonly number[]): string =>
  `${formatNumber(value)} (${percent(value, sum(values))})`;

/** `12.3 %`; never rounds a part to nothing or to the whole. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const exact = (100 * part) / whole;
  if (part > 0 && exact < 0.1) return '< 0.1 %';
  if (part < whole && exact > 99.9) return '> 99.9 %';
  return `${short(exact, 1)} %`;
}
