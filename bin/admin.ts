import { runAdmin } from '../lib/admin/run.ts';
import { runTool } from './run-tool.ts';

await runTool((args) => runAdmin(args, process.env));
