import { adminCommand, usage } from '../lib/admin/commands.ts';
import { openAdminParts } from '../lib/admin/open.ts';
import { asksForHelp, described } from '../lib/local/command-line.ts';
import { visible } from '../lib/local/terminal-text.ts';

const args = process.argv.slice(2);

async function run(): Promise<void> {
  const command = adminCommand(args);
  const { parts, close } = await openAdminParts(args, process.env);
  try {
    for (const line of visible(await command(parts))) console.log(line);
  } finally {
    await close();
  }
}

try {
  if (asksForHelp(args)) console.log(usage);
  else await run();
} catch (error) {
  console.error(described(error));
  process.exit(1);
}
