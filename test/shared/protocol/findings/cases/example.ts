/** Examples of rules: one row per rule, with what raises it and the nearest thing that does not. */
import type { CheckOutcome } from '../../../../../shared/checks/results.ts';
import type { Network } from '../../../../../shared/network/ports.ts';
import type { Rules } from '../../../../../shared/protocol/findings/finding.ts';

/** `times`: how many findings of the rule the first input raises; one unless told. */
export type Example<Input> = readonly [raises: Input, near: Input, times?: number];

export interface RuleExample {
  readonly id: string;
  readonly times: number;
  raised(): Promise<CheckOutcome>;
  near(): Promise<CheckOutcome>;
}

/** The rules of one table with an example of each. */
export interface Examples {
  readonly component: string;
  readonly rules: Rules;
  readonly rows: readonly RuleExample[];
}

/** Binds a table of examples to the check that its inputs are for. */
export function examplesOf<Input>(
  component: string,
  rules: Rules,
  inspect: (input: Input) => Promise<CheckOutcome>,
  table: Readonly<Record<string, Example<Input>>>,
): Examples {
  const rows = Object.entries(table).map(([id, [raises, near, times = 1]]) => ({
    id,
    times,
    raised: () => inspect(raises),
    near: () => inspect(near),
  }));
  return { component, rules, rows };
}

/** When every example plays. */
export const now = new Date('2026-06-01T12:00:00Z');

/** A network of these parts, in which everything else refuses to be asked. */
export function networkOf(parts: Partial<Network>): Network {
  const refuse = () => Promise.reject(new Error('not expected to be asked'));
  return {
    dns: { lookup: refuse },
    web: { get: refuse },
    smtp: { probe: refuse },
    clock: { now: () => now },
    ...parts,
  };
}
