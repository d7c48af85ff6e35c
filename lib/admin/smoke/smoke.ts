/** `npm run smoke`: tries a deployed service, or the one on this machine, from outside. */
import { CommandError, readCommandLine } from '../../local/command-line.ts';
import { visible } from '../../local/terminal-text.ts';
import { client } from './client.ts';
import type { Step } from './journey.ts';
import { journeys } from './journeys.ts';
import type { MailServer } from './send-message.ts';

export const usage = `Usage: npm run smoke -- --url <origin> --token <token> [--smtp <host>[:<port>]]

  --url    where the API is, such as the ApiUrl that the deployment told
  --token  an API token, which API_TOKEN in the environment may hold instead; a domain is registered and removed with it
  --smtp   where mail for the tester domain is received; a message is sent there and its analysis waited for

Exit code 0 when every step is ok.`;

export interface SmokeOptions {
  readonly url: string;
  readonly token: string;
  readonly smtp: MailServer | undefined;
}

/** @throws CommandError for arguments that cannot be read. */
export function readSmokeArguments(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SmokeOptions {
  const { words, values } = readCommandLine(args, ['url', 'token', 'smtp']);
  const { url, token = environment.API_TOKEN, smtp } = values;
  if (words.length > 0) throw new CommandError(`not an option: ${words[0]}`, usage);
  if (url === undefined || !token) throw new CommandError('--url and --token are needed', usage);
  if (!/^https?:\/\/[^/?#@\s]+\/?$/.test(url))
    throw new CommandError(`not an origin such as https://host: ${url}`);
  const [, host = '', port = '25'] = /^([\w.-]+)(?::(\d{1,5}))?$/.exec(smtp ?? '') ?? [];
  if (smtp !== undefined && host === '') throw new CommandError(`not a host or host:port: ${smtp}`);
  return {
    url: url.replace(/\/$/, ''),
    token,
    smtp: smtp === undefined ? undefined : { host, port: Number(port) },
  };
}

/** No step is begun after this; each has an end of its own. */
const LONGEST_MILLISECONDS = 240_000;

/**
 * Tries everything, tells each step as it ends, and says whether all was well. After `signal` no step is begun any
 * more, but what was made is removed.
 */
export async function smoke(
  { url, token, smtp }: SmokeOptions,
  tell: (line: string) => void,
  signal?: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + LONGEST_MILLISECONDS;
  const counts = { ok: 0, failed: 0, skipped: 0 };
  const count = (outcome: keyof typeof counts) => {
    counts[outcome] += 1;
    return outcome === 'ok';
  };
  for (const { steps, cleanUp } of journeys(client(url, token), smtp)) {
    let isWell = true;
    for (const step of steps) {
      const isTried = isWell && !signal?.aborted && performance.now() < end;
      isWell = count(isTried ? await attempt(step, tell) : skip(step, tell));
    }
    if (!isWell && cleanUp !== undefined) count(await attempt(cleanUp, tell));
  }
  tell(`${counts.ok} ok, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed + counts.skipped === 0;
}

async function attempt({ name, run }: Step, tell: (line: string) => void): Promise<'ok' | 'failed'> {
  const began = performance.now();
  const line = (outcome: string) =>
    `${outcome.padEnd(7)} ${String(Math.round(performance.now() - began)).padStart(6)} ms  ${name}`;
  try {
    await run();
    tell(line('ok'));
    return 'ok';
  } catch (error) {
    tell(`${line('FAILED')}: ${visible((error as Error).message)}`);
    return 'failed';
  }
}

function skip({ name }: Step, tell: (line: string) => void): 'skipped' {
  tell(`${'skipped'.padEnd(7)} ${' '.repeat(9)}  ${name}`);
  return 'skipped';
}
