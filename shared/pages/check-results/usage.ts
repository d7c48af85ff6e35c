/** The usage types of domains as text for people. */
import { type UsageType, usageTypes } from '../../checks/state.ts';
import type { Markup } from '../markup.ts';
import { options } from '../select.ts';

export const usageNames: Readonly<Record<UsageType, string>> = {
  'sends-and-receives': 'Sends and receives mail',
  'sends-only': 'Only sends mail',
  'receives-only': 'Only receives mail',
  parked: 'Parked: no mail',
};

/** The options of a list to choose the usage type from. */
export function usageOptions(chosen: string): Markup {
  return options(
    usageTypes.map((type) => [type, usageNames[type]]),
    chosen,
  );
}
