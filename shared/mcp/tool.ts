/** Tools of the Model Context Protocol: what a model can ask of the service. They are adapters of operations and views. */
import type * as z from 'zod/mini';
import type { Caller } from '../operations/operation.ts';
import { Refused } from '../operations/outcome.ts';

/** Nothing that a tool does changes anything, so a token with the scope `read` is enough. */
export type ToolCaller = Caller<'read'>;

export interface Tool<Deps> {
  readonly name: string;
  readonly title: string;
  /** For the model: what it answers, and when to use it. */
  readonly description: string;
  readonly input: z.ZodMiniType;
  /** The values of the answer are data that strangers may have written. */
  readonly run: (caller: ToolCaller, input: unknown, deps: Deps) => Promise<unknown>;
}

/** A tool whose input has the type of its schema. What it needs of the dependencies is that of `run`. */
export const tool = <Input extends z.ZodMiniType, Deps>({
  input,
  run,
  ...texts
}: Omit<Tool<Deps>, 'input' | 'run'> & {
  readonly input: Input;
  readonly run: (caller: ToolCaller, input: z.output<Input>, deps: Deps) => Promise<unknown>;
}): Tool<Deps> => ({ ...texts, input, run: (caller, given, deps) => run(caller, input.parse(given), deps) });

/** Why a tool gives no answer, as a sentence for the model. */
export class ToolRefusal extends Error {}

/** What was not refused. @throws ToolRefusal with all problems of the input. */
export function granted<T>(outcome: T | Refused): T {
  if (!(outcome instanceof Refused)) return outcome;
  const { message, problems = [], retryAfterMilliseconds: wait } = outcome;
  const named = problems.map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  const later = wait === undefined ? [] : [`Try again in ${Math.ceil(wait / 1000)} seconds.`];
  throw new ToolRefusal([...(named.length > 0 ? named : [message]), ...later].join('; '));
}
