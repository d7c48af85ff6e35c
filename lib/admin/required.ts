import { CommandError } from '../terminal/command-line.ts';

/** @throws CommandError if a required argument is missing. */
export function required(word: string | undefined, what: string): string {
  if (word === undefined || word === '')
    throw new CommandError(`${what} is missing; for usage, run "npm run admin"`);
  return word;
}
