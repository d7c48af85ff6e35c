import { runTool } from './run-tool.ts';

await runTool(async (args) => (await import('../lib/admin/run.ts')).runAdmin(args, process.env));
