import * as z from 'zod/mini';
import { domainPath } from '../../api/common.ts';
import { senderPath, updateSenderBody } from '../../api/enforcement.ts';
import { type Decided, decisionsAbout } from '../../enforcement/decide.ts';
import { onDomain } from '../domains/on-domain.ts';
import { type CallerOf, type InputOf, idOf, type Operation, type OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';
import { assessAgain } from './assess-again.ts';
import {
  decidedOrRefused,
  operation as single,
  subjectOf,
  type UpdateSenderDependencies,
} from './update-sender.ts';

/** As many as a page shows, and more. */
const MOST_SENDERS = 100;

export const operation = {
  name: 'updateSenders',
  summary: 'Decide about up to 100 senders of a domain, each independently of the others',
  scope: single.scope,
  on: domainPath,
  input: z.object({
    decisions: z
      .array(z.object({ senderId: senderPath.shape.senderId, change: updateSenderBody }))
      .check(
        z.minLength(1, 'must have at least one sender: tick the boxes of the table'),
        z.maxLength(MOST_SENDERS, `must not have more than ${MOST_SENDERS} senders`),
      ),
  }),
  refusals: single.refusals,
  uses: single.uses,
} as const satisfies Operation;

/** What became of the decision about a sender. */
export interface SenderOutcome {
  readonly senderId: string;
  readonly outcome: Decided | Refused;
}

/** Refused if none of the decisions was made: why the first one was not. */
export const updateSenders = (
  caller: CallerOf<typeof operation>,
  { id, decisions }: InputOf<typeof operation>,
  { domains, ...deps }: UpdateSenderDependencies,
): Promise<OutcomeOf<typeof operation, readonly SenderOutcome[]>> =>
  onDomain(caller, id, { domains }, async (domain) => {
    const decide = await decisionsAbout(domain, deps);
    const by = idOf(caller);
    const each: SenderOutcome[] = [];
    const made: Decided[] = [];
    const refused: ReturnType<typeof decidedOrRefused>[] = [];
    for (const { senderId, change } of decisions) {
      const outcome = decidedOrRefused(await decide(senderId, { ...change, by, isAllowed: () => true }));
      each.push({ senderId, outcome });
      if (outcome instanceof Refused) refused.push(outcome);
      else made.push(outcome);
    }
    const [first] = refused;
    if (made.length === 0 && first instanceof Refused) return first;
    await assessAgain(domain, deps);
    return { value: each, subjects: made.map((one) => subjectOf(domain, one)) };
  });
