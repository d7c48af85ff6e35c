/** `npm run inspect <domain>`: checks and scores any domain, without a service, a table or an AWS account. */

import { readFileSync } from 'node:fs';
import { Argument, Option } from 'commander';
import { domainNameProblem } from '../../shared/api/domain-names.ts';
import { showChecks } from '../../shared/api/show-checks.ts';
import { inspectDomain } from '../../shared/checks/inspect.ts';
import { differenceOf } from '../../shared/checks/preview/difference.ts';
import { previewChecks } from '../../shared/checks/preview/preview.ts';
import { readZone } from '../../shared/checks/preview/proposal.ts';
import { type UsageType, usageType } from '../../shared/checks/state.ts';
import { isSelector } from '../../shared/protocol/dkim/selector-syntax.ts';
import { isWithin, parseDomainName } from '../../shared/protocol/domain-name.ts';
import type { ZoneSet } from '../../shared/protocol/zone-file/record-set.ts';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config/config.ts';
import { createCheckContext } from '../../shared/runtime/dependencies/check-context.ts';
import { computeScore } from '../../shared/score/score.ts';
import { renderChange } from './change.ts';
import { CommandError, commandLine, read, UsageError } from './command-line.ts';
import { renderReport } from './report.ts';
import { jsonLines } from './text.ts';

const usageTypes = usageType.options;
const DEFAULT_USAGE: UsageType = 'sends-and-receives';

interface Terminal {
  readonly colour: boolean;
  /** The number of columns. */
  readonly width: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the command.
 * @returns the output and the exit code.
 * @throws UsageError for invalid arguments, CommandError for files that cannot be used, ConfigError for an invalid environment.
 */
export async function inspect(
  args: readonly string[],
  environment: Environment,
  terminal: Terminal,
): Promise<{ output: string; code: 0 | 2 | 3 }> {
  const options = readArguments(args);
  const { domain, usage } = options;
  const started = performance.now();
  const checked = await withInternetOf(domain, environment, async (reached) => {
    const checkContext = createCheckContext(readEnvironment(environmentSchema, reached));
    const dkimSelectors = options.selectors;
    const asked = { domain, testEmailLocalPart: null, dkimSelectors, knownSelectors: [] };
    if (options.proposal === undefined) return { results: await inspectDomain(asked, checkContext) };
    const preview = await previewChecks(asked, options.proposal, checkContext);
    if (preview.ok) return { results: preview.after, before: preview.before };
    throw new CommandError(`a CNAME record would stand beside other data: ${preview.conflicts.join(', ')}`);
  });
  const milliseconds = Math.round(performance.now() - started);
  const { results, before } = checked;
  const score = computeScore(results, usage);
  const change =
    before === undefined
      ? undefined
      : { scoreBefore: computeScore(before, usage).score, ...differenceOf(before, results) };
  return {
    output: options.json
      ? jsonLines({
          ...{ domain, results: showChecks(results, { domain }), score, usage, milliseconds },
          ...change,
        }).join('\n')
      : renderReport({ domain, results, score, usage, milliseconds }, terminal) +
        (before === undefined || change === undefined
          ? ''
          : renderChange({ ...change, domain, before, after: results, score: score.score }, terminal)),
    code: options.failUnder === undefined ? 0 : exitCode(score.score, options.failUnder),
  };
}

/** A score that could not be computed has a different exit code from one that is too low. */
function exitCode(score: number | null, failUnder: number): 0 | 2 | 3 {
  if (score === null) return 3;
  return score < failUnder ? 2 : 0;
}

interface Options {
  readonly domain: string;
  readonly usage: UsageType;
  readonly selectors: readonly string[];
  readonly json: boolean;
  readonly failUnder: number | undefined;
  /** Record sets to check the domain with. */
  readonly proposal: readonly ZoneSet[] | undefined;
}

interface Typed {
  readonly usage?: UsageType;
  readonly selectors?: string;
  readonly json?: boolean;
  readonly failUnder?: string;
  readonly with?: string;
}

function readArguments(args: readonly string[]): Options {
  const program = commandLine('inspect', 'example.org --fail-under 80')
    .description('Checks and scores any domain. npm passes options on only after "--".')
    .argument('<domain>')
    .addArgument(new Argument('[usage]', 'its usage type').choices(usageTypes))
    .addOption(new Option('--usage <type>', 'the usage type of the domain').choices(usageTypes))
    .option(
      '--selectors <list>',
      'DKIM selectors of the domain to look up beside common ones, separated by commas',
    )
    .option('--json', 'print JSON, with the results in the format of the API')
    .option(
      '--fail-under <score>',
      'for CI: exit with code 2 if the score is lower, or with code 3 if there is no score',
    )
    .option(
      '--with <zone-file>',
      'a zone file with proposed records: checks the domain as if they were published, and compares it with the domain as it is; --fail-under applies to the proposal',
    );
  const [typed, typedType = DEFAULT_USAGE] = read(program, args).processedArgs as [string, UsageType?];
  const {
    usage = typedType,
    failUnder,
    json = false,
    selectors: list = '',
    with: file,
  } = program.opts<Typed>();
  const name = parseDomainName(typed);
  if (!name.ok) throw new UsageError(`invalid domain "${typed}": it ${domainNameProblem[name.problem]}`);
  if (failUnder !== undefined && !(Number(failUnder) >= 0 && Number(failUnder) <= 100))
    throw new UsageError(`--fail-under must be a score from 0 to 100: ${failUnder}`);
  const selectors = list.split(',').filter((selector) => selector !== '');
  const wrong = selectors.find((selector) => !isSelector(selector.toLowerCase()));
  if (wrong !== undefined) throw new UsageError(`--selectors has an invalid DKIM selector: ${wrong}`);
  return {
    domain: name.name,
    usage,
    selectors,
    json,
    failUnder: failUnder === undefined ? undefined : Number(failUnder),
    proposal: file === undefined ? undefined : readProposal(file, name.name),
  };
}

/** @throws CommandError if the file cannot be read, or is not a zone of the domain. */
function readProposal(file: string, domain: string): readonly ZoneSet[] {
  const text = readText(file);
  const zone = readZone(text, domain);
  if (!zone.ok) throw new CommandError(`${file}: ${zone.problems.join('; ')}`);
  return zone.sets;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** Names below `.test` belong to the example internet, which is loaded only for them. */
async function withInternetOf<T>(
  domain: string,
  environment: Environment,
  inspectWith: (environment: Environment) => Promise<T>,
): Promise<T> {
  if (!isWithin(domain, 'test')) return inspectWith(environment);
  const { withExamples } = await import('./with-examples.ts');
  return withExamples(environment, inspectWith);
}
