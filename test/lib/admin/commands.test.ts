import { describe, expect, test } from '@jest/globals';
import { commandExamples, readAdminArguments } from '../../../lib/admin/commands.ts';
import { Help, UsageError } from '../../../lib/terminal/command-line.ts';

/** What the arguments print instead of running a command. */
function helpOf(args: readonly string[]): string {
  try {
    readAdminArguments(args);
  } catch (error) {
    if (error instanceof Help) return error.message;
    throw error;
  }
  throw new Error('no help was asked for');
}

/** The words of an example, of which some are in quotes. */
const words = (example: string) =>
  [...example.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);

describe.each(Object.entries(commandExamples))('%s', (name, example) => {
  test('has an example in its help, which is a command line of it', () => {
    const help = helpOf([...name.split(' '), '--help']);
    expect(help).toContain(`Usage: npm run admin -- ${name}`);
    expect(help.endsWith(`\nExample:\n  npm run admin -- ${example}`)).toBe(true);
    expect(example).toContain(name);
    expect(readAdminArguments(words(example)).found).toBeDefined();
  });

  test('names its organization first, as <org>, which has to exist, or none', () => {
    const [usage = ''] = helpOf([...name.split(' '), '--help']).split('\n');
    const [first, ...others] = [...usage.matchAll(/[<[](?!options\])[^>\]]+[>\]]/g)].map(([arg]) => arg);
    expect([first === '<org>' ? '' : (first ?? ''), ...others].join(' ')).not.toContain('org');
  });

  test('rejects an option that it does not know', () => {
    expect(() => readAdminArguments([...words(example), '--nonsense'])).toThrow(UsageError);
    expect(() => readAdminArguments([...words(example), '--nonsense'])).toThrow(
      "unknown option '--nonsense'",
    );
  });
});

test('every command that lists or shows has --json', () => {
  const listing = Object.keys(commandExamples).filter((name) => /\b(?:list|show)$/.test(name));
  const shown = [...listing, 'enforcement', 'senders', 'simulate', 'alerts', 'domain check', 'domain fixes'];
  expect(listing).toContain('domain list');
  for (const name of shown) expect(helpOf([...name.split(' '), '--help'])).toContain('--json ');
});
