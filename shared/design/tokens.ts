/** The design tokens of pages and mails: colors for light and dark mode, fonts and widths. `docs/design.md` shows them. */

interface Color {
  readonly light: string;
  readonly dark: string;
  /** What it is for. */
  readonly use: string;
  /** The colors that it is readable on, with a contrast of at least 4.5 (WCAG 2.2, 1.4.3). */
  readonly on?: readonly string[];
}

const grounds = ['paper', 'card'];

/** By the name of their CSS custom property. */
export const colors = {
  paper: { light: '#fbfaf7', dark: '#141517', use: 'Ground of pages' },
  card: { light: '#fff', dark: '#1c1d20', use: 'Ground of cards, fields, and records' },
  ink: { light: '#1d1b18', dark: '#eceae6', use: 'Text', on: grounds },
  soft: { light: '#5f5a51', dark: '#aca79e', use: 'Text that is less important', on: grounds },
  line: { light: '#e2ddd3', dark: '#36373c', use: 'Lines between things' },
  link: { light: '#1a4f8c', dark: '#93bff7', use: 'Links, and the focus', on: grounds },
  pass: {
    ...{ light: '#17683a', dark: '#7fd3a0', use: 'What passes' },
    on: [...grounds, 'pass-tint'],
  },
  'pass-tint': { light: '#e6f3ea', dark: '#16291e', use: 'Ground of what passes' },
  fail: {
    ...{ light: '#a3211c', dark: '#ff9f96', use: 'What fails' },
    on: [...grounds, 'fail-tint'],
  },
  'fail-tint': { light: '#fbe9e7', dark: '#351a18', use: 'Ground of what fails' },
  softfail: {
    ...{ light: '#855000', dark: '#efc074', use: 'Warnings' },
    on: [...grounds, 'softfail-tint'],
  },
  'softfail-tint': { light: '#faf0dc', dark: '#2e2413', use: 'Ground of warnings' },
  neutral: {
    ...{ light: '#4a5768', dark: '#b6c2d2', use: 'What is neither good nor bad, such as unknown' },
    on: [...grounds, 'neutral-tint'],
  },
  'neutral-tint': { light: '#ebeef3', dark: '#242a32', use: 'Ground of what is neither good nor bad' },
} as const satisfies Readonly<Record<string, Color>>;

/** Nothing is fetched, so these are fonts that systems have. */
export const fonts = {
  sans: '-apple-system,BlinkMacSystemFont,"Segoe UI",Inter,Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,sans-serif',
  mono: 'ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace',
} as const;

/** The widest that pages are. */
export const widths = {
  reading: { value: '48rem', use: 'Public pages, pages to read, and mails' },
  working: { value: '90rem', use: 'Pages to work with, such as lists of domains' },
} as const;

export const colorRows: readonly (readonly [name: string, color: Color])[] = Object.entries(colors);

/** The tokens as CSS custom properties, `--ink` for `ink`. Paper is printed in light colors. */
export function customProperties(): string {
  const properties = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([name, value]) => `--${name}:${value};`).join('');
  const shades = (of: 'light' | 'dark') => colorRows.map(([name, color]) => [name, color[of]] as const);
  const sizes = Object.entries(widths).map(([name, { value }]) => [name, value] as const);
  const light = [...shades('light'), ...Object.entries(fonts), ...sizes];
  return `:root{color-scheme:light dark;${properties(light)}}@media screen and (prefers-color-scheme:dark){:root{${properties(shades('dark'))}}}`;
}
