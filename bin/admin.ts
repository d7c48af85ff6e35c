import { adminCommand, usage } from '../lib/admin/commands.ts';
import { openAdminDependencies } from '../lib/admin/open.ts';
import { visible } from '../lib/local/terminal-text.ts';
import { runTool } from './run-tool.ts';

await runTool(usage, async (args) => {
  if (args.length === 0) return { output: usage, code: 0 };
  const command = adminCommand(args);
  const { deps, close } = await openAdminDependencies(args, process.env);
  let code = 0;
  const setExitCode = (given: number) => {
    code = given;
  };
  try {
    for (const line of visible(await command({ ...deps, setExitCode }))) console.log(line);
  } finally {
    await close();
  }
  return { code };
});
