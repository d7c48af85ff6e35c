import { adminCommand } from '../lib/admin/commands.ts';
import { openAdminParts } from '../lib/admin/open.ts';
import { described } from '../lib/local/command-line.ts';
import { visible } from '../lib/local/terminal-text.ts';

try {
  const args = process.argv.slice(2);
  const command = adminCommand(args);
  const { parts, close } = await openAdminParts(args, process.env);
  try {
    for (const line of visible(await command(parts))) console.log(line);
  } finally {
    await close();
  }
} catch (error) {
  console.error(described(error));
  process.exit(1);
}
