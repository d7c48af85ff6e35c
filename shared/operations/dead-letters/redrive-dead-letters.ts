import * as z from 'zod/mini';
import type { Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';

export const operation = {
  name: 'redriveDeadLetters',
  summary: 'Send dead letters of a queue back to it, to be tried again',
  scope: 'operator',
  input: z.object({
    /** The ID of one message. */
    message: z.optional(z.string()),
    all: z.boolean(),
  }),
  refusals: ['invalid_request', 'not_found'],
  uses: [],
} as const satisfies Operation;

/** A queue, and those of its messages that failed or were interrupted too often. */
export interface DeadLetterQueue {
  /** Sends one message back; false if it is not among those that can be received. */
  readonly sendBack: (id: string) => Promise<boolean>;
  /** @throws Error if the move failed, or another one is under way. */
  readonly sendAllBack: () => Promise<Redriven>;
}

interface Redriven {
  readonly moved: number;
  /** False if the move goes on by itself. */
  readonly isOver: boolean;
}

/** Sends one dead letter back to its queue, or all of them, as new messages. They belong to no organization and its audit log. */
export async function redriveDeadLetters(
  { message, all }: z.output<typeof operation.input>,
  queue: DeadLetterQueue,
): Promise<OutcomeOf<typeof operation, Redriven>> {
  if (all === (message !== undefined))
    return invalid({ path: '', message: 'say what is to be sent back: --message <id> or --all' });
  if (message === undefined) return { value: await queue.sendAllBack() };
  if (await queue.sendBack(message)) return { value: { moved: 1, isOver: true } };
  return new Refused('not_found', `no dead letter ${message}, or somebody else looks at it now`);
}
