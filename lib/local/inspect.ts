/** `npm run inspect <domain>`: checks and score of any domain, without a service, a table or an account. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import type { UsageType } from '../../shared/checks/results.ts';
import { isWithin, parseDomainName } from '../../shared/protocol/domain-name.ts';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config.ts';
import { createInspector } from '../../shared/runtime/inspector.ts';
import { computeScore } from '../../shared/score/score.ts';
import { weights } from '../../shared/score/weights.ts';
import { resolversOf, withExampleInternet } from './example-environment.ts';
import { startExampleInternet } from './example-internet/index.ts';
import { renderReport } from './terminal-report.ts';

/** A command that cannot be carried out as given; its message is for the user. */
export class InspectError extends Error {
  override readonly name = 'InspectError';
}

const usageTypes = Object.keys(weights) as UsageType[];

const usage = `Usage: npm run inspect -- <domain> [--usage <type>] [--json] [--fail-under <score>]

  --usage       how the domain is used: ${usageTypes.join(', ')} (default: the first)
  --json        everything as JSON, for machines
  --fail-under  exit code 2 when the score is lower, for CI`;

export interface Terminal {
  readonly colour: boolean;
  /** Columns. */
  readonly width: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the command.
 * @returns what it prints, and its exit code.
 * @throws InspectError for arguments that cannot be read, ConfigError for a malformed environment.
 */
export async function inspect(
  args: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<{ output: string; code: 0 | 2 }> {
  const options = readArguments(args);
  const started = performance.now();
  const results = await withInternetOf(options.domain, environment, async (reached) => {
    const inspector = createInspector(readEnvironment(environmentSchema, reached));
    return inspectDomain({ domain: options.domain, testEmailLocalPart: null, knownSelectors: [] }, inspector);
  });
  const milliseconds = Math.round(performance.now() - started);
  const score = computeScore(results, options.usage);
  const report = { domain: options.domain, results, score, usage: options.usage, milliseconds };
  return {
    output: options.json ? JSON.stringify(report, null, 2) : renderReport(report, terminal),
    code: (score.score ?? 0) < options.failUnder ? 2 : 0,
  };
}

interface Options {
  readonly domain: string;
  readonly usage: UsageType;
  readonly json: boolean;
  readonly failUnder: number;
}

function readArguments(args: readonly string[]): Options {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    throw new InspectError(`${(error as Error).message}\n\n${usage}`);
  }
  const [typed, ...others] = parsed.positionals;
  if (typed === undefined || others.length > 0) throw new InspectError(usage);
  const name = parseDomainName(typed);
  if (!name.ok) throw new InspectError(`not a domain that can be checked: ${typed} (${name.problem})`);
  const usageType = usageTypes.find((type) => type === parsed.values.usage);
  if (usageType === undefined) throw new InspectError(`not a usage type: ${parsed.values.usage}\n\n${usage}`);
  const failUnder = Number(parsed.values['fail-under']);
  if (!(failUnder >= 0 && failUnder <= 100))
    throw new InspectError(`not a score: ${parsed.values['fail-under']}`);
  return { domain: name.name, usage: usageType, json: parsed.values.json, failUnder };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      usage: { type: 'string', default: 'sends-and-receives' },
      json: { type: 'boolean', default: false },
      'fail-under': { type: 'string', default: '0' },
    },
  });
}

/** Names below `.test` live on the example internet, which is started for as long as they are looked at. */
async function withInternetOf<T>(
  domain: string,
  environment: Environment,
  look: (environment: Environment) => Promise<T>,
): Promise<T> {
  if (!isWithin(domain, 'test')) return look(environment);
  const config = readEnvironment(environmentSchema, environment);
  const folder = mkdtempSync(join(tmpdir(), 'example-internet-'));
  const internet = await startExampleInternet({ forwardTo: resolversOf(config) });
  try {
    return await look({
      ...environment,
      ...withExampleInternet(config, environment.DIAL_MAP, internet, folder),
    });
  } finally {
    await internet.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
