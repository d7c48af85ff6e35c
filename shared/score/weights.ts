/** The points of each component by usage type: the table "Score weights" of the interface specification. */
import type { CheckName, UsageType } from '../checks/state.ts';

/** A domain that sends and receives is scored on everything. */
const everything = {
  mx: 10,
  spf: 15,
  dkim: 10,
  dmarc: 25,
  mtaSts: 10,
  tlsRpt: 10,
  bimi: 5,
  dnssec: 10,
  dane: 5,
} satisfies Partial<Record<CheckName | 'dane', number>>;

/** What is scored: checks, and DANE, whose facts come from the MX check. */
export type Component = keyof typeof everything;

export const components = Object.keys(everything) as Component[];

/** A component that is not listed is not scored for that usage type. Parked adds up to 60, the others to 100. */
export const weights: Readonly<Record<UsageType, Readonly<Partial<Record<Component, number>>>>> = {
  'sends-and-receives': everything,
  'receives-only': { mx: 15, spf: 15, dmarc: 20, mtaSts: 15, tlsRpt: 10, dnssec: 15, dane: 10 },
  'sends-only': { mx: 10, spf: 20, dkim: 20, dmarc: 25, bimi: 10, dnssec: 15 },
  parked: { mx: 10, spf: 15, dmarc: 25, dnssec: 10 },
};
