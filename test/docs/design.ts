/** The generated parts of docs/design.md: the tokens with their contrast, and the parts of pages. */
import { colorRows, colors, fonts, widths } from '../../shared/design/tokens.ts';
import { components } from './components.ts';

type Mode = 'light' | 'dark';

/** The contrast of two colors (WCAG 2.2, relative luminance): 1 to 21. */
export function contrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (lighter + 0.05) / (darker + 0.05);
}

/** @param color `#fff` or `#ffffff`. */
function luminance(color: string): number {
  const digits = color.length === 4 ? color.replaceAll(/[\da-f]/g, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(digits.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const byName = new Map(colorRows);

/** The lowest contrast of a color on those that it has to be readable on; undefined if there are none. */
export function lowestContrast(name: keyof typeof colors, mode: Mode): number | undefined {
  const color = byName.get(name);
  if (color?.on === undefined) return undefined;
  const grounds = color.on.map((ground) => byName.get(ground)?.[mode] ?? '');
  return Math.min(...grounds.map((ground) => contrast(color[mode], ground)));
}

export const colorTokens = (): readonly (readonly string[])[] =>
  (Object.keys(colors) as (keyof typeof colors)[]).map((name) => {
    const { light, dark, use } = colors[name];
    const shown = (mode: Mode) => lowestContrast(name, mode)?.toFixed(1) ?? '';
    return [`\`--${name}\``, `\`${light}\``, shown('light'), `\`${dark}\``, shown('dark'), use];
  });

export const otherTokens = (): readonly (readonly string[])[] => [
  ...Object.entries(fonts).map(([name, value]) => [`\`--${name}\``, `\`${value}\``, 'Font']),
  ...Object.entries(widths).map(([name, { value, use }]) => [`\`--${name}\``, `\`${value}\``, use]),
];

export const componentRows = (): readonly (readonly string[])[] =>
  components.map(({ name, by, classes = [], use }) => [
    name,
    by === undefined ? '' : `\`${by[0]}\` of \`shared/pages/${by[1]}\``,
    classes.map((one) => `\`.${one}\``).join(', '),
    use,
  ]);
