/** The usage types of domains as text for people. */
import { type UsageType, usageTypes } from '../../checks/state.ts';
import type { Choice } from '../select.ts';

export const usageNames: Readonly<Record<UsageType, string>> = {
  'sends-and-receives': 'Sends and receives mail',
  'sends-only': 'Only sends mail',
  'receives-only': 'Only receives mail',
  parked: 'Parked: no mail',
};

export const usageChoices = usageTypes.map((type): Choice => [type, usageNames[type]]);
