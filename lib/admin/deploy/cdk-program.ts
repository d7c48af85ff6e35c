/** The program of the CDK, which the package does not contain: only who deploys needs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isPackage, peerRanges } from '../../local/host/release.ts';
import { CommandError } from '../../terminal/command-line.ts';
import type { RunCdk } from './deploy.ts';

/**
 * Finds the CDK: in a checkout with the app of `cdk.json`, else with that of the package.
 * @throws CommandError how to get it, if it is not installed.
 */
export function cdkProgram(): RunCdk {
  const program = found('aws-cdk/bin/cdk');
  found('aws-cdk-lib');
  const synth = fileURLToPath(new URL('../../../bin/synth.ts', import.meta.url));
  const app = isPackage() ? ['--app', `"${process.execPath}" "${synth}"`] : [];
  return async (args) => {
    const given = args[0] === 'synth' ? [...args, ...app] : args;
    const [code] = await once(spawn(process.execPath, [program, ...given], { stdio: 'inherit' }), 'close');
    if (code !== 0) throw new CommandError(`cdk ${args[0]} failed`);
  };
}

function found(name: string): string {
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch {
    const packages = Object.entries(peerRanges()).map(([peer, range]) => `-p '${peer}@${range}'`);
    const own = 'email-domain-security-monitor';
    throw new CommandError(
      `the CDK is not installed; get it for this command with: npx ${packages.join(' ')} -p ${own} ${own} deploy <settings>`,
    );
  }
}
