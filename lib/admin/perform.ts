/** How commands perform operations: what the arguments say, as the operator, with an entry in the audit log. */
import type * as z from 'zod/mini';
import { type AuditDependencies, audited } from '../../shared/operations/audit.ts';
import { type Caller, type Operation, operatorFor } from '../../shared/operations/operation.ts';
import { type Outcome, Refused, readInput } from '../../shared/operations/outcome.ts';
import { CommandError, UsageError } from '../terminal/command-line.ts';

/**
 * Performs an operation for an organization, and adds what it changed to its audit log.
 * @throws CommandError why it is refused.
 */
export async function perform<Value>(
  operation: Pick<Operation, 'name'>,
  organization: string,
  deps: AuditDependencies,
  run: (caller: Caller<'operator'>) => Promise<Outcome<Value>>,
): Promise<Value> {
  return audited(operation, organization, deps, accepted(await run(operatorFor(organization))));
}

/** What was not refused. @throws CommandError why it was. */
export function accepted<T>(given: T | Refused): T {
  if (!(given instanceof Refused)) return given;
  throw new CommandError(reasonOf(given));
}

/** Why an operation was refused, with all problems, in one line. */
export function reasonOf({ message, problems }: Refused): string {
  const all = problems?.map((one) => (one.path === '' ? one.message : `${one.path}: ${one.message}`));
  return all === undefined ? message : all.join('; ');
}

/** Arguments as the input of an operation. @throws UsageError with all problems. */
export function inputFor<S extends z.ZodMiniType>(schema: S, given: unknown): z.output<S> {
  const input = readInput(schema, given);
  if (input instanceof Refused) throw new UsageError(reasonOf(input));
  return input;
}
