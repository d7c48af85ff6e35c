import { runTool } from './run-tool.ts';

await runTool(async (args) => (await import('../lib/terminal/verify.ts')).verify(args));
