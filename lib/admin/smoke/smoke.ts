/** `npm run smoke`: tests a deployed or local service from outside. */
import { CommandError, commandLine, read, UsageError } from '../../terminal/command-line.ts';
import { visible } from '../../terminal/text.ts';
import { client } from './client.ts';
import { scenarios } from './scenarios.ts';
import type { MailServer } from './send-message.ts';

interface SmokeOptions {
  readonly url: string;
  readonly token: string;
  readonly smtp: MailServer | undefined;
}

type Typed = Partial<Readonly<Record<'url' | 'token' | 'smtp', string>>>;

/** @throws CommandError for invalid arguments. Help if they ask for it. */
export function readSmokeArguments(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SmokeOptions {
  const program = commandLine('smoke', '--url http://localhost:3000 --token "$TOKEN" --smtp localhost:2525')
    .description('Tests a service from outside. Exits with code 0 if every step is ok.')
    .option('--url <origin>', 'the origin of the API: the output ApiUrl of the deployment')
    .option(
      '--token <token>',
      'an API token (default: the environment variable API_TOKEN); the test registers a domain with it and removes it',
    )
    .option(
      '--smtp <host[:port]>',
      'the mail server of the tester and the report domain; the test sends a message to each, and waits until they are analyzed',
    );
  const { url, token = environment.API_TOKEN, smtp } = read(program, args).opts<Typed>();
  if (url === undefined || !token) throw new UsageError('--url and --token are required');
  // Other characters are not allowed in a header, and the error of the HTTP client would print the token.
  if (!/^[\w~+/.-]+=*$/.test(token)) throw new CommandError('the token is not one of this service');
  if (!/^https?:\/\/[^/?#@\s]+\/?$/.test(url))
    throw new UsageError(`--url must be an origin such as https://host: ${url}`);
  const [, host = '', port = '25'] = /^([\w.-]+)(?::(\d{1,5}))?$/.exec(smtp ?? '') ?? [];
  if (smtp !== undefined && host === '') throw new UsageError(`--smtp must be host or host:port: ${smtp}`);
  return {
    url: url.replace(/\/$/, ''),
    token,
    smtp: smtp === undefined ? undefined : { host, port: Number(port) },
  };
}

/** No step starts after this time; each step has its own timeout. */
const LONGEST_MILLISECONDS = 240_000;

/**
 * Runs all journeys, reports each step when it ends, and returns whether all steps were ok. After `signal` no further
 * step starts, but clean-up still runs.
 */
export async function smoke(
  { url, token, smtp }: SmokeOptions,
  print: (line: string) => void,
  signal?: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + LONGEST_MILLISECONDS;
  const counts = { ok: 0, failed: 0, skipped: 0 };
  const count = (outcome: keyof typeof counts) => {
    counts[outcome] += 1;
    return outcome === 'ok';
  };
  for (const { steps, cleanUp = {} } of scenarios(client(url, token), smtp)) {
    let isWell = true;
    for (const step of Object.entries(steps)) {
      const isTried = isWell && !signal?.aborted && performance.now() < end;
      isWell = count(isTried ? await attempt(step, print) : skip(step, print));
    }
    if (!isWell) for (const step of Object.entries(cleanUp)) count(await attempt(step, print));
  }
  print(`${counts.ok} ok, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed + counts.skipped === 0;
}

type Step = [name: string, run: () => Promise<unknown>];

async function attempt([name, run]: Step, print: (line: string) => void): Promise<'ok' | 'failed'> {
  const began = performance.now();
  const line = (outcome: string) =>
    `${outcome.padEnd(7)} ${String(Math.round(performance.now() - began)).padStart(6)} ms  ${name}`;
  try {
    await run();
    print(line('ok'));
    return 'ok';
  } catch (error) {
    print(`${line('FAILED')}: ${visible((error as Error).message)}`);
    return 'failed';
  }
}

function skip([name]: Step, print: (line: string) => void): 'skipped' {
  print(`${'skipped'.padEnd(7)} ${' '.repeat(9)}  ${name}`);
  return 'skipped';
}
