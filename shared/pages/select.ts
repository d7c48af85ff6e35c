import { html, type Markup } from './markup.ts';

/** A value of a list to choose from, and how people read it. */
export type Choice = readonly [value: string, name: string];

/** The options of a list to choose from. */
export function options(choices: readonly Choice[], chosen: string | undefined): Markup {
  return html`${choices.map(([value, name]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${name}</option>`)}`;
}

/** Values that people read as they are. */
export const asChoices = (values: readonly string[]): readonly Choice[] =>
  values.map((value) => [value, value]);
