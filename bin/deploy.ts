/** `npm run deploy -- <settings>`: deploys all stacks, after asking the account. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { runDeploy } from '../lib/admin/deploy/deploy.ts';
import { CommandError } from '../lib/terminal/command-line.ts';
import { runTool } from './run-tool.ts';

const CDK = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));

async function cdk(args: readonly string[]): Promise<void> {
  const [code] = await once(spawn(process.execPath, [CDK, ...args], { stdio: 'inherit' }), 'close');
  if (code !== 0) throw new CommandError(`cdk ${args[0]} failed`);
}

await runTool((args) => runDeploy(args, cdk));
