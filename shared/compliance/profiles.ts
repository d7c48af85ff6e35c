/** The profiles of this service by ID. A new one is a file in `profiles` and a row at the end: their order is stored. */
import type { Profile } from './profile.ts';
import { bod1801 } from './profiles/bod-18-01.ts';
import { bsiTr03108 } from './profiles/bsi-tr-03108.ts';
import { bsiTr03182 } from './profiles/bsi-tr-03182.ts';
import { googleYahooMicrosoftSenders } from './profiles/google-yahoo-microsoft-senders.ts';
import { ncscUk } from './profiles/ncsc-uk.ts';
import { pciDss401 } from './profiles/pci-dss-4-0-1.ts';

const table = {
  'google-yahoo-microsoft-senders': googleYahooMicrosoftSenders,
  'bsi-tr-03108': bsiTr03108,
  'bsi-tr-03182': bsiTr03182,
  'ncsc-uk': ncscUk,
  'bod-18-01': bod1801,
  'pci-dss-4-0-1': pciDss401,
} as const satisfies Readonly<Record<string, Profile>>;

export type ProfileId = keyof typeof table;

export const profiles: Readonly<Record<ProfileId, Profile>> = table;

export const isProfileId = (id: string): id is ProfileId => Object.hasOwn(profiles, id);

export const profileIds = Object.keys(table).filter(isProfileId);
