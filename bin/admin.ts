import { AdminError, runAdmin } from '../lib/admin/commands.ts';
import { openAdminParts } from '../lib/admin/open.ts';
import { DataFolderError } from '../lib/local/data-folder.ts';
import { ConfigError } from '../shared/runtime/config.ts';

try {
  const args = process.argv.slice(2);
  const { parts, close } = await openAdminParts(args, process.env);
  try {
    console.log((await runAdmin(args, parts)).join('\n'));
  } finally {
    await close();
  }
} catch (error) {
  const foreseen = [AdminError, ConfigError, DataFolderError].some((kind) => error instanceof kind);
  console.error(foreseen ? (error as Error).message : error);
  process.exit(1);
}
