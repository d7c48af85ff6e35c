import { adminCommand, usage } from '../lib/admin/commands.ts';
import { openAdminDependencies } from '../lib/admin/open.ts';
import { described, wantsHelp } from '../lib/local/command-line.ts';
import { visible } from '../lib/local/terminal-text.ts';

const args = process.argv.slice(2);

async function run(): Promise<void> {
  const command = adminCommand(args);
  const { deps, close } = await openAdminDependencies(args, process.env);
  try {
    for (const line of visible(await command(deps))) console.log(line);
  } finally {
    await close();
  }
}

try {
  if (wantsHelp(args)) console.log(usage);
  else await run();
} catch (error) {
  console.error(described(error));
  process.exit(1);
}
