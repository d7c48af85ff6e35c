/**
 * `npm run deploy`: asks the account first, refuses to remove what carries state, an address or an alarm, and deploys all stacks.
 * Stacks that are new are protected by a second deployment, so that the first one can fail and be repeated.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../cloud/config.ts';
import { FIRST_STACKS, type Settings } from '../../cloud/settings.ts';
import { hasStack, type StackPart, stackName, stackParts } from '../../cloud/stack-names.ts';
import { CommandError, commandLine, read, UsageError } from '../../terminal/command-line.ts';
import { visible } from '../../terminal/text.ts';
import { type Account, openAccount, parseTemplate } from './account.ts';
import { isCreated, preflight, printed, regionOf, type Stacks, stacksOf } from './preflight.ts';
import { removals } from './removals.ts';

/** Runs the CDK's program with these arguments. @throws CommandError if it fails. */
export type RunCdk = (args: readonly string[]) => Promise<void>;

interface Options {
  readonly outputsFile: string;
  readonly output: string;
  readonly requireApproval?: string;
  /** Minutes. */
  readonly monitor: string;
  readonly confirmRemoval?: readonly string[];
}

const settingsOf = (path: string | undefined): Settings => {
  if (path === undefined) throw new UsageError('the file with the settings is missing');
  return readSettings({ settings: path });
};

/** Prints what to fix. The exit code is 1 if there is a problem. */
export async function runPreflight(
  args: readonly string[],
  open: typeof openAccount = openAccount,
): Promise<{ readonly output: string; readonly code: number }> {
  const program = read(
    commandLine('preflight', 'docs/stages/dev.jsonc')
      .arguments('<settings>')
      .description('Says what would make a deployment fail, and how to fix it. Changes nothing.'),
    args,
  );
  const settings = settingsOf(program.args[0]);
  const findings = await preflight(settings, await open(settings.region));
  const lines = findings.length === 0 ? ['Nothing is in the way of a deployment.'] : printed(findings);
  return { output: visible(lines).join('\n'), code: findings.some(({ kind }) => kind === 'problem') ? 1 : 0 };
}

/** @throws CommandError if there is no CDK, or if the deployment is refused or fails. */
export async function runDeploy(
  args: readonly string[],
  openCdk: () => RunCdk,
  open: typeof openAccount = openAccount,
): Promise<{ readonly output: string; readonly code: number }> {
  const program = read(
    commandLine('deploy', 'docs/stages/dev.jsonc')
      .arguments('<settings>')
      .description('Deploys all stacks with the settings in the file.')
      .option('--outputs-file <file>', 'where the outputs of the stacks are written', 'outputs.json')
      .option('--output <folder>', 'where the templates are written', 'cdk.out')
      .option('--require-approval <level>', 'as for "cdk deploy"; "never" in CI, behind an approval')
      .option(
        '--monitor <minutes>',
        'how long CloudFormation watches the alarms of the API after each stack, and goes back if one goes off; 0: not at all',
        '10',
      )
      .option('--confirm-removal <ids...>', 'resources that may be removed, by their logical IDs'),
    args,
  );
  const [path] = program.args;
  const settings = settingsOf(path);
  const options = program.opts<Options>();
  const cdk = openCdk();
  const account = await open(settings.region);
  const findings = await preflight(settings, account);
  const lines = printed(findings);
  if (findings.some(({ kind }) => kind === 'problem'))
    throw new CommandError('the deployment would fail', visible(lines).join('\n'));
  const number = await account.identity();
  const before = await stacksOf(settings, account);
  const first = stackParts.filter((part) => hasStack(settings, part) && !isCreated(before.get(part)));
  const synthesized = ['-c', `settings=${path}`, '--output', options.output];
  const names = first.map((part) => stackName(settings, part)).join(',');
  await cdk(['synth', '--quiet', ...synthesized, '-c', `${FIRST_STACKS}=${names}`]);
  await refuseRemovals(settings, account, { before, ...options });
  const { requireApproval } = options;
  const approval = requireApproval === undefined ? [] : ['--require-approval', requireApproval];
  const outputs: Record<string, unknown> = {};
  const deployAll = async () => {
    const place = { region: account.region, number };
    for (const [names, watching] of deployments(settings, place, { before, ...options })) {
      // Each run of CDK replaces its file.
      const own = join(options.output, 'outputs.json');
      const how = ['--app', options.output, '--outputs-file', own, ...approval, ...watching];
      await cdk(['deploy', ...names, ...how]);
      if (existsSync(own)) Object.assign(outputs, JSON.parse(readFileSync(own, 'utf8')));
    }
    if (Object.keys(outputs).length > 0) writeFileSync(options.outputsFile, JSON.stringify(outputs, null, 2));
  };
  await deployAll();
  if (first.length > 0 && settings.keepData) {
    await cdk(['synth', '--quiet', ...synthesized]);
    await deployAll();
  }
  return {
    output: [...visible(lines), `deployed; the outputs are in ${options.outputsFile}`].join('\n'),
    code: 0,
  };
}

/** The alarms that say that a deployment broke the API. */
const ALARMS = ['api-errors', 'api-slow'];

/** Which stacks are deployed together, and how they are watched. CloudFormation knows only the alarms of its own region. */
function deployments(
  settings: Settings,
  { region, number }: { readonly region: string; readonly number: string },
  { before, monitor }: Pick<Options, 'monitor'> & { readonly before: Stacks },
): readonly (readonly [names: readonly string[], watching: readonly string[]])[] {
  if (!isCreated(before.get('alarms'))) return [[['--all'], []]];
  const alarms = ALARMS.map(
    (name) => `arn:aws:cloudwatch:${region}:${number}:alarm:${stackName(settings, name)}`,
  );
  // The option takes one alarm; what follows it would be the name of a stack.
  const watching = [
    ...(monitor === '0' ? ['none'] : alarms).flatMap((alarm) => ['--rollback-trigger-alarm-arns', alarm]),
    ...['--monitoring-time-minutes', monitor],
  ];
  const elsewhere: readonly StackPart[] = ['mail-second', 'edge'];
  if (!elsewhere.some((part) => hasStack(settings, part))) return [[['--all'], watching]];
  const here = stackParts.filter((part) => !elsewhere.includes(part) && hasStack(settings, part));
  const alone = (part: StackPart) =>
    hasStack(settings, part) ? [[[stackName(settings, part), '--exclusively'], []] as const] : [];
  return [
    ...alone('mail-second'),
    [[...here.map((part) => stackName(settings, part)), '--exclusively'], watching],
    ...alone('edge'),
  ];
}

/** @throws CommandError naming what would be removed without being confirmed. */
async function refuseRemovals(
  settings: Settings,
  account: Account,
  { before, output, confirmRemoval = [] }: Pick<Options, 'output' | 'confirmRemoval'> & { before: Stacks },
): Promise<void> {
  const refused = [];
  for (const part of before.keys()) {
    const name = stackName(settings, part);
    const file = join(output, `${name}.template.json`);
    const after = existsSync(file) ? parseTemplate(readFileSync(file, 'utf8')) : undefined;
    const removed = removals(await account.template(name, regionOf(part, account, settings)), after);
    refused.push(...removed.filter(({ id }) => !confirmRemoval.includes(id)));
  }
  if (refused.length === 0) return;
  const lines = refused.map(({ id, type, lost }) => `${id} (${type}): ${lost}`);
  throw new CommandError(
    `the deployment would remove these; if a setting is missing, add it, otherwise confirm with --confirm-removal ${refused.map(({ id }) => id).join(' ')}`,
    visible(lines).join('\n'),
  );
}
