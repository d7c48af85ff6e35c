/** `npm run -s mcp`: answers AI assistants over standard input and output. */
import { runTool } from './run-tool.ts';

await runTool(async (args) => (await import('../lib/admin/mcp.ts')).runMcp(args, process.env));
