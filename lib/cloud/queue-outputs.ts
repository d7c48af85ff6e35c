/** How operators are told where a queue and its dead letters are: two outputs of the stack that makes it. */
import type { Outputs } from './dns-outputs.ts';

/** The URLs of a queue and of its dead letters. */
export interface QueueUrls {
  readonly queue: string;
  readonly deadLetters: string;
}

/** The outputs that tell them, such as `ReportsQueueUrl` and `ReportsDeadLettersUrl`. Values may be tokens of the CDK. */
export function queueOutputs(name: string, { queue, deadLetters }: QueueUrls): Outputs {
  const { queueUrl, deadLettersUrl } = outputNames(name);
  return { [queueUrl]: queue, [deadLettersUrl]: deadLetters };
}

/** The reverse: what the outputs of all stacks tell; undefined where they do not tell both. */
export function queueUrlsOf(name: string, stacks: readonly Outputs[]): QueueUrls | undefined {
  const { queueUrl, deadLettersUrl } = outputNames(name);
  const [queue, deadLetters] = [queueUrl, deadLettersUrl].map((output) =>
    stacks.flatMap((outputs) => outputs[output] ?? []).at(0),
  );
  return queue === undefined || deadLetters === undefined ? undefined : { queue, deadLetters };
}

function outputNames(name: string) {
  const id = name.charAt(0).toUpperCase() + name.slice(1);
  return { queueUrl: `${id}QueueUrl`, deadLettersUrl: `${id}DeadLettersUrl` };
}
