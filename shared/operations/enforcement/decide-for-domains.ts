import * as z from 'zod/mini';
import { senderPath } from '../../api/enforcement.ts';
import { manyDomains } from '../../api/many-domains.ts';
import { type SenderStatus, senderStatus } from '../../enforcement/shapes.ts';
import { type DomainOutcome, type ManyDependencies, onEachDomain } from '../domains/each-domain.ts';
import type { CallerOf, InputOf, Operation } from '../operation.ts';
import { type Done, type Outcome, Refused } from '../outcome.ts';
import { versionAt } from '../version.ts';
import { operation as single, type UpdateSenderDependencies, updateSender } from './update-sender.ts';

export const operation = {
  name: 'decideForDomains',
  summary: 'Decide about a sender for up to 100 domains, each independently of the others',
  scope: single.scope,
  on: z.object({ senderId: senderPath.shape.senderId }),
  input: z.object({
    ...manyDomains.shape,
    /** Null takes decisions back. */
    status: z.nullable(senderStatus),
    /** Whether a domain where something else was decided gets the decision, too. */
    replaces: z.boolean(),
  }),
  refusals: ['invalid_request'],
  uses: single.uses,
} as const satisfies Operation;

/** The senders of a year are read for each. */
const PLACES = 3;

export const decideForDomains = (
  caller: CallerOf<typeof operation>,
  { ids, ...decision }: InputOf<typeof operation>,
  deps: UpdateSenderDependencies & ManyDependencies,
): Promise<Done<readonly DomainOutcome<SenderStatus>[]>> =>
  onEachDomain(caller, ids, deps, (id) => decideForOne(caller, id, decision, deps), PLACES);

/** The decision; refused if something else was decided, which the decision does not replace, or if somebody decides meanwhile. */
async function decideForOne(
  caller: CallerOf<typeof operation>,
  id: string,
  { senderId, status, replaces }: Omit<InputOf<typeof operation>, 'ids'>,
  deps: UpdateSenderDependencies,
): Promise<Outcome<SenderStatus>> {
  const before = (await deps.decisions.list(id)).get(senderId);
  const was = before?.status ?? null;
  if (was === status) return { value: status };
  if (was !== null && !replaces)
    return new Refused('precondition_failed', `It was decided before that the sender is ${was} here.`);
  const isCurrent = (version: string) => version === versionAt(before?.changedAt ?? null);
  const outcome = await updateSender({ ...caller, isCurrent }, { id, senderId, status }, deps);
  return outcome instanceof Refused ? outcome : { ...outcome, value: status };
}
