import { usage } from '../lib/admin/commands.ts';
import { runAdmin } from '../lib/admin/run.ts';
import { runTool } from './run-tool.ts';

await runTool(usage, (args) => runAdmin(args, process.env));
