/** Examples of rules: one row per rule, with an input that triggers it and the most similar one that does not. */
import type { CheckOutcome } from '../../../../../shared/checks/result-fields.ts';
import type { Network } from '../../../../../shared/network/ports.ts';
import type { Rules } from '../../../../../shared/protocol/findings/finding.ts';

/** `times`: how many findings of the rule the first input causes; one by default. */
export type Example<Input> = readonly [raises: Input, near: Input, times?: number];

interface RuleExample {
  readonly id: string;
  readonly times: number;
  raised(): Promise<CheckOutcome>;
  near(): Promise<CheckOutcome>;
}

/** The rules of one table, with an example for each. */
export interface Examples {
  readonly component: string;
  readonly rules: Rules;
  readonly rows: readonly RuleExample[];
}

/** Connects a table of examples with the check that reads its inputs. */
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

/** The current time in every example. */
export const now = new Date('2026-06-01T12:00:00Z');

/** A network with these parts, in which everything else rejects requests. */
export function networkOf(parts: Partial<Network>): Network {
  const refuse = () => Promise.reject(new Error('unexpected request'));
  return {
    dns: { lookup: refuse },
    web: { get: refuse },
    smtp: { probe: refuse },
    clock: { now: () => now },
    ...parts,
  };
}
