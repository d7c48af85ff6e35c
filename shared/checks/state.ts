/** The names and states of checks, and the usage types of domains. */
import * as z from 'zod/mini';
import { described, oneOf } from '../protocol/schema.ts';

export const checkState = described(
  z.enum(['pass', 'warning', 'fail', 'absent', 'not-applicable', 'unknown']),
  '`pass`: no problems. `warning`: works, but has findings. `fail`: present, but broken. `absent`: not present. ' +
    '`not-applicable`: does not apply to this domain. `unknown`: lookups failed, or the check has not run yet, so nothing is known',
);

export type CheckState = z.infer<typeof checkState>;

export const checkNames = [
  'mx',
  'spf',
  'dkim',
  'dmarc',
  'mtaSts',
  'tlsRpt',
  'bimi',
  'dnssec',
  'caa',
] as const;

export const checkName = described(z.enum(checkNames), 'One of the checks');

export type CheckName = z.infer<typeof checkName>;

/** Checks about reports and logos: their errors, or missing records, refuse no mail. */
export const harmlessChecks: ReadonlySet<CheckName> = new Set(['tlsRpt', 'bimi']);

/** Another release can know other checks. */
export const isCheckName = (name: string): name is CheckName => checkNames.some((one) => one === name);

/** Values by check, as stored; those of other checks are left out. */
export const byCheck = <Value extends z.ZodMiniType>(value: Value) =>
  z.pipe(
    z.transform((given: object) =>
      Object.fromEntries(Object.entries(given).filter(([name]) => isCheckName(name))),
    ),
    z.partialRecord(z.enum(checkNames), value),
  );

export const usageTypes = ['sends-and-receives', 'receives-only', 'sends-only', 'parked'] as const;

export const usageType = described(
  oneOf(usageTypes),
  'How the domain is used, which decides what it is scored on',
);

/** How a domain is used (interface specification). Decides what is required of it. */
export type UsageType = z.infer<typeof usageType>;

export const sendsMail = (usage: UsageType): boolean =>
  usage === 'sends-and-receives' || usage === 'sends-only';

export const receivesMail = (usage: UsageType): boolean =>
  usage === 'sends-and-receives' || usage === 'receives-only';
