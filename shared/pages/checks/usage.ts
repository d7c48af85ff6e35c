/** The usage types of domains as text for people. */
import { type UsageType, usageTypes } from '../../checks/state.ts';
import { html, type Markup } from '../markup.ts';

export const usageNames: Readonly<Record<UsageType, string>> = {
  'sends-and-receives': 'Sends and receives mail',
  'sends-only': 'Only sends mail',
  'receives-only': 'Only receives mail',
  parked: 'Parked: no mail',
};

/** The options of a list to choose the usage type from. */
export function usageOptions(chosen: string): Markup {
  return html`${usageTypes.map((type) => html`<option value="${type}"${type === chosen ? html` selected` : ''}>${usageNames[type]}</option>`)}`;
}
