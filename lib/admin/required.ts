import { CommandError } from '../local/command-line.ts';

/** @throws CommandError where a word that a command needs was not given. */
export function required(word: string | undefined, what: string): string {
  if (word === undefined || word === '')
    throw new CommandError(`${what} is missing; "npm run admin" shows how commands are written`);
  return word;
}
