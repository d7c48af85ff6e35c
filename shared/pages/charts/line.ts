/** A line over time, such as a success rate per day or a score with numbered marks. */
import { html, type Markup } from '../markup.ts';
import { ends, gridLabels, gridLines } from './bars.ts';
import { asImage, type Figure, figure, svgTitle } from './figure.ts';
import { short } from './scale.ts';

export interface Point {
  readonly label: string;
  /** The place on the time axis, 0 to 1. */
  readonly at: number;
  /** Null: not known, so the line is interrupted. */
  readonly value: number | null;
  /** A number or letter at the point, which the text beside the picture explains. */
  readonly mark?: string;
}

export interface Line extends Figure {
  /** What a row of the table shows, such as `Day`. */
  readonly unit: string;
  /** What the values are, such as `Score`. */
  readonly measure: string;
  /** The value at the bottom; 0 by default. */
  readonly minimum?: number;
  /** The value at the top. */
  readonly maximum: number;
  /** A value in text, such as `99.5 %`; the value itself by default. */
  readonly format?: (value: number) => string;
  /** Whether a value holds until the next one. */
  readonly steps?: boolean;
  /** The labels at both ends of the time axis. */
  readonly range: readonly [from: string, to: string];
  /** Oldest first. */
  readonly points: readonly Point[];
}

export function line(input: Line): Markup {
  const { points, minimum = 0, maximum, range, unit, measure, format = String } = input;
  const marks = points.filter(({ mark, value }) => mark !== undefined && value !== null);
  const place = ({ at, value }: Point) =>
    html`x="${short(100 * at)}%" y="${short(100 - 100 * heightOf(value ?? 0, input))}%"`;
  const picture = html`<svg class="plot" width="100%" height="176" ${asImage(input)}>${svgTitle(input)}
${gridLines}
<svg class="path" y="16" width="100%" height="150" viewBox="0 0 1000 1000" preserveAspectRatio="none"><path d="${pathOf(input)}"/></svg>
<svg class="marks" y="16" width="100%" height="150">${lonePoints(input).map((point) => html`<svg ${place(point)}><circle class="lone" r="3"/></svg>`)}${marks.map(
    (point) => html`<svg ${place(point)}><circle r="9"/><text dy="4">${point.mark}</text></svg>`,
  )}</svg>${gridLabels(format(maximum), format((minimum + maximum) / 2))}</svg>
${ends(range)}`;
  const table = {
    head: [unit, measure],
    rows: points.map(({ label, value }) => [label, value === null ? '–' : format(value)]),
  };
  return figure(input, { picture, table });
}

/** Points without a neighbor, which no line shows. */
function lonePoints({ points, steps = false }: Line): readonly Point[] {
  const isKnown = (at: number) => (points[at]?.value ?? null) !== null;
  return steps ? [] : points.filter((_, at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1));
}

/** Coordinates are thousandths of the width and of the height. */
function pathOf(input: Line): string {
  const { points, steps = false } = input;
  let path = '';
  let isOpen = false;
  for (const { at, value } of points) {
    if (value === null) {
      if (isOpen && steps) path += `H${short(1000 * at, 0)}`;
      isOpen = false;
      continue;
    }
    const [x, y] = [short(1000 * at, 0), short(1000 - 1000 * heightOf(value, input), 0)];
    if (!isOpen) path += `M${x} ${y}h0`;
    else path += steps ? `H${x}V${y}` : `L${x} ${y}`;
    isOpen = true;
  }
  return steps && isOpen ? `${path}H1000` : path;
}

/** The place of a value between the bottom, 0, and the top, 1. */
function heightOf(value: number, { minimum = 0, maximum }: Line): number {
  return (value - minimum) / (maximum - minimum);
}
