/** The GitHub Action: checks domains or a proposed zone, and says so where GitHub shows it. */
import { appendFile, writeFile } from 'node:fs/promises';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config/config.ts';
import { createCheckContext } from '../../shared/runtime/dependencies/check-context.ts';
import { annotations, command } from './annotations.ts';
import { type CheckedDomain, checkDomain } from './check.ts';
import { type Environment, InputError, readInputs } from './inputs.ts';
import { sarifOf } from './sarif.ts';
import { summaryOf } from './summary.ts';
import { reasonsToFail } from './verdict.ts';

interface Report {
  /** Workflow commands, for standard output. */
  readonly lines: readonly string[];
  readonly code: 0 | 1;
}

/**
 * Runs the action with the environment variables of the runner, and writes its summary, outputs and SARIF file. Inputs that
 * cannot be used fail the step with an annotation.
 */
export async function runAction(environment: Environment, version: string): Promise<Report> {
  try {
    return await checkAll(environment, version);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { lines: [command('error', { title: 'Email domain security' }, error.message)], code: 1 };
  }
}

async function checkAll(environment: Environment, version: string): Promise<Report> {
  const inputs = readInputs(environment);
  // Runners cannot connect to port 25, which would otherwise be a warning about every domain.
  const given = { PROBE_SMTP: 'off', ...environment };
  const context = createCheckContext(readEnvironment(environmentSchema, given));
  const checked: CheckedDomain[] = [];
  for (const domain of inputs.domains) checked.push(await checkDomain(domain, inputs, context));
  const reasons = checked.flatMap((one) => reasonsToFail(one, inputs));
  const lines = [
    ...checked.flatMap((one) => annotations(one, inputs.zone)),
    ...reasons.map((reason) => command('error', { title: 'Email domain security' }, reason)),
  ];
  await writeFile(inputs.sarif, JSON.stringify(sarifOf(checked, inputs.zone, version)));
  const { GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: output } = environment;
  if (summary) await appendFile(summary, summaryOf(checked, reasons));
  if (output) await appendFile(output, outputsOf(checked, inputs.sarif));
  return { lines, code: reasons.length === 0 ? 0 : 1 };
}

/** Of several domains, the lowest score. Each value is one line without text of others. */
function outputsOf(checked: readonly CheckedDomain[], sarif: string): string {
  const scores = checked.flatMap(({ score: { score } }) => score ?? []);
  const news = checked.flatMap(({ findings }) => findings.filter(({ isNew }) => isNew === true));
  const lost = checked.reduce((sum, one) => sum + (one.lost?.approved ?? 0), 0);
  return Object.entries({
    score: scores.length < checked.length ? '' : Math.min(...scores),
    'new-errors': news.filter(({ severity }) => severity === 'error').length,
    'lost-messages': lost,
    'sarif-file': sarif,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
